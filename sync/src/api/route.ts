import { Readable } from 'node:stream';
import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { requireBodyWithinLimit } from '@portal/edge/read-json';
import { readPayload } from '@portal/edge/read-payload';
import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid, Unreachable } from '@portal/kit/problems';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import { type Caller, readCaller } from './caller.ts';
import { InvalidFields } from './invalid-fields.ts';

/** Maximum size of what the server adds to a caller's body: the app and its data source. */
const factsBytes = 16 * 1024;

interface Call<E extends Endpoint> {
  readonly input: RequestOf<E>;
  readonly caller: Caller;
  /** `:appId` of the path, '' when the path has none. */
  readonly appId: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly signal: AbortSignal;
}

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<ResponseOf<E>>;

/** Serves an endpoint of the contract under `/api`, and validates its request and response. */
export function route<E extends Endpoint>(app: FastifyInstance, endpoint: E, handler: Handler<E>): void {
  const { method, path, request: requestSchema, response: responseSchema, cost } = endpoint;
  app.route<{ Params: { appId?: string } }>({
    method,
    url: `/api${path}`,
    async onRequest(request) {
      // Only the server gets here, whose token was checked before.
      request.maxBodyBytes = cost.maxBodyBytes + factsBytes;
      requireBodyWithinLimit(request);
    },
    async handler(request, reply) {
      if (!isStorable([request.params, request.query])) throw new Invalid('The address contains invalid characters.');
      const payload =
        requestSchema === null
          ? undefined
          : readPayload(requestSchema, method === 'GET' ? request.query : request.body);
      const disconnected = new AbortController();
      reply.raw.once('close', () => disconnected.abort());
      const { appId = '' } = request.params;
      // The schemas belong to E, which the compiler cannot infer from the values.
      const call = {
        input: payload,
        caller: readCaller(request),
        appId,
        request,
        reply,
        signal: disconnected.signal,
      } as Call<E>;
      const response: unknown = await handler(call).catch((error: unknown) => {
        if (disconnected.signal.aborted && error === disconnected.signal.reason)
          throw new Unreachable('The caller disconnected.');
        throw error;
      });
      if (responseSchema === 'bytes') {
        reply.type('application/octet-stream');
        return Readable.from(response as AsyncIterable<Uint8Array>);
      }
      return responseSchema === 'text' ? response : responseSchema.parse(response);
    },
  });
}

/**
 * Parses the payload and drops unknown properties. Throws InvalidFields with one reason per field.
 */
export function parsePayload<T>(schema: z.ZodMiniType<T>, payload: unknown): T {
  const result = schema.safeParse(payload ?? {});
  if (result.success) return result.data;
  throw new InvalidFields(
    result.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'payload', reason: message })),
  );
}
