/**
 * Decides what to do with a record, or a column of it, of which nothing is known, when Helium sends
 * it and Journey has it already. Without a common base, it is unknown which side edited it.
 */
import { createFields, type Fields, getValue } from './fields.ts';
import type { Conflict, ConflictPolicy } from './merge.ts';

interface SendingMerge {
  /** What counts as known of Journey's object, so that only Helium's differing values are sent. */
  readonly known: Fields;
  readonly conflicts: readonly Conflict[];
}

/**
 * Merges for a table whose changes in Journey are not read: Helium's values win, and Journey keeps
 * what Helium has no value for. That counts as empty in both, so that no later write clears it.
 *
 * @param before what was known of some columns, which stay as they are
 * @param untouched columns with a default that no one has entered: Journey keeps what it has
 * @param unread what is shown to operators for values of Journey that could not be read
 */
export function mergeForSending(
  helium: Fields,
  journey: Fields,
  {
    before,
    unread,
    untouched = [],
  }: { readonly before: Fields; readonly unread: Fields; readonly untouched?: readonly string[] },
): SendingMerge {
  const known = Object.assign(createFields(), before);
  const conflicts: Conflict[] = [];
  for (const [column, value] of Object.entries(helium)) {
    if (Object.hasOwn(before, column)) continue;
    const isDefault = untouched.includes(column) && getValue(journey, column) !== null;
    // Journey counts as equal until someone enters another value.
    if (isDefault) {
      known[column] = value;
      continue;
    }
    const other = value === null ? null : getValue(journey, column);
    known[column] = other;
    const shown = Object.hasOwn(journey, column) ? other : getValue(unread, column);
    if (value === null || shown === null || shown === value) continue;
    conflicts.push({ column, helium: value, journey: shown, winner: 'helium' });
  }
  return { known, conflicts };
}

export interface MergedDeletion {
  readonly winner: Conflict['winner'];
  readonly conflict: Conflict | null;
}

/**
 * Decides on a record that was deleted in Helium. An edit in Journey after that is a conflict, by
 * whole seconds; an earlier one is not.
 */
export function mergeDeletion(
  deletedAtMs: number,
  { fields, changedAtMs }: { readonly fields: Fields | null; readonly changedAtMs: number | null },
  policy: ConflictPolicy,
): MergedDeletion {
  if (changedAtMs === null || changedAtMs <= deletedAtMs) return { winner: 'helium', conflict: null };
  const winner = policy === 'helium' ? 'helium' : 'journey';
  return { winner, conflict: { column: null, helium: null, journey: fields, winner } };
}
