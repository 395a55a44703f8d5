/**
 * Compares one op-log entry with what is known of its record and with Helium's row: it is an echo
 * of our own write, or an edit on Journey's side.
 *
 *   entry ──▶ one of our intents explains it? ──yes──▶ crossed off, nothing written
 *                     │ no, or the record is held back
 *                     ▼
 *              merged into Helium's row ──▶ Helium and Journey still differ? ──▶ dirty:
 *                                                           the other direction reads it again
 */
import { type Fields, sameFields } from './fields.ts';
import {
  type Conflict,
  type ConflictPolicy,
  type Edit,
  mergeIntoHelium,
  type Row,
  type RowChange,
  unchanged,
} from './merge.ts';
import { afterWrite, crossOff, expectedFields, findOwnWrite, type RecordState } from './record-state.ts';

interface Entry {
  /** The record after it; null: deleted. */
  readonly fields: Fields | null;
  readonly operation: 'create' | 'update' | 'delete';
  readonly changedAtMs: number;
}

export interface Applied {
  readonly state: RecordState;
  readonly write: RowChange;
  readonly conflicts: readonly Conflict[];
  /** Whether the other direction must read this record, though its change log may not name it. */
  readonly isDirty: boolean;
  readonly isEcho: boolean;
}

interface Before {
  readonly state: RecordState;
  /** Set while the record is held back. */
  readonly held?: Held | undefined;
  readonly row: Row | null;
}

interface Held {
  /** Journey's last state that Helium has; null: none. */
  readonly base: Fields | null;
}

export function applyEntry(before: Before, entry: Entry, policy: ConflictPolicy): Applied {
  const { state, held, row } = before;
  if (held) return applyHeldEntry(state, held, row, entry, policy);
  const echo = applyEcho(state, entry);
  if (echo) return { ...echo, write: unchanged, conflicts: [], isEcho: true };
  const edit = { base: state.journey, expected: expectedFields(state), pending: state.intents };
  return { ...applyEdit(state, edit, row, entry, policy), isEcho: false };
}

/** An echo is merged too: what is held back is still missing in Helium. */
function applyHeldEntry(
  state: RecordState,
  held: Held,
  row: Row | null,
  entry: Entry,
  policy: ConflictPolicy,
): Applied {
  const own = findOwnWrite(state.journey, entry.fields, state.intents);
  const base = own ? afterWrite(held.base, own) : held.base;
  const pending = own ? crossOff(state.intents, own) : state.intents;
  const edit = { base, expected: base, pending };
  return { ...applyEdit(state, edit, row, entry, policy), isEcho: own !== undefined };
}

function applyEdit(
  state: RecordState,
  edit: Pick<Edit, 'base' | 'expected' | 'pending'>,
  row: Row | null,
  entry: Entry,
  policy: ConflictPolicy,
): Omit<Applied, 'isEcho'> {
  // A record that was created again on purpose has nothing to do with the deletion before.
  const isCreatedAgain = entry.operation === 'create' && state.journey === null && !hasDelete(state);
  const deletedAtMs = isCreatedAgain ? null : state.deletedAtMs;
  const whole = { ...edit, after: entry.fields, changedAtMs: entry.changedAtMs, deletedAtMs };
  const { write, conflicts } = mergeIntoHelium(whole, row, policy);
  const next = stateAfter(state, entry, edit.pending);
  const helium = write === unchanged ? (row?.fields ?? null) : write;
  return { state: next, write, conflicts, isDirty: !sameFields(helium, expectedFields(next)) };
}

/** Applies an entry that is our write or repeats what is known; undefined when it is an edit. */
export function applyEcho(state: RecordState, entry: Entry): Pick<Applied, 'state' | 'isDirty'> | undefined {
  const own = findOwnWrite(state.journey, entry.fields, state.intents);
  // A ghost landed after the write that replaced it, so that one has to be sent again.
  if (own) return { state: stateAfter(state, entry, crossOff(state.intents, own)), isDirty: own.stage === 'ghost' };
  if (sameFields(state.journey, entry.fields)) {
    return { state: stateAfter(state, entry, state.intents), isDirty: false };
  }
  return undefined;
}

function hasDelete(state: RecordState): boolean {
  return state.intents.some(({ method }) => method === 'delete');
}

function stateAfter(state: RecordState, entry: Entry, intents: RecordState['intents']): RecordState {
  const deletedAtMs = entry.fields === null ? entry.changedAtMs : hasDelete(state) ? state.deletedAtMs : null;
  return { journey: entry.fields, intents, deletedAtMs };
}
