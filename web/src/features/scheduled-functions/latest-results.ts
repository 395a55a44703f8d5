import type { ScheduledFunctionResult } from '@portal/contract/scheduled-functions';

/** 'unit:event', as the toggle call takes it and the results name it. */
export function getQualifiedName(event: { readonly unit: string; readonly event: string }): string {
  return `${event.unit}:${event.event}`;
}

/** The result that started last, by qualified name; results may come in any order. */
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
