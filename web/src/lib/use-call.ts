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

/** What changes data on the server: an endpoint, or a message of the sync service's socket. */
export type Change = Endpoint | 'MERGE' | 'DESTROY';

type Params = NonNullable<CallOptions['params']>;

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { readonly endpoint: Endpoint; readonly about?: unknown };
    mutationMeta: { readonly changes: readonly Change[] };
  }
}

export interface CallQuery<E extends Endpoint, Data = ResponseOf<E>>
  extends Omit<UseQueryOptions<ResponseOf<E>, Error, Data>, 'queryKey' | 'queryFn' | 'meta'> {
  readonly params?: Params;
  /**
   * The answer is asked for again after each of these changes, whoever else on the page shows it.
   */
  readonly invalidatedBy?: readonly Change[];
  /** A value the answer depends on beside payload and parameters. */
  readonly version?: unknown;
  /** While this stays the same, the last answer is shown until the next one is there. */
  readonly about?: string | null;
  /** How the call is made, where that is not by `call`. */
  readonly send?: typeof call<E>;
}

/** The stale time of what changes with releases, not while one looks at it. */
export const steadyMs = 60_000;

const changesOfEndpoint = new WeakMap<Endpoint, Set<Change>>();

/**
 * Loads the answer of an endpoint. Who asks for the same, anywhere on the page, shares one answer.
 */
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
  { params, invalidatedBy = [], version, about, send = call, ...options }: CallQuery<E, Data>,
): UseQueryOptions<ResponseOf<E>, Error, Data> & { readonly meta: QueryMeta } {
  changesOfEndpoint.set(endpoint, new Set([...(changesOfEndpoint.get(endpoint) ?? []), ...invalidatedBy]));
  const withParams = params && { params };
  return {
    ...(about !== undefined && {
      placeholderData: (former, query) => (query?.meta?.about === about ? former : undefined),
    }),
    ...options,
    queryKey: callKey(endpoint, payload, params, version),
    queryFn: ({ signal }) => send(endpoint, payload, { signal, ...withParams }),
    meta: { endpoint, about },
  };
}

/** The key of one answer. */
export function callKey<E extends Endpoint>(
  endpoint: E,
  payload: RequestOf<E>,
  params?: Params,
  version?: unknown,
): QueryKey {
  return [`${endpoint.method} ${endpoint.path}`, payload, params, version];
}

/** Finds all answers of these endpoints. */
export function answersOf(endpoints: readonly Endpoint[]): { predicate: (query: Query) => boolean } {
  return { predicate: ({ meta }) => meta !== undefined && endpoints.includes(meta.endpoint) };
}

/**
 * Asks again for what the changes made untrue; resolves when what is on the screen is loaded again.
 * `refetchType` 'none' leaves the screen as it is and asks when an answer is shown next.
 */
export function invalidateAfter(
  client: QueryClient,
  changes: readonly Change[],
  refetchType: 'active' | 'none' = 'active',
): Promise<void> {
  return client.invalidateQueries({
    refetchType,
    predicate: ({ meta }) => {
      const known = meta && changesOfEndpoint.get(meta.endpoint);
      return changes.some((change) => known?.has(change));
    },
  });
}
