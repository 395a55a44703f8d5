import { finished } from 'node:stream/promises';
import type { Endpoint, ResponseOf } from '@portal/contract/endpoint';
import { needsSession } from '@portal/contract/rules';
import type { SyncBase } from '@portal/contract/sync/base';
import { type Exchange, serveEndpoint } from '@portal/edge/serve-endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallSlots } from '../access/call-slots.ts';
import type { Enforcer } from '../access/enforcer.ts';
import { requireBase } from '../access/require-base.ts';
import type { ChangeLocks } from '../platform/change-locks.ts';
import type { Caller, MachineCaller } from '../session/caller.ts';
import type { Callers } from '../session/callers.ts';
import { environmentClaimFields } from '../session/environment-claim.ts';
import type { Call, Handler } from './call.ts';
import { RawJsonList } from './raw-json-list.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, once identified. */
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
  /**
   * Changes of an app with the same lock run one at a time, each with its entry in the audit trail.
   */
  readonly lock?: string;
  /** Whether an open call may name an environment, because it needs a session in some cases. */
  readonly namesEnvironment?: true;
  /** The title of the call's problems, but not of a refusal by role. */
  readonly problemTitle?: string;
}

/**
 * Connects an endpoint with its handler, which runs only for callers who may do what it declares,
 * gets what the call is about, and is recorded.
 */
export function route<E extends Endpoint>(endpoint: E, handler: Handler<E>, options: RouteOptions = {}): Route<E> {
  return {
    endpoint,
    register(app, dependencies) {
      serveEndpoint(app, endpoint, {
        admit: (request) => admit(endpoint, dependencies, request),
        ...((needsSession(endpoint.may) || options.namesEnvironment) && {
          beyond: { query: environmentClaimFields, body: environmentClaimFields },
        }),
        async identify(request) {
          if (needsSession(endpoint.may)) request.caller ??= await dependencies.callers.require(request);
        },
        async handle(exchange) {
          const result = await respond(endpoint, dependencies, exchange, handler, options);
          if (!(result instanceof RawJsonList)) return result;
          exchange.reply.type('application/json; charset=utf-8');
          return result.open(exchange.reply.raw);
        },
      });
    },
  };
}

/** Finds the caller, before the body is read. */
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
}

function isUser(caller: Caller | MachineCaller): caller is Caller {
  return 'credentials' in caller;
}

/** Checks what the endpoint declares, and runs the handler. */
async function respond<E extends Endpoint>(
  endpoint: E,
  { callers, enforcer, slots, locks }: RouteDependencies,
  { request, ...exchange }: Exchange<E>,
  handler: Handler<E>,
  { lock, problemTitle }: RouteOptions,
): Promise<ResponseOf<E> | RawJsonList> {
  const { method, base, recorded, cost } = endpoint;
  const { input, params, reply, signal } = exchange;
  const { caller = null } = request;
  // What the call is about was found as E declares it, which the compiler cannot infer.
  const toCall = (added: object) => ({ ...exchange, request, caller, ...added }) as Call<E>;
  if (caller === null) return handler(toCall({}));
  if (base) requireBase(caller, base);
  const inSlot = (run: () => Promise<ResponseOf<E> | RawJsonList>) =>
    slots.run(cost, caller, run, { signal, getEnd: (result) => waitUntilRead(result, reply) });
  if (!isUser(caller)) return inSlot(async () => handler(toCall({})));
  callers.checkEnvironment(caller, request.query);
  callers.checkEnvironment(caller, request.body);
  // A query names what is requested; only a body makes claims about the user.
  if (method !== 'GET') callers.checkUser(caller, input);
  const fields = { ...Object(request.query), ...Object(input), ...params };
  await enforcer.requireRole(caller, endpoint, fields);
  if (problemTitle !== undefined) request.problemTitle = problemTitle;
  return inSlot(async () => {
    const found = await enforcer.find(caller, endpoint, fields, recorded && !recorded.isView ? undefined : signal);
    if (!recorded) return handler(toCall(found.values));
    const run = () =>
      enforcer.record(caller, recorded, found, async (noted) => handler(toCall({ ...found.values, noted })));
    return lock === undefined ? run() : locks.run(`${lock} ${caller.environment.name} ${found.resource?.id}`, run);
  });
}

/**
 * Waits until a response that is read while it is sent is complete, or its connection is closed.
 */
async function waitUntilRead(result: unknown, { raw }: FastifyReply): Promise<void> {
  const isReadWhileSent = typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
  if (isReadWhileSent || result instanceof RawJsonList) await finished(raw).catch(() => undefined);
}
