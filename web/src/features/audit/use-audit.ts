import { getAudit } from '@portal/contract/audit';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { callKey } from '../../lib/use-call.ts';
import { type AuditFilter, auditQueryOf } from './audit-filter.ts';

/**
 * The entries that match, newest first, page by page; what was found last stays until the next
 * answer.
 */
export function useAudit({ entry: _, ...filter }: AuditFilter, enabled: boolean) {
  const load = useInfiniteQuery({
    // Its own, for an answer of several pages is none that `useCall` could share.
    queryKey: callKey(getAudit, auditQueryOf(filter, null), undefined, 'pages'),
    queryFn: ({ pageParam, signal }) => call(getAudit, auditQueryOf(filter, pageParam), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    enabled,
  });
  return {
    entries: load.data?.pages.flatMap((page) => page.entries),
    /** How many match on all pages together; the newest answer knows best. */
    total: load.data?.pages.at(-1)?.total ?? 0,
    data: load.data,
    error: load.error,
    isFetching: load.isFetching,
    isLoadingMore: load.isFetchingNextPage,
    hasMore: load.hasNextPage,
    loadMore: () => void load.fetchNextPage(),
    refetch: () => void load.refetch(),
  };
}
