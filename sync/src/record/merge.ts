/**
 * Merges an edit on Journey's side into Helium's row with a three-way merge of the common base,
 * Journey's new state and Helium's current row. Edits of different fields merge. Edits of the same
 * field, or a deletion against an edit, are decided by policy and recorded as a conflict with both
 * values. A deletion that is only supposed, because a list lacks the object or no log names it, has
 * no time: it loses against any edit, whatever the policy.
 */
import { createFields, type Fields, getValue, isEmpty, type Value } from './fields.ts';
import type { Intent } from './record-state.ts';

/**
 * `later`: per field, the later write wins, compared by whole seconds; Helium wins ties. A deletion
 * counts from when it happened, or was first seen.
 */
export type ConflictPolicy = 'later' | 'helium' | 'journey';

/** A record with the fields that are not mapped. */
type WholeRecord = Readonly<Record<string, unknown>>;

export interface Conflict {
  /** null when one side deleted what the other edited. */
  readonly column: string | null;
  /**
   * The field's value; if the column is null, the record with all fields, or null if it is deleted.
   */
  readonly helium: Value | WholeRecord;
  readonly journey: Value | WholeRecord;
  readonly winner: 'helium' | 'journey';
}

export interface Row {
  readonly fields: Fields;
  /** Returns when Helium wrote the present value of a column, in milliseconds. */
  readonly getWrittenAtMs: (column: string) => number;
  /** Columns with a default that no one has entered. */
  readonly untouched?: readonly string[];
}

export interface Edit {
  /** Journey's last state that Helium has; null when there is none. */
  readonly base: Fields | null;
  /** The record after the edit; null when it was deleted. */
  readonly after: Fields | null;
  /** null for a deletion that is only supposed. */
  readonly changedAtMs: number | null;
  /** Whether the record was just listed: then it is alive, whatever is known of a deletion. */
  readonly isListed: boolean;
  /** Our writes that have not come back yet. Journey will hold their values. */
  readonly pending: readonly Intent[];
  /** Journey's expected state before this edit, including all of our writes. */
  readonly expected: Fields | null;
  /** When the record was deleted, or was first seen to be; null when it was not. */
  readonly deletedAtMs: number | null;
  /** Whether Helium's row is missing although no log names its deletion. */
  readonly isMissingUnlogged: boolean;
  /** Columns that Helium computes: what Journey has in them is never written. */
  readonly computed?: readonly string[] | undefined;
}

/** The row stays as it is. null would delete it. */
export const unchanged: unique symbol = Symbol('unchanged');

/** The row after the merge; null when it is deleted. */
export type RowChange = Fields | null | typeof unchanged;

interface MergeResult {
  readonly write: RowChange;
  readonly conflicts: readonly Conflict[];
}

const noChange: MergeResult = { write: unchanged, conflicts: [] };

export function mergeIntoHelium(edit: Edit, row: Row | null, policy: ConflictPolicy): MergeResult {
  if (edit.after === null) return mergeDeletion(edit, row, policy);
  if (row === null) return mergeIntoMissingRow(edit, edit.after, policy);
  return mergeFields(edit, edit.after, row, policy);
}

function mergeDeletion(edit: Edit, row: Row | null, policy: ConflictPolicy): MergeResult {
  if (row === null) return noChange;
  const edited = findEditedColumns(edit, row.fields);
  if (edited.length === 0) return { write: null, conflicts: [] };
  const winner =
    edit.changedAtMs === null
      ? 'helium'
      : pickWinner(policy, Math.max(...edited.map(row.getWrittenAtMs)), edit.changedAtMs);
  const conflict: Conflict = { column: null, helium: row.fields, journey: null, winner };
  return { write: winner === 'journey' ? null : unchanged, conflicts: [conflict] };
}

/**
 * Returns the columns that Helium has edited and Journey does not have yet; all when it is not
 * known which.
 */
