import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Endpoint, ResponseOf } from '@portal/contract/endpoint';
import { needsSession } from '@portal/contract/rules';
import type { SyncBase } from '@portal/contract/sync-base';
import { requireBodyWithinLimit } from '@portal/edge/read-json';
import { readPayload } from '@portal/edge/read-payload';
import { toResponseSchema } from '@portal/edge/response-schema';
import { isStorable } from '@portal/kit/postgres/storable-text';
import { Invalid, Unreachable } from '@portal/kit/problems';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallSlots } from '../access/call-slots.ts';
import type { Enforcer } from '../access/enforcer.ts';
import { requireBase } from '../access/require-base.ts';
import type { ChangeLocks } from '../platform/change-locks.ts';
import type { Caller, MachineCaller } from '../session/caller.ts';
import type { Callers } from '../session/callers.ts';
import type { Call, Handler } from './call.ts';
import { RawJsonList } from './raw-json-list.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, if identified before the body was read. */
    caller?: Caller | MachineCaller | undefined;
  }
}

/** What every route needs to let callers in. */
interface RouteDependencies {
  readonly callers: Callers;
  readonly enforcer: Enforcer;
  readonly slots: CallSlots;
  readonly locks: ChangeLocks;
  /** Finds the service account that sends the request, if it is one. */
  readonly findMachine: (request: FastifyRequest, base: SyncBase) => MachineCaller | undefined;
}

/** An endpoint with its handler. */
export interface Route<E extends Endpoint = Endpoint> {
  readonly endpoint: E;
  register(app: FastifyInstance, dependencies: RouteDependencies): void;
}

type EndpointNames<Module> = { [Name in keyof Module]: Module[Name] extends Endpoint ? Name : never }[keyof Module];

/**
 * A route for every endpoint that a contract module exports. Features return this, so that a
 * missing handler or one with the wrong request or response type does not compile.
 */
export type RoutesOf<Module> = {
  readonly [Name in EndpointNames<Module>]: Module[Name] extends Endpoint ? Route<Module[Name]> : never;
};

export interface RouteOptions {
  /** Changes of an app with the same lock run one at a time, each with its entry in the audit trail. */
  readonly lock?: string;
  /** The title of the call's problems, but not of a refusal by role. */
  readonly problemTitle?: string;
}

/**
 * Connects an endpoint with its handler, which runs only for callers who may do what it declares,
 * gets what the call is about, and is recorded.
 */
export function route<E extends Endpoint>(endpoint: E, handler: Handler<E>, options: RouteOptions = {}): Route<E> {
  const { method, path, response: responseSchema } = endpoint;
  return {
    endpoint,
    register(app, dependencies) {
      app.route<{ Params: Record<string, string> }>({
        method,
        url: path,
        ...(typeof responseSchema !== 'string' && { schema: { response: { 200: toResponseSchema(responseSchema) } } }),
        onRequest: (request) => admit(endpoint, dependencies, request),
        handler: async (request, reply) => {
          const result = await respond(endpoint, dependencies, { request, reply }, handler, options);
          return send(endpoint, reply, result);
        },
      });
    },
  };
}

/** Runs before the body is read, so that strangers cannot make the server read one. */
async function admit(
  { may, base, cost }: Endpoint,
  { callers, findMachine }: RouteDependencies,
  request: FastifyRequest,
): Promise<void> {
  if (needsSession(may)) {
    const machine = may === 'sync.view-or-machine' && base ? findMachine(request, base) : undefined;
    request.caller = machine ?? (await callers.requireBeforeBody(request));
    if (request.caller !== undefined) request.maxBodyBytes = cost.maxBodyBytes;
  }
  requireBodyWithinLimit(request);
}

function isUser(caller: Caller | MachineCaller): caller is Caller {
  return 'credentials' in caller;
}

interface Exchange {
  readonly request: FastifyRequest<{ Params: Record<string, string> }>;
  readonly reply: FastifyReply;
}

/** Checks what the endpoint declares, and runs the handler. */
async function respond<E extends Endpoint>(
  endpoint: E,
  { callers, enforcer, slots, locks }: RouteDependencies,
  { request, reply }: Exchange,
  handler: Handler<E>,
  { lock, problemTitle }: RouteOptions,
): Promise<ResponseOf<E> | RawJsonList> {
  const { method, may, base, recorded, cost, request: requestSchema } = endpoint;
  const { params, query } = request;
  const caller = needsSession(may) ? (request.caller ?? (await callers.require(request))) : null;
  if (!isStorable([params, query])) throw new Invalid('The address contains invalid characters.');
  const input =
    requestSchema === null ? undefined : readPayload(requestSchema, method === 'GET' ? query : request.body);
  const signal = getDisconnectSignal(reply);
  // The schema and the rules that are checked are those of E, which the compiler cannot infer.
  const toCall = (added: object) => ({ input, params, caller, request, reply, signal, ...added }) as Call<E>;
  if (caller === null) return handler(toCall({}));
  if (base) requireBase(caller, base);
  const inSlot = (run: () => Promise<ResponseOf<E> | RawJsonList>) =>
    slots.run(cost, caller, run, { signal, getEnd: (result) => waitUntilRead(result, reply) });
  if (!isUser(caller)) return inSlot(async () => handler(toCall({})));
  // A query names what is requested; only a body makes claims about the caller.
  if (method !== 'GET') callers.checkClaims(caller, input);
  const fields = { ...Object(query), ...Object(input), ...params };
  await enforcer.requireRole(caller, endpoint, fields);
  if (problemTitle !== undefined) request.problemTitle = problemTitle;
  return inSlot(async () => {
    const found = await enforcer.find(caller, endpoint, fields, recorded ? undefined : signal);
    if (!recorded) return handler(toCall(found.values));
    const run = () =>
      enforcer.record(caller, recorded, found, async (noted) => handler(toCall({ ...found.values, noted })));
    return lock === undefined ? run() : locks.run(`${lock} ${caller.environment.name} ${found.resource}`, run);
  });
}

/** Waits until a response that is read while it is sent is complete, or its connection is closed. */
async function waitUntilRead(result: unknown, { raw }: FastifyReply): Promise<void> {
  const isReadWhileSent = typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
  if (isReadWhileSent || result instanceof RawJsonList) await finished(raw).catch(() => undefined);
}

function send<E extends Endpoint>(
  { response }: E,
  reply: FastifyReply,
  result: ResponseOf<E> | RawJsonList,
): ResponseOf<E> | Readable | Promise<Readable> {
  if (response === 'text') reply.type('text/plain; charset=utf-8');
  if (response === 'bytes') {
    // A file may be a page with scripts: whatever it is, a browser must not show it in this origin.
    reply.type('application/octet-stream').header('content-security-policy', "sandbox; default-src 'none'");
    if (!reply.hasHeader('content-disposition')) reply.header('content-disposition', 'attachment');
    return Readable.from(result as AsyncIterable<Uint8Array>);
  }
  if (!(result instanceof RawJsonList)) return result;
  reply.type('application/json; charset=utf-8');
  return result.open(reply.raw);
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
