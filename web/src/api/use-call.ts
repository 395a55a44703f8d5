import type { Endpoint, RequestOf, ResponseOf } from '@portal/contract/endpoint';
import {
  type Query,
  type QueryClient,
  type QueryKey,
  type QueryMeta,
  type UseQueryOptions,
  useQuery,
} from '@tanstack/react-query';
import { type CallOptions, call } from './call.ts';

/** A change to data on the server: an endpoint, or a message type of the sync service's socket. */
export type Change = Endpoint | 'MERGE' | 'DESTROY';

type Params = NonNullable<CallOptions['params']>;

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { readonly endpoint: Endpoint; readonly placeholderScope?: unknown };
    mutationMeta: { readonly changes: readonly Change[] };
  }
}

export interface CallQuery<E extends Endpoint, Data = ResponseOf<E>>
  extends Omit<UseQueryOptions<ResponseOf<E>, Error, Data>, 'queryKey' | 'queryFn' | 'meta'> {
  readonly params?: Params;
  /** Changes that invalidate this data, for every component that uses it. */
  readonly invalidatedBy?: readonly Change[];
  /** Another value the response depends on besides payload and parameters. */
  readonly version?: unknown;
  /** While this value stays the same, the previous data is shown until the new data is loaded. */
  readonly placeholderScope?: string | null;
  /** Sends the call; defaults to `call`. */
  readonly send?: typeof call<E>;
}

/** The stale time of data that changes with releases rather than during a visit. */
export const slowStaleTimeMs = 60_000;

/**
 * Returns a `refetchInterval`. A load that failed waits for the user: a retry in between would
 * remove the error before it is read.
 */
export function refreshEvery(ms: number) {
  return ({ state }: { readonly state: { readonly data: unknown } }) => state.data !== undefined && ms;
}

const changesByEndpoint = new WeakMap<Endpoint, Set<Change>>();

/** Loads the response of an endpoint. All components that request the same data share one query. */
export function useCall<E extends Endpoint, Data = ResponseOf<E>>(
  endpoint: E,
  payload: RequestOf<E>,
  options: CallQuery<E, Data> = {},
) {
  return useQuery(callOptions(endpoint, payload, options));
}

export function callOptions<E extends Endpoint, Data = ResponseOf<E>>(
  endpoint: E,
  payload: RequestOf<E>,
  { params, invalidatedBy = [], version, placeholderScope, send = call, ...options }: CallQuery<E, Data>,
): UseQueryOptions<ResponseOf<E>, Error, Data> & { readonly meta: QueryMeta } {
  changesByEndpoint.set(endpoint, new Set([...(changesByEndpoint.get(endpoint) ?? []), ...invalidatedBy]));
  const withParams = params && { params };
  return {
    ...(placeholderScope !== undefined && {
      placeholderData: (previous, query) => (query?.meta?.placeholderScope === placeholderScope ? previous : undefined),
    }),
    ...options,
    queryKey: callKey(endpoint, payload, params, version),
    queryFn: ({ signal }) => send(endpoint, payload, { signal, ...withParams }),
    meta: { endpoint, placeholderScope },
  };
}

/** Returns the query key of one response. */
export function callKey<E extends Endpoint>(
  endpoint: E,
  payload: RequestOf<E>,
  params?: Params,
  version?: unknown,
): QueryKey {
  return [`${endpoint.method} ${endpoint.path}`, payload, params, version];
}

/** Returns a filter that matches all queries of these endpoints. */
export function matchEndpoints(endpoints: readonly Endpoint[]): { predicate: (query: Query) => boolean } {
  return { predicate: ({ meta }) => meta !== undefined && endpoints.includes(meta.endpoint) };
}

/**
 * Refetches everything the changes made stale, and resolves when the data on the screen is loaded
 * again. `refetchType` 'none' leaves the screen unchanged and refetches when the data is shown
 * next.
 */
export function invalidateAfter(
  client: QueryClient,
  changes: readonly Change[],
  refetchType: 'active' | 'none' = 'active',
): Promise<void> {
  return client.invalidateQueries({
    refetchType,
    predicate: ({ meta }) => {
      const queryChanges = meta && changesByEndpoint.get(meta.endpoint);
      return changes.some((change) => queryChanges?.has(change));
    },
  });
}
