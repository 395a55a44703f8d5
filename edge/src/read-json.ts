import { usualBodyBytes } from '@portal/contract/rules';
import { parseBoundedJson } from '@portal/kit/bounded-json';
import { Invalid, TooMany } from '@portal/kit/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TooLarge } from './problems.ts';

const retryAfterSeconds = 5;

declare module 'fastify' {
  interface FastifyRequest {
    /** The largest accepted body; set only for callers that were identified before their body. */
    maxBodyBytes?: number;
  }
  interface FastifyContextConfig {
    /**
     * For a route that gets the bytes of the body, for their signature: the largest accepted body.
     */
    maxRawBytes?: number;
  }
}

function getMaxBytes({ maxBodyBytes, routeOptions }: FastifyRequest): number {
  return maxBodyBytes ?? routeOptions.config.maxRawBytes ?? usualBodyBytes;
}

/** Throws TooLarge if the headers announce a body that is too large for this request. */
export function requireBodyWithinLimit(request: FastifyRequest): void {
  const maxBytes = getMaxBytes(request);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new TooLarge(maxBytes);
}

/**
 * Accepts only JSON. An empty body counts as none, because some callers always send the content
 * type. Callers that are not identified share `unfinishedBytes` for the bodies they are sending,
 * because any number of them may send slowly.
 */
export function readJsonOnly(app: FastifyInstance, unfinishedBytes: number): void {
  let reservedBytes = 0;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    // Nothing reads the body of a request to an unknown path.
    if (request.is404) return undefined;
    requireBodyWithinLimit(request);
    const bytes = Number(request.headers['content-length'] ?? getMaxBytes(request));
    const reserved = request.maxBodyBytes === undefined ? bytes : 0;
    if (reservedBytes + reserved > unfinishedBytes)
      throw new TooMany('Too many requests are arriving at once. Try again in a few seconds.', retryAfterSeconds);
    reservedBytes += reserved;
    try {
      const body = await readBody(request, bytes);
      if (request.routeOptions.config.maxRawBytes !== undefined) return body;
      return body.length === 0 ? undefined : parseBoundedJson(body.toString('utf8'));
    } finally {
      reservedBytes -= reserved;
    }
  });
}

/**
 * Reads into one buffer, because a body that arrives byte by byte would cost a hundred times its
 * size in chunks.
 */
async function readBody({ raw }: FastifyRequest, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(maxBytes);
  let length = 0;
  try {
    // Destroying the request would close the connection before the response is sent.
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (length + chunk.length > maxBytes) throw new TooLarge(maxBytes);
      length += chunk.copy(buffer, length);
    }
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    throw new Invalid('The connection was closed before the request was complete.', { cause: error });
  }
  return buffer.subarray(0, length);
}
