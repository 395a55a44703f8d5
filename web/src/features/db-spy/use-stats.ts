import {
  getLastReset,
  getStatement,
  getStats,
  getStatsContext,
  resetStats,
  type StatRow,
  type StatsContext,
  type StatsRange,
} from '@portal/contract/db-spy';
import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import { slowStaleTimeMs, useCall } from '../../lib/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import type { StatsFilter } from './stats-address.ts';

/** The target of the statistics: an app or a whole data source. */
export type StatsTarget = { readonly appId: string } | { readonly dataSource: string };

/** Longer statements arrive truncated; an opened one is fetched in full. */
const textLimit = 2000;

/** Statistics are expensive for the server, so focusing the window does not refetch them. */
const slowQueryOptions = {
  invalidatedBy: [resetStats],
  staleTime: slowStaleTimeMs,
  refetchOnWindowFocus: false,
} as const;

const refreshMs = 60_000;

/** The endpoints that Refresh loads again. */
export const statsEndpoints = [getStats, getStatsContext, getStatement, getLastReset];

export interface StatsLoad {
  readonly stats: UseQueryResult<StatRow[]>;
  readonly context: UseQueryResult<StatsContext>;
}

/**
 * Loads what the statistics cover and what is missing from them. Fast even when the statements are
 * slow.
 */
export function useStatsContext(
  target: StatsTarget,
  range: StatsRange,
  enabled: boolean,
): UseQueryResult<StatsContext> {
  const { session } = useSession();
  return useCall(
    getStatsContext,
    { environment: session.environment.name, ...target, range },
    {
      enabled,
      // Another time range does not change which data source an app is in.
      placeholderScope: JSON.stringify(target),
      // The server takes snapshots more often while users watch. These requests show it that they
      // do.
      refetchInterval: (query) => (query.state.data === undefined ? false : refreshMs),
      ...slowQueryOptions,
    },
  );
}

/**
 * Loads the statements and their context. The last results stay while other filters load, so a page
 * that shows several apps must give each its own instance.
 */
export function useStats(target: StatsTarget, filter: StatsFilter): StatsLoad {
  const { session } = useSession();
  const stats = useCall(
    getStats,
    {
      environment: session.environment.name,
      ...target,
      range: filter.range,
      ...(filter.search !== '' && { search: filter.search }),
      ...(filter.minCalls > 0 && { minCalls: filter.minCalls }),
      ...(filter.withPortalStatements && { withOwn: true }),
      textLimit,
    },
    { placeholderData: keepPreviousData, ...slowQueryOptions },
  );
  return { stats, context: useStatsContext(target, filter.range, true) };
}
