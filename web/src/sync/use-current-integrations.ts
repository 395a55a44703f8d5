import type { SyncIntegration } from '@portal/contract/sync/integration';
import { useMemo } from 'react';
import { CallProblem } from '../api/call-problem.ts';
import { useNow } from '../api/use-now.ts';
import { markOutdated, maxOverdueMs } from './outdated-integrations.ts';

interface Load {
  readonly data: readonly SyncIntegration[] | undefined;
  readonly error: unknown;
  /** Epoch milliseconds. */
  readonly dataUpdatedAt: number;
}

const tickMs = 5_000;

/**
 * Returns the integrations as loaded, or marked as outdated when the last refresh failed or is
 * overdue.
 *
 * @param refreshMs how often they are refreshed; null when it is up to the user
 */
export function useCurrentIntegrations(
  { data, error, dataUpdatedAt }: Load,
  refreshMs: number | null,
): readonly SyncIntegration[] | undefined {
  useNow(tickMs);
  const nowMs = Date.now();
  const isOverdue = refreshMs !== null && nowMs - dataUpdatedAt > refreshMs + maxOverdueMs;
  const isOutdated = error !== null || isOverdue;
  // A row is drawn again when its text changes, not with each render.
  const tick = isOutdated ? Math.floor(nowMs / tickMs) : null;
  const part = (error instanceof CallProblem ? error.unavailable : undefined) ?? 'the portal';
  return useMemo(
    () => (data && tick !== null ? markOutdated(data, { sinceMs: dataUpdatedAt, nowMs: Date.now(), part }) : data),
    [data, tick, dataUpdatedAt, part],
  );
}
