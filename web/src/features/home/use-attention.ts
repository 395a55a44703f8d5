import { getAttention } from '@portal/contract/attention';
import { useCall } from '../../lib/use-call.ts';

const refreshMs = 60_000;
const missingRefreshMs = { min: 3_000, max: 10_000 };
/** The platform's configurations are read at this interval, one after another. */
const checkMs = 600;

/**
 * Returns when to ask again. The apps of a new user are read in the next seconds or minutes. The
 * page asks again after half of that time: rarely while many are missing, soon for the last ones.
 */
export function getAttentionRefreshMs(missing: number): number {
  if (missing === 0) return refreshMs;
  const { min, max } = missingRefreshMs;
  return Math.min(max, Math.max(min, (missing * checkMs) / 2));
}

/** Loads the data of two sections: what needs attention, and today's deployments. */
export function useAttention() {
  return useCall(getAttention, undefined, {
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data } }) => getAttentionRefreshMs(data?.checks.missing ?? 0),
  });
}

export type AttentionLoad = ReturnType<typeof useAttention>;
