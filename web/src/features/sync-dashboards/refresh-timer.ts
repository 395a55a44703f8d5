import { dashboardRefreshMs } from '@portal/contract/sync/dashboards';
import { useEffect, useState } from 'react';
import type { ResultsLoad } from './use-dashboards.ts';

const tickMs = 1000;

export interface RefreshTimer {
  /** The time of the next refresh in epoch milliseconds; null while refreshing or paused. */
  readonly dueMs: number | null;
  readonly isPaused: boolean;
  readonly isRefreshing: boolean;
  pause(isPaused: boolean): void;
  refreshNow(): void;
}

/**
 * Refreshes the results at a fixed interval after the last response, whether it succeeded or
 * failed.
 */
export function useRefreshTimer(load: ResultsLoad): RefreshTimer {
  const { refetch, isFetching } = load;
  const [isPaused, setIsPaused] = useState(false);
  const loadedAtMs = Math.max(load.dataUpdatedAt, load.errorUpdatedAt);
  const dueMs = isPaused || isFetching || loadedAtMs === 0 ? null : loadedAtMs + dashboardRefreshMs;
  useEffect(() => {
    if (dueMs === null) return;
    // Checked on each tick instead of one long timeout: after the computer wakes from sleep, the
    // refresh starts immediately.
    const timer = setInterval(() => Date.now() >= dueMs && void refetch(), tickMs);
    return () => clearInterval(timer);
  }, [dueMs, refetch]);
  return { dueMs, isPaused, isRefreshing: isFetching, pause: setIsPaused, refreshNow: () => void refetch() };
}
