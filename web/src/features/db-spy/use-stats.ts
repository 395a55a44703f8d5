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

/** Whose statements: those of an app, or of a whole data source. */
export type StatsTarget = { readonly appId: string } | { readonly dataSource: string };

/** Longer statements come cut; the one that is opened is fetched whole. */
const textLimit = 2000;

/**
 * Statistics cost their server something: they are asked for when wanted, not by each look at the
 * page.
 */
const slowQueryOptions = {
  invalidatedBy: [resetStats],
  staleTime: slowStaleTimeMs,
  refetchOnWindowFocus: false,
} as const;

const refreshMs = 60_000;

/** What is asked for anew by a press of Refresh. */
export const statsEndpoints = [getStats, getStatsContext, getStatement, getLastReset];

export interface StatsLoad {
  readonly stats: UseQueryResult<StatRow[]>;
  readonly context: UseQueryResult<StatsContext>;
}

/**
 * What the statistics cover and what is missing from them; quick, also where the statements are
 * not.
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
      // Another range of the same app does not change where the app lives.
      placeholderScope: JSON.stringify(target),
      // The server takes snapshots more often while somebody looks; this tells it that somebody
      // does.
      refetchInterval: (query) => (query.state.data === undefined ? false : refreshMs),
      ...slowQueryOptions,
    },
  );
}

/**
 * The statements and what they are of. What was found last stays while other filters are asked
 * about, so whoever shows several apps mounts this anew for each of them.
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
