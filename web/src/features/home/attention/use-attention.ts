import { getAttention, getAttentionRefreshMs } from '@portal/contract/attention';
import { useCall } from '../../../lib/use-call.ts';

/** Loads the data of two sections: what needs attention, and today's deployments. */
export function useAttention() {
  return useCall(getAttention, undefined, {
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data } }) => getAttentionRefreshMs(data?.checks.missing ?? 0),
  });
}

export type AttentionLoad = ReturnType<typeof useAttention>;
