import { findEntryPointError, formatEntryPoint, parseEntryPoint, viewScope } from '@portal/contract/app-config';
import { formatMinutes, getTimeoutMins } from './entry-points.ts';

type TimeoutMinsByKey = Readonly<Record<string, number>>;

/** The fields of the form. `unit` is kept while the user switches to views. */
export interface EntryPointFields {
  readonly isView: boolean;
  readonly unit: string;
  readonly name: string;
  readonly timeoutMins: number;
}

export type InvalidField = 'scope' | 'name' | 'timeout';

/** Returns the initial fields; `oldEntryPoint` is null for a new entry point. */
export function getInitialFields(oldEntryPoint: string | null, timeoutMinsByKey: TimeoutMinsByKey): EntryPointFields {
  if (oldEntryPoint === null) return { isView: false, unit: '', name: '', timeoutMins: 0 };
  const { scope, name } = parseEntryPoint(oldEntryPoint);
  const isView = scope === viewScope;
  return { isView, unit: isView ? '' : scope, name, timeoutMins: getTimeoutMins(timeoutMinsByKey, oldEntryPoint) ?? 0 };
}

/**
 * Validates the fields and compares them with the stored timeouts.
 *
 * @param openedMins the timeout of `oldEntryPoint` that the user has seen; null for a new one
 */
export function checkEntryPoint(
  { isView, unit, name, timeoutMins }: EntryPointFields,
  oldEntryPoint: string | null,
  timeoutMinsByKey: TimeoutMinsByKey,
  openedMins: number | null,
) {
  const draft = { scope: isView ? viewScope : unit, name, timeoutMins };
  const entryPoint = formatEntryPoint(draft);
  const text = findEntryPointError(draft);
  const field: InvalidField = draft.scope.trim() === '' ? 'scope' : name.trim() === '' ? 'name' : 'timeout';
  const isNew = oldEntryPoint === null;
  const storedMins = getTimeoutMins(timeoutMinsByKey, oldEntryPoint ?? entryPoint);
  // A change to the value of this form, such as its own save, overwrites nothing.
  const seenMins = storedMins === timeoutMins ? storedMins : openedMins;
  return {
    entryPoint,
    /**
     * The value that the user has seen: a change by another user must not be overwritten unnoticed.
     */
    expected: isNew ? storedMins : seenMins,
    /** The timeout that another user has saved since; null if there is none. */
    changedMins: isNew || storedMins === seenMins ? null : storedMins,
    error: text === null ? null : { field, text },
    isTaken: !isNew && entryPoint !== oldEntryPoint && getTimeoutMins(timeoutMinsByKey, entryPoint) !== null,
    /** The timeout that is stored now; null if there is none. */
    storedMins,
    // As soon as the name is known, because saving would replace what is stored.
    summary:
      isNew && text !== null && field !== 'timeout'
        ? ''
        : summarize(oldEntryPoint, entryPoint, { storedMins, seenMins }),
  };
}

/** Describes the stored value, so that users do not overwrite a value they have not seen. */
function summarize(
  oldEntryPoint: string | null,
  entryPoint: string,
  { storedMins, seenMins }: { readonly storedMins: number | null; readonly seenMins: number | null },
): string {
  if (storedMins === null) return oldEntryPoint === null ? '' : `${oldEntryPoint} was removed by another user.`;
  const minutes = formatMinutes(storedMins);
  if (oldEntryPoint === null) return `${entryPoint} is already set to ${minutes}; saving replaces it.`;
  if (seenMins !== null && storedMins !== seenMins)
    return `Another user changed it from ${formatMinutes(seenMins)} to ${minutes}, after you opened it.`;
  return entryPoint === oldEntryPoint ? `Currently ${minutes}.` : `Replaces ${oldEntryPoint}.`;
}
