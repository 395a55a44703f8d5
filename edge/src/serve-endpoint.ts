import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { Endpoint, RequestOf } from '@portal/contract/endpoint';
import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid, Unreachable } from '@portal/kit/problems';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { requireBodyWithinLimit } from './read-json.ts';
import { readPayload } from './read-payload.ts';
import { toResponseSchema } from './response-schema.ts';

/** A request whose input matches the contract. */
export interface Exchange<E extends Endpoint> {
  readonly input: RequestOf<E>;
  /** The `:name` parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

interface Serving<E extends Endpoint> {
  /** Where the service serves the endpoint, if not at its path. */
  readonly url?: string;
  /** Runs before the body is read, so that strangers cannot make the service read one. */
  readonly admit: (request: FastifyRequest) => Promise<void>;
  /** Top-level fields that are accepted although the request does not have them. */
  readonly beyond?: { readonly query?: readonly string[]; readonly body?: readonly string[] };
  /** Runs when the body is read, before the input is validated. */
  readonly identify?: (request: FastifyRequest) => Promise<void>;
  /** Returns the response, or its bytes as they are read. */
  readonly handle: (exchange: Exchange<E>) => Promise<unknown>;
}

/** Serves an endpoint of the contract, and validates its request and response. */
export function serveEndpoint<E extends Endpoint>(app: FastifyInstance, endpoint: E, serving: Serving<E>): void {
  const { method, response } = endpoint;
  const { url = endpoint.path, admit, identify = async () => undefined, beyond = {}, handle } = serving;
  app.route<{ Params: Record<string, string> }>({
    method,
    url,
    ...(typeof response !== 'string' && { schema: { response: { 200: toResponseSchema(response) } } }),
    async onRequest(request) {
      await admit(request);
      requireBodyWithinLimit(request);
    },
    preHandler: identify,
    async handler(request, reply) {
      const { params, query } = request;
      if (!isStorable([params, query])) throw new Invalid('The address contains invalid characters.');
      const input = readInput(endpoint, request, beyond);
      const signal = getDisconnectSignal(reply);
      // The schema is that of E, which the compiler cannot infer.
      const result = await handle({ input: input as RequestOf<E>, params, request, reply, signal });
      if (response === 'text') reply.type('text/plain; charset=utf-8');
      return response === 'bytes' ? sendFile(reply, result as AsyncIterable<Uint8Array>) : result;
    },
  });
}

const noFields = z.object({});

/** Validates the query and the body, and returns the one that is the request. */
function readInput(
  endpoint: Endpoint,
  { query, body }: FastifyRequest,
  beyond: Serving<Endpoint>['beyond'] = {},
): unknown {
  const schema = endpoint.request ?? noFields;
  const isGet = endpoint.method === 'GET';
  if (!isGet) readPayload(endpoint.query ?? noFields, query, beyond.query);
  const input = isGet ? readPayload(schema, query, beyond.query) : readPayload(schema, body, beyond.body);
  return endpoint.request === null ? undefined : input;
}

/** A file may be a page with scripts: whatever it is, a browser must not show it in this origin. */
function sendFile(reply: FastifyReply, bytes: AsyncIterable<Uint8Array>): Readable {
  reply.type('application/octet-stream').header('content-security-policy', "sandbox; default-src 'none'");
  if (!reply.hasHeader('content-disposition')) reply.header('content-disposition', 'attachment');
  return Readable.from(bytes);
}

function getDisconnectSignal({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  // One request may wait for many calls.
  setMaxListeners(0, disconnected.signal);
  raw.once('close', () => {
    if (!raw.writableFinished) disconnected.abort(new Unreachable('The caller disconnected.'));
  });
  return disconnected.signal;
}
