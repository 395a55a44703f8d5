import type { Readable } from 'node:stream';
import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid } from '@portal/kit/problems';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../session/caller.ts';
import type { Callers } from '../session/callers.ts';
import { RawJsonList } from './raw-json-list.ts';
import { readPayload } from './read-payload.ts';
import { toResponseSchema } from './response-schema.ts';

interface Call<E extends Endpoint> {
  readonly input: RequestOf<E>;
  /** Who calls; null on endpoints that are open. */
  readonly caller: E['access'] extends 'session' ? Caller : null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export type Handler<E extends Endpoint> = (
  call: Call<E>,
) => ResponseOf<E> | RawJsonList | Promise<ResponseOf<E> | RawJsonList>;

/** An endpoint together with what answers it. */
export interface Route<E extends Endpoint = Endpoint> {
  readonly endpoint: E;
  register(app: FastifyInstance, callers: Callers): void;
}

type EndpointNames<Module> = { [Name in keyof Module]: Module[Name] extends Endpoint ? Name : never }[keyof Module];

/**
 * A route for every endpoint that a module of the contract exports. Features return this: an
 * endpoint without a handler, or with one that takes or answers something else, does not compile.
 */
export type RoutesOf<Module> = {
  readonly [Name in EndpointNames<Module>]: Module[Name] extends Endpoint ? Route<Module[Name]> : never;
};

export function route<E extends Endpoint>(endpoint: E, handler: Handler<E>): Route<E> {
  const { method, path, access, request: requestSchema, response: responseSchema } = endpoint;

  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    callers: Callers,
  ): Promise<ResponseOf<E> | Readable> {
    const caller = access === 'session' ? await callers.require(request) : null;
    if (!isStorable([request.params, request.query]))
      throw new Invalid('A text in the address holds characters that are none.');
    const sent = method === 'GET' ? request.query : request.body;
    const payload = requestSchema === null ? undefined : readPayload(requestSchema, sent);
    // What a query names is looked for; only a body says who its sender is.
    if (caller !== null && method !== 'GET') callers.checkClaims(caller, payload);
    if (responseSchema === 'text') reply.type('text/plain; charset=utf-8');
    // The schema and the access just checked are those of E, which the compiler cannot follow
    // through the values.
    const result = await handler({ input: payload, caller, request, reply } as Call<E>);
    if (!(result instanceof RawJsonList)) return result;
    reply.type('application/json; charset=utf-8');
    return result.stream();
  }

  return {
    endpoint,
    register(app, callers) {
      app.route({
        method,
        url: path,
        ...(responseSchema !== 'text' && { schema: { response: { 200: toResponseSchema(responseSchema) } } }),
        handler: (request, reply) => respond(request, reply, callers),
      });
    },
  };
}
