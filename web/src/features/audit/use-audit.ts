import { getAudit } from '@portal/contract/audit';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { callKey } from '../../api/use-call.ts';
import { type AuditFilter, toAuditQuery } from './audit-filter.ts';

/**
 * Loads the matching entries page by page, newest first. Previous results stay until the next ones
 * are loaded.
 */
export function useAudit({ entry: _, ...filter }: AuditFilter, enabled: boolean) {
  const load = useInfiniteQuery({
    // A separate query, because `useCall` does not support multiple pages.
    queryKey: callKey(getAudit, toAuditQuery(filter, null), undefined, 'pages'),
    queryFn: ({ pageParam, signal }) => call(getAudit, toAuditQuery(filter, pageParam), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled,
  });
  return {
    entries: load.data?.pages.flatMap((page) => page.entries),
    /** Where a search that no index supports ended; otherwise null. */
    searchedSince: load.data?.pages.at(-1)?.searchedSince ?? null,
    /** Whether the user sees only their own entries and those about their apps. */
    isPartial: load.data?.pages[0]?.isPartial ?? false,
    data: load.data,
    error: load.error,
    isFetching: load.isFetching,
    /** Whether the entries are still those of the filter before. */
    isPrevious: load.isPlaceholderData,
    isLoadingMore: load.isFetchingNextPage,
    hasMore: load.hasNextPage,
    loadMore: () => void load.fetchNextPage(),
    refetch: () => void load.refetch(),
  };
}
