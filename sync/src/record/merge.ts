/**
 * Merges an edit on Journey's side into Helium's row with a three-way merge of the common base,
 * Journey's new state and Helium's current row. Edits of different fields merge. Edits of the same
 * field, or a deletion against an edit, are decided by policy and recorded as a conflict with both
 * values.
 */
import { changedFields, type Fields, isEmpty, type Value } from './fields.ts';
import type { Intent } from './record-state.ts';

/** `later`: the later write wins, compared by whole seconds; Helium wins ties. */
export type ConflictPolicy = 'later' | 'helium' | 'journey';

export interface Conflict {
  /** null when one side deleted what the other edited. */
  readonly column: string | null;
  readonly helium: Value | Fields;
  readonly journey: Value | Fields;
  readonly winner: 'helium' | 'journey';
}

export interface Row {
  readonly fields: Fields;
  readonly changedAtMs: number;
}

export interface Edit {
  /** Journey's last state that Helium has; null when there is none. */
  readonly base: Fields | null;
  /** The record after the edit; null when it was deleted. */
  readonly after: Fields | null;
  readonly changedAtMs: number;
  /** Our writes that have not come back yet. Journey will hold their values. */
  readonly pending: readonly Intent[];
  /** Journey's expected state before this edit, including all of our writes. */
  readonly expected: Fields | null;
  /** When the record was deleted, if known. */
  readonly deletedAtMs: number | null;
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
  const live = edit.pending.some(({ stage }) => stage !== 'superseded');
  const edited = edit.expected === null || live || !isEmpty(changedFields(edit.expected, row.fields));
  if (!edited) return { write: null, conflicts: [] };
  const winner = pickWinner(policy, row.changedAtMs, edit.changedAtMs);
  const conflict: Conflict = { column: null, helium: row.fields, journey: null, winner };
  return { write: winner === 'journey' ? null : unchanged, conflicts: [conflict] };
}

/** Merges into a row that does not exist: it never did, or it was deleted in Helium. */
function mergeIntoMissingRow(edit: Edit, after: Fields, policy: ConflictPolicy): MergeResult {
  if (edit.base === null) {
    // An update from before the known deletion that arrives after it restores nothing.
    const isStale = edit.deletedAtMs !== null && edit.changedAtMs < wholeSeconds(edit.deletedAtMs);
    return isStale ? noChange : { write: after, conflicts: [] };
  }
  // A deletion whose time is unknown wins against an edit.
  const deletedAtMs = edit.deletedAtMs ?? Number.POSITIVE_INFINITY;
  const winner = pickWinner(policy, deletedAtMs, edit.changedAtMs);
  const conflict: Conflict = { column: null, helium: null, journey: after, winner };
  return { write: winner === 'journey' ? after : unchanged, conflicts: [conflict] };
}

function mergeFields(edit: Edit, after: Fields, row: Row, policy: ConflictPolicy): MergeResult {
  const base = edit.base ?? {};
  const isPending = (column: string) =>
    edit.pending.some((intent) => intent.stage !== 'superseded' && changes(intent, column, base));
  const written: Record<string, Value> = {};
  const conflicts: Conflict[] = [];
  for (const [column, journey] of Object.entries(after)) {
    // A column that was never synced counts as empty: the side without a value takes the other
    // side's.
    const before = base[column] ?? null;
    const helium = row.fields[column] ?? null;
    if (journey === before || journey === helium) continue;
    if (helium === before && !isPending(column)) {
      written[column] = journey;
      continue;
    }
    const winner = pickWinner(policy, row.changedAtMs, edit.changedAtMs);
    conflicts.push({ column, helium, journey, winner });
    if (winner === 'journey') written[column] = journey;
  }
  return { write: isEmpty(written) ? unchanged : { ...row.fields, ...written }, conflicts };
}

/** Whether our write changes a column. A put also contains unchanged and empty columns. */
function changes({ method, fields }: Intent, column: string, base: Fields): boolean {
  if (method === 'patch') return column in fields;
  return method === 'delete' || ((fields[column] ?? null) !== null && fields[column] !== base[column]);
}

function pickWinner(policy: ConflictPolicy, heliumAtMs: number, journeyAtMs: number): 'helium' | 'journey' {
  if (policy !== 'later') return policy;
  return wholeSeconds(heliumAtMs) >= wholeSeconds(journeyAtMs) ? 'helium' : 'journey';
}

/** Journey does not store fractions of a second. */
function wholeSeconds(millis: number): number {
  return Math.floor(millis / 1000) * 1000;
}
