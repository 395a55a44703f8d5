import { dashboardRefreshMs } from '@portal/contract/sync-dashboards';
import { useEffect, useState } from 'react';
import type { ResultsLoad } from './use-dashboards.ts';

const tickMs = 1000;

export interface RefreshTimer {
  /** When the results are asked for again; null while that is under way, or paused. */
  readonly dueMs: number | null;
  readonly isPaused: boolean;
  readonly isRefreshing: boolean;
  pause(isPaused: boolean): void;
  refreshNow(): void;
}

/**
 * Asks for the results again when it is due, counted from the last answer, be it a good or a bad
 * one.
 */
export function useRefreshTimer(load: ResultsLoad): RefreshTimer {
  const { refetch, isFetching } = load;
  const [isPaused, setIsPaused] = useState(false);
  const loadedAtMs = Math.max(load.dataUpdatedAt, load.errorUpdatedAt);
  const dueMs = isPaused || isFetching || loadedAtMs === 0 ? null : loadedAtMs + dashboardRefreshMs;
  useEffect(() => {
    if (dueMs === null) return;
    // Looked at on each beat instead of waited for once: a computer that slept is late at once.
    const timer = setInterval(() => Date.now() >= dueMs && void refetch(), tickMs);
    return () => clearInterval(timer);
  }, [dueMs, refetch]);
  return { dueMs, isPaused, isRefreshing: isFetching, pause: setIsPaused, refreshNow: () => void refetch() };
}

/** '4:59', counted down to 0:00. */
export function formatCountdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
