import { getAttention } from '@portal/contract/attention';
import { useCall } from '../../lib/use-call.ts';

/** Loads the data of two sections: what needs attention, and today's deployments. */
export function useAttention() {
  return useCall(getAttention, undefined, {
    refetchOnWindowFocus: 'always',
    // The apps of a new user are read in the next seconds or minutes.
    refetchInterval: ({ state }) => (state.data && state.data.checks.missing > 0 ? 3_000 : 60_000),
  });
}

export type AttentionLoad = ReturnType<typeof useAttention>;
