import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';

type ResultKind = 'running' | 'ok' | 'failed';

/** A function that wrote an exception failed, finished or not: an interrupted one has no end. */
export function kindOfResult(result: ScheduledFunctionResult): ResultKind {
  if (result.exception !== null && result.exception !== '') return 'failed';
  return result.finished === null ? 'running' : 'ok';
}

/**
 * Milliseconds from start to end, null while it runs; never negative, even where two clocks
 * disagree.
 */
export function tookMsOf(result: ScheduledFunctionResult): number | null {
  if (result.finished === null) return null;
  const tookMs = Date.parse(result.finished) - Date.parse(result.started);
  return Number.isFinite(tookMs) ? Math.max(0, tookMs) : null;
}

/** The first line of an exception, for a table cell; the whole of it is in the modal. */
export function headlineOf(exception: string): string {
  return exception.trim().split(/\r?\n/, 1)[0] ?? '';
}
