import { getStats, getStatsContext, type StatRow, type StatsContext } from '@portal/contract/db-spy';
import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { useSession } from '../../session/use-session.ts';
import type { StatsFilter } from './stats-address.ts';

/** Whose statements: those of an app, or of a whole data source. */
export type Whose = { readonly appId: string } | { readonly dataSource: string };

/** Longer statements come cut; the one that is opened is fetched whole. */
export const textLimit = 2000;

/** Statistics cost their server something: they are asked for when wanted, not by each look at the page. */
const restful = { staleTime: 60_000, refetchOnWindowFocus: false } as const;

/** Under this key lies everything that a reset makes untrue. */
export const statsKey = ['db-spy'] as const;

export interface StatsLoad {
  readonly stats: UseQueryResult<StatRow[]>;
  readonly context: UseQueryResult<StatsContext>;
  readonly refresh: () => void;
}

/**
 * The statements and what they are of. What was found last stays while other filters are asked about, so whoever
 * shows several apps mounts this anew for each of them.
 */
export function useStats(whose: Whose, filter: StatsFilter, enabled: boolean): StatsLoad {
  const { session } = useSession();
  const client = useQueryClient();
  const asked = { environment: session.environment.name, ...whose, range: filter.range };
  const stats = useQuery({
    queryKey: [...statsKey, 'stats', whose, filter],
    queryFn: ({ signal }) =>
      call(
        getStats,
        {
          ...asked,
          ...(filter.search !== '' && { search: filter.search }),
          ...(filter.minCalls > 0 && { minCalls: filter.minCalls }),
          ...(filter.withOwn && { withOwn: true }),
          textLimit,
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    enabled,
    ...restful,
  });
  const context = useQuery({
    queryKey: [...statsKey, 'context', whose, filter.range],
    queryFn: ({ signal }) => call(getStatsContext, asked, { signal }),
    placeholderData: keepPreviousData,
    enabled,
    ...restful,
  });
  return { stats, context, refresh: () => void client.invalidateQueries({ queryKey: statsKey }) };
}
