import { getAttention } from '@portal/contract/attention';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';

/** One answer for two parts of the page: what needs somebody, and what is deployed today. */
export function useAttention() {
  return useQuery({
    queryKey: ['attention'],
    queryFn: ({ signal }) => call(getAttention, undefined, { signal }),
    refetchOnWindowFocus: 'always',
    refetchInterval: 60_000,
  });
}

export type AttentionLoad = ReturnType<typeof useAttention>;
