/** Columns that an entry of the op-log does not report. */
import type { EntryResult } from '../../../record/apply-entry.ts';
import { createFields, type Fields, getValue, isEmpty, type Value } from '../../../record/fields.ts';
import { unchanged } from '../../../record/merge.ts';
import type { RecordKey } from '../../../record/record-key.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';

/**
 * Fills columns that an entry does not report yet, such as a photo whose upload is not finished,
 * with the values that Journey is known or expected to have.
 */
export function fillMissingColumns(
  context: Pick<SyncContext, 'mapping'>,
  key: RecordKey,
  before: Fields | null,
  fields: Fields | null,
): Fields | null {
  if (fields === null) return null;
  let completed: Record<string, Value> | undefined;
  for (const { column } of findObjectMap(context, key.table)?.fields ?? []) {
    if (Object.hasOwn(fields, column)) continue;
    completed ??= Object.assign(createFields(), fields);
    completed[column] = getValue(before, column);
  }
  return completed ?? fields;
}

/**
 * Keeps the row's values, even empty ones, of columns that an entry does not report: Journey may
 * have nothing else for them.
 */
export function keepUnreportedFields(applied: EntryResult, reported: Fields | null, row: Fields | null): EntryResult {
  const { write, state } = applied;
  if (write === unchanged || !write || !reported || !state.journey) return applied;
  const unreported = createFields();
  for (const column in write) {
    const before = getValue(row, column);
    if (!Object.hasOwn(reported, column) && write[column] !== before) unreported[column] = before;
  }
  if (isEmpty(unreported)) return applied;
  return {
    ...applied,
    write: { ...write, ...unreported },
    state: { ...state, journey: { ...state.journey, ...unreported } },
  };
}
