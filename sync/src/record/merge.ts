/**
 * Merges an edit on Journey's side into Helium's row, three ways: the base that both had, Journey's
 * new state, Helium's present row. Edits of different fields merge. Edits of the same field, or a
 * deletion against an edit, are decided by policy and recorded as a conflict with both values.
 */
import { changedFields, type Fields, isEmpty, type Value } from './fields.ts';
import type { Intent } from './record-state.ts';

/** `later`: the later write by whole seconds, Helium wins ties. */
export type ConflictPolicy = 'later' | 'helium' | 'journey';

export interface Conflict {
  /** null: one side deleted what the other edited. */
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
  /** Journey's last state that Helium has; null: none. */
  readonly base: Fields | null;
  /** The record after the edit; null: deleted. */
  readonly after: Fields | null;
  readonly changedAtMs: number;
  /** Our writes that have not come back yet: Journey will hold their values. */
  readonly pending: readonly Intent[];
  /** What Journey was expected to hold before this edit, with all of our writes. */
  readonly expected: Fields | null;
  /** When the record was deleted, as far as known. */
  readonly deletedAtMs: number | null;
}

/** The row stays as it is; null would delete it. */
export const unchanged: unique symbol = Symbol('unchanged');

/** What the row becomes; null: it is deleted. */
export type RowChange = Fields | null | typeof unchanged;

interface MergeResult {
  readonly write: RowChange;
  readonly conflicts: readonly Conflict[];
}

const nothing: MergeResult = { write: unchanged, conflicts: [] };

export function mergeIntoHelium(edit: Edit, row: Row | null, policy: ConflictPolicy): MergeResult {
  if (edit.after === null) return mergeDeletion(edit, row, policy);
  if (row === null) return mergeIntoNothing(edit, edit.after, policy);
  return mergeFields(edit, edit.after, row, policy);
}

function mergeDeletion(edit: Edit, row: Row | null, policy: ConflictPolicy): MergeResult {
  if (row === null) return nothing;
  const live = edit.pending.some(({ stage }) => stage !== 'ghost');
  const edited = edit.expected === null || live || !isEmpty(changedFields(edit.expected, row.fields));
  if (!edited) return { write: null, conflicts: [] };
  const winner = pickWinner(policy, row.changedAtMs, edit.changedAtMs);
  const conflict: Conflict = { column: null, helium: row.fields, journey: null, winner };
  return { write: winner === 'journey' ? null : unchanged, conflicts: [conflict] };
}

/** Helium has no such row: it never had one, or it was deleted there. */
function mergeIntoNothing(edit: Edit, after: Fields, policy: ConflictPolicy): MergeResult {
  if (edit.base === null) {
    // An update from before the known deletion that arrives after it restores nothing.
    const isStale = edit.deletedAtMs !== null && edit.changedAtMs < wholeSeconds(edit.deletedAtMs);
    return isStale ? nothing : { write: after, conflicts: [] };
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
    edit.pending.some((intent) => intent.stage !== 'ghost' && changes(intent, column, base));
  const written: Record<string, Value> = {};
  const conflicts: Conflict[] = [];
  for (const [column, journey] of Object.entries(after)) {
    // A column that was never synced counts as empty: the side without a value takes the other's.
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

/** Whether our write changes a column; a put also contains unchanged and empty ones. */
function changes({ method, fields }: Intent, column: string, base: Fields): boolean {
  if (method === 'patch') return column in fields;
  return method === 'delete' || ((fields[column] ?? null) !== null && fields[column] !== base[column]);
}

function pickWinner(policy: ConflictPolicy, heliumAtMs: number, journeyAtMs: number): 'helium' | 'journey' {
  if (policy !== 'later') return policy;
  return wholeSeconds(heliumAtMs) >= wholeSeconds(journeyAtMs) ? 'helium' : 'journey';
}

/** Journey stores no fractions of a second. */
function wholeSeconds(millis: number): number {
  return Math.floor(millis / 1000) * 1000;
}
