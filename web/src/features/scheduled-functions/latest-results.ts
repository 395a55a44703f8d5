import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';

/** Returns 'unit:event', the name used by the toggle call and the results. */
export function getQualifiedName(event: { readonly unit: string; readonly event: string }): string {
  return `${event.unit}:${event.event}`;
}

/**
 * Returns the result that started last for each qualified name, whatever the order of the input.
 */
export function latestResultByName(
  results: readonly ScheduledFunctionResult[],
): ReadonlyMap<string, ScheduledFunctionResult> {
  const latest = new Map<string, ScheduledFunctionResult>();
  for (const result of results) {
    const known = latest.get(result.qualifiedName);
    if (!known || Date.parse(known.started) < Date.parse(result.started)) latest.set(result.qualifiedName, result);
  }
  return latest;
}
