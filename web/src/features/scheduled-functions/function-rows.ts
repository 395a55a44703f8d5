import type { ScheduledEvent, ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { getResultKind } from '../../shared/function-result.ts';
import { getQualifiedName, latestResultByName } from './latest-results.ts';

/** A row of the table: a function and its last run, where one is known. */
export interface FunctionRow {
  readonly id: string;
  readonly event: ScheduledEvent;
  readonly lastResult: ScheduledFunctionResult | null;
}

/**
 * Functions with their last runs. A unit may schedule one function twice: the schedule keeps the
 * rows apart.
 */
export function toFunctionRows(
  events: readonly ScheduledEvent[],
  results: readonly ScheduledFunctionResult[],
): FunctionRow[] {
  const latest = latestResultByName(results);
  return events.map((event) => {
    const name = getQualifiedName(event);
    return { id: `${name} ${event.schedule}`, event, lastResult: latest.get(name) ?? null };
  });
}

/**
 * "3 scheduled functions, 1 switched off, 1 failed when it last ran": what one wants to know first.
 */
export function summarize(rows: readonly FunctionRow[]): string {
  const off = rows.filter((row) => row.event.state === 'Disabled').length;
  const failed = rows.filter((row) => row.lastResult && getResultKind(row.lastResult) === 'failed').length;
  const parts = [`${rows.length} ${rows.length === 1 ? 'scheduled function' : 'scheduled functions'}`];
  if (off > 0) parts.push(`${off} switched off`);
  if (failed > 0) parts.push(`${failed} failed when last run`);
  return parts.join(', ');
}
