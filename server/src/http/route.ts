import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { type Endpoint, type RequestOf, type ResponseOf, usualBodyBytes } from '@portal/contract/endpoint';
import { requireBodyWithinLimit } from '@portal/edge/read-json';
import { readPayload } from '@portal/edge/read-payload';
import { toResponseSchema } from '@portal/edge/response-schema';
import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid, Unreachable } from '@portal/kit/problems';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../session/caller.ts';
import type { Callers } from '../session/callers.ts';
import { RawJsonList } from './raw-json-list.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, if identified before the body was read. */
    caller?: Caller | undefined;
  }
}

interface Call<E extends Endpoint> {
  readonly input: RequestOf<E>;
  /** The caller; null on open endpoints. */
  readonly caller: E['access'] extends 'session' ? Caller : null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborts when the caller disconnects. For reading; a change runs to its end. */
  readonly signal: AbortSignal;
}

export type Handler<E extends Endpoint> = (
  call: Call<E>,
) => ResponseOf<E> | RawJsonList | Promise<ResponseOf<E> | RawJsonList>;

/** An endpoint with its handler. */
export interface Route<E extends Endpoint = Endpoint> {
  readonly endpoint: E;
  register(app: FastifyInstance, callers: Callers): void;
}

type EndpointNames<Module> = { [Name in keyof Module]: Module[Name] extends Endpoint ? Name : never }[keyof Module];

/**
 * A route for every endpoint that a contract module exports. Features return this, so that a
 * missing handler or one with the wrong request or response type does not compile.
 */
export type RoutesOf<Module> = {
  readonly [Name in EndpointNames<Module>]: Module[Name] extends Endpoint ? Route<Module[Name]> : never;
};

export function route<E extends Endpoint>(endpoint: E, handler: Handler<E>): Route<E> {
  const { method, path, access, request: requestSchema, response: responseSchema } = endpoint;
  const { maxBodyBytes = usualBodyBytes } = endpoint;

  /** Runs before the body is read, so that strangers cannot make the server read one. */
  async function admit(request: FastifyRequest, callers: Callers): Promise<void> {
    if (access === 'session') {
      request.caller = await callers.requireBeforeBody(request);
      if (request.caller !== undefined) request.maxBodyBytes = maxBodyBytes;
    }
    requireBodyWithinLimit(request);
  }

  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    callers: Callers,
  ): Promise<ResponseOf<E> | Readable> {
    const caller = access === 'session' ? (request.caller ?? (await callers.require(request))) : null;
    if (!isStorable([request.params, request.query])) throw new Invalid('The address contains invalid characters.');
    const sent = method === 'GET' ? request.query : request.body;
    const payload = requestSchema === null ? undefined : readPayload(requestSchema, sent);
    // A query names what is requested; only a body makes claims about the caller.
    if (caller !== null && method !== 'GET') callers.checkClaims(caller, payload);
    if (responseSchema === 'text') reply.type('text/plain; charset=utf-8');
    // The schema and access just checked are those of E, which the compiler cannot infer.
    const result = await handler({
      input: payload,
      caller,
      request,
      reply,
      signal: getDisconnectSignal(reply),
    } as Call<E>);
    if (responseSchema === 'bytes') {
      // A file may be a page with scripts: whatever it is, a browser must not show it in this origin.
      reply.type('application/octet-stream').header('content-security-policy', "sandbox; default-src 'none'");
      if (!reply.hasHeader('content-disposition')) reply.header('content-disposition', 'attachment');
      return Readable.from(result as AsyncIterable<Uint8Array>);
    }
    if (!(result instanceof RawJsonList)) return result;
    reply.type('application/json; charset=utf-8');
    return result.open(reply.raw);
  }

  return {
    endpoint,
    register(app, callers) {
      app.route({
        method,
        url: path,
        ...(typeof responseSchema !== 'string' && { schema: { response: { 200: toResponseSchema(responseSchema) } } }),
        onRequest: (request) => admit(request, callers),
        handler: (request, reply) => respond(request, reply, callers),
      });
    },
  };
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
