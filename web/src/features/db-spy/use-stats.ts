import {
  getLastReset,
  getStatement,
  getStatementTrends,
  getStats,
  getStatsContext,
  getTopStats,
  otherApps,
  resetStats,
  type StatRow,
  type StatsContext,
  type StatsRange,
  type TopStats,
} from '@portal/contract/db-spy';
import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import { refreshEvery, slowStaleTimeMs, useCall } from '../../api/use-call.ts';
import { useSession } from '../../session/use-session.ts';
import type { ChartChoice, StatsFilter } from './stats-address.ts';

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
export const statsEndpoints = [getStats, getTopStats, getStatementTrends, getStatsContext, getStatement, getLastReset];

/** Those that take long. */
export const slowStatsEndpoints = [getStats, getTopStats];

export interface StatsLoad<Data> {
  readonly stats: UseQueryResult<Data>;
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
      refetchInterval: refreshEvery(refreshMs),
      ...slowQueryOptions,
    },
  );
}

/**
 * Loads all statements and their context. The last results stay while other filters load, so a page
 * that shows several apps must give each its own instance.
 */
export function useStats(target: StatsTarget, filter: StatsFilter): StatsLoad<StatRow[]> {
  const { session } = useSession();
  const stats = useCall(getStats, toRequest(session.environment.name, target, filter), {
    placeholderData: keepPreviousData,
    ...slowQueryOptions,
  });
  return { stats, context: useStatsContext(target, filter.range, true) };
}

/**
 * Loads the statements of a chart and their context. The last results stay like those of
 * `useStats`.
 */
export function useTopStats(
  target: StatsTarget,
  filter: StatsFilter,
  { metric, order, size: limit }: ChartChoice,
): StatsLoad<TopStats> {
  const { session } = useSession();
  const stats = useCall(
    getTopStats,
    { ...toRequest(session.environment.name, target, filter), metric, order, limit },
    {
      // The statements of another metric have another order.
      placeholderScope: `${metric} ${order}`,
      ...slowQueryOptions,
    },
  );
  return { stats, context: useStatsContext(target, filter.range, true) };
}

function toRequest(environment: string, target: StatsTarget, filter: StatsFilter) {
  return {
    environment,
    ...target,
    range: filter.range,
    ...(filter.search !== '' && { search: filter.search }),
    ...(filter.minCalls > 0 && { minCalls: filter.minCalls }),
    ...(filter.withPortalStatements && { withOwn: true }),
    textLimit,
  };
}

/** Loads what happened to the statements over time. */
export function useTrends(target: StatsTarget, range: StatsRange, ids: readonly string[]) {
  const { session } = useSession();
  const counted = ids.filter((id) => id !== otherApps.id);
  return useCall(
    getStatementTrends,
    { environment: session.environment.name, ...target, range, ids: counted },
    { enabled: counted.length > 0, ...slowQueryOptions },
  );
}