function findEditedColumns({ base, expected, pending, computed = [] }: Edit, row: Fields): string[] {
  if (expected === null) return Object.keys(row);
  const live = pending.filter(({ stage }) => stage !== 'superseded');
  // A column that was never synced counts as empty.
  const isChanged = (column: string) => row[column] !== getValue(expected, column);
  const edited = Object.keys(row).filter(
    (column) =>
      (isChanged(column) && !computed.includes(column)) || live.some((intent) => changes(intent, column, base ?? {})),
  );
  return edited.length === 0 && live.length > 0 ? Object.keys(row) : edited;
}

/** Merges into a row that does not exist: it never did, or it was deleted in Helium. */
function mergeIntoMissingRow(edit: Edit, after: Fields, policy: ConflictPolicy): MergeResult {
  const journeyAtMs = edit.changedAtMs ?? 0;
  if (edit.base === null) {
    // An update from before the known deletion that arrives after it restores nothing.
    const isStale = !edit.isListed && edit.deletedAtMs !== null && journeyAtMs < wholeSeconds(edit.deletedAtMs);
    return isStale ? noChange : { write: after, conflicts: findOverruled(edit, after) };
  }
  // Journey only repeats what is known: whether that is a deletion is decided for the whole table.
  if (edit.isMissingUnlogged && !isEdited(edit.base, after)) return noChange;
  const winner = edit.isMissingUnlogged ? 'journey' : pickWinner(policy, edit.deletedAtMs ?? 0, journeyAtMs);
  const conflict: Conflict = { column: null, helium: null, journey: after, winner };
  return { write: winner === 'journey' ? after : unchanged, conflicts: [conflict] };
}

/** Returns the values of a new object that Helium computes instead. */
function findOverruled({ computed = [] }: Edit, after: Fields): Conflict[] {
  return computed.flatMap((column): Conflict[] => {
    const journey = getValue(after, column);
    return journey === null ? [] : [{ column, helium: null, journey, winner: 'helium' }];
  });
}

/** Whether Journey has changed a value. A column that was never synced counts as empty. */
function isEdited(base: Fields, after: Fields): boolean {
  return Object.keys(after).some((column) => getValue(after, column) !== getValue(base, column));
}

function mergeFields(edit: Edit, after: Fields, row: Row, policy: ConflictPolicy): MergeResult {
  const base = edit.base ?? {};
  const isPending = (column: string) =>
    edit.pending.some((intent) => intent.stage !== 'superseded' && changes(intent, column, base));
  const written = createFields();
  const conflicts: Conflict[] = [];
  for (const [column, journey] of Object.entries(after)) {
    // A column that was never synced counts as empty: the side without a value takes the other
    // side's.
    const before = getValue(base, column);
    const helium = getValue(row.fields, column);
    if (journey === before || journey === helium) continue;
    if (edit.computed?.includes(column)) {
      conflicts.push({ column, helium, journey, winner: 'helium' });
      continue;
    }
    // A default that no one has entered, of a column that was never synced, counts as empty too.
    const isDefault = !Object.hasOwn(base, column) && row.untouched?.includes(column) === true;
    if ((helium === before || isDefault) && !isPending(column)) {
      written[column] = journey;
      continue;
    }
    const winner = pickWinner(policy, row.getWrittenAtMs(column), edit.changedAtMs ?? 0);
    conflicts.push({ column, helium, journey, winner });
    if (winner === 'journey') written[column] = journey;
  }
  return { write: isEmpty(written) ? unchanged : { ...row.fields, ...written }, conflicts };
}

/** Whether our write changes a column. A put also contains unchanged and empty columns. */
function changes({ method, fields }: Intent, column: string, base: Fields): boolean {
  if (method === 'patch') return Object.hasOwn(fields, column);
  if (method === 'delete') return true;
  const value = getValue(fields, column);
  return value !== null && value !== getValue(base, column);
}

function pickWinner(policy: ConflictPolicy, heliumAtMs: number, journeyAtMs: number): 'helium' | 'journey' {
  if (policy !== 'later') return policy;
  return wholeSeconds(heliumAtMs) >= wholeSeconds(journeyAtMs) ? 'helium' : 'journey';
}

/** Journey does not store fractions of a second. */
function wholeSeconds(millis: number): number {
  return Math.floor(millis / 1000) * 1000;
}
