import { getAttention } from '@portal/contract/attention';
import { useCall } from '../../lib/use-call.ts';

/** One answer for two parts of the page: what needs somebody, and what is deployed today. */
export function useAttention() {
  return useCall(getAttention, undefined, { refetchOnWindowFocus: 'always', refetchInterval: 60_000 });
}

export type AttentionLoad = ReturnType<typeof useAttention>;
