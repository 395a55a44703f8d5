import { findEntryPointError, formatEntryPoint, parseEntryPoint, viewScope } from '@portal/contract/app-config';
import { minutesText, timeoutMinsOf } from './entry-points.ts';

type TimeoutMinsByKey = Readonly<Record<string, number>>;

/** What the form asks for. `unit` outlives that somebody looks at views. */
export interface EntryPointFields {
  readonly isView: boolean;
  readonly unit: string;
  readonly name: string;
  readonly timeoutMins: number;
}

export type FaultyField = 'scope' | 'name' | 'timeout';

/** What the form begins with; `oldEntryPoint` null for a new entry point. */
export function fieldsOf(oldEntryPoint: string | null, timeoutMinsByKey: TimeoutMinsByKey): EntryPointFields {
  if (oldEntryPoint === null) return { isView: false, unit: '', name: '', timeoutMins: 0 };
  const { scope, name } = parseEntryPoint(oldEntryPoint);
  const isView = scope === viewScope;
  return { isView, unit: isView ? '' : scope, name, timeoutMins: timeoutMinsOf(timeoutMinsByKey, oldEntryPoint) ?? 0 };
}

/** Compares what is filled in with what is stored now. */
export function checkEntryPoint(
  { isView, unit, name, timeoutMins }: EntryPointFields,
  oldEntryPoint: string | null,
  timeoutMinsByKey: TimeoutMinsByKey,
) {
  const draft = { scope: isView ? viewScope : unit, name, timeoutMins };
  const entryPoint = formatEntryPoint(draft);
  const text = findEntryPointError(draft);
  const field: FaultyField = draft.scope.trim() === '' ? 'scope' : name.trim() === '' ? 'name' : 'timeout';
  const isNew = oldEntryPoint === null;
  // What stands on the screen is what the change expects to find: a change by somebody else shows
  // here first.
  const expected = timeoutMinsOf(timeoutMinsByKey, oldEntryPoint ?? entryPoint);
  return {
    entryPoint,
    expected,
    fault: text === null ? null : { field, text },
    isTaken: !isNew && entryPoint !== oldEntryPoint && timeoutMinsOf(timeoutMinsByKey, entryPoint) !== null,
    summary: isNew && text !== null ? '' : summaryOf(oldEntryPoint, entryPoint, expected),
  };
}

/** What stands there now, so that nobody overwrites what they have not seen. */
function summaryOf(oldEntryPoint: string | null, entryPoint: string, storedMins: number | null): string {
  if (storedMins === null) return oldEntryPoint === null ? '' : `${oldEntryPoint} has been removed meanwhile.`;
  const minutes = minutesText(storedMins);
  if (oldEntryPoint === null) return `${entryPoint} is set to ${minutes} already; saving replaces that.`;
  return entryPoint === oldEntryPoint ? `Set to ${minutes} now.` : `Replaces ${oldEntryPoint}.`;
}
