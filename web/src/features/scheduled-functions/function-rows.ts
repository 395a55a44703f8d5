import type { ScheduledEvent, ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { getResultKind } from '../../apps/functions/function-result.ts';
import { getQualifiedName, latestResultByName } from './latest-results.ts';

/** A row of the table: a function and its last known run. */
export interface FunctionRow {
  readonly id: string;
  readonly event: ScheduledEvent;
  readonly lastResult: ScheduledFunctionResult | null;
}

/**
 * Combines functions with their last runs. A unit may schedule one function twice, so the row id
 * includes the schedule.
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

/** Returns a summary such as "3 scheduled functions, 1 disabled, 1 failed in the last run". */
export function summarize(rows: readonly FunctionRow[]): string {
  const off = rows.filter((row) => row.event.state === 'Disabled').length;
  const failed = rows.filter((row) => row.lastResult && getResultKind(row.lastResult) === 'failed').length;
  const parts = [`${rows.length} ${rows.length === 1 ? 'scheduled function' : 'scheduled functions'}`];
  if (off > 0) parts.push(`${off} disabled`);
  if (failed > 0) parts.push(`${failed} failed in the last run`);
  return parts.join(', ');
}
