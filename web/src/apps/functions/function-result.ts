import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';

type ResultKind = 'running' | 'ok' | 'failed';

/**
 * Classifies a run. A run with an exception failed even if it never finished: it was interrupted.
 */
export function getResultKind(result: ScheduledFunctionResult): ResultKind {
  if (result.exception !== null && result.exception !== '') return 'failed';
  return result.finished === null ? 'running' : 'ok';
}

/**
 * Returns the duration in milliseconds, or null while running. Never negative, even with clock
 * skew.
 */
export function getDurationMs(result: ScheduledFunctionResult): number | null {
  if (result.finished === null) return null;
  const durationMs = Date.parse(result.finished) - Date.parse(result.started);
  return Number.isFinite(durationMs) ? Math.max(0, durationMs) : null;
}

/** Returns the first line of an exception, for a table cell. */
export function getFirstLine(exception: string): string {
  return exception.trim().split(/\r?\n/, 1)[0] ?? '';
}
