import { getAttention, getAttentionRefreshMs } from '@portal/contract/attention';
import { useState } from 'react';
import { useCall } from '../../../api/use-call.ts';
import { useNow } from '../../../api/use-now.ts';

/** The first seconds of the page, in which it shows soon what is read when it opens. */
const openedMs = 10_000;
const openedRefreshMs = 4_000;
/** A response gets this old only if the page could not ask, or was in the background. */
const outdatedAfterMs = 150_000;

/** Loads the data of two sections: what needs attention, and today's deployments. */
export function useAttention() {
  const [openedAt] = useState(() => Date.now());
  useNow(15_000);
  const load = useCall(getAttention, undefined, {
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data, dataUpdatedAt } }) => {
      const refreshMs = getAttentionRefreshMs(countPending(data?.checks));
      return dataUpdatedAt - openedAt < openedMs ? Math.min(refreshMs, openedRefreshMs) : refreshMs;
    },
  });
  const isOutdated = load.isError || Date.now() - load.dataUpdatedAt > outdatedAfterMs;
  return { ...load, pending: countPending(load.data?.checks), isOutdated };
}

export type AttentionLoad = ReturnType<typeof useAttention>;

interface Checks {
  readonly missing: number;
  readonly outdated: number;
}

function countPending(checks: Checks | undefined): number {
  return checks ? checks.missing + checks.outdated : 0;
}
