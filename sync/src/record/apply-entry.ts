/**
 * One op-log entry against what is known of its record and against Helium's row: an echo of ours, or somebody's edit.
 *
 *   entry ──▶ one of our intents explains it? ──yes──▶ crossed off, nothing written
 *                     │ no
 *                     ▼
 *              merged into Helium's row ──▶ Helium and Journey still differ? ──▶ dirty: the other direction looks again
 */
import { type Fields, sameFields } from './fields.ts';
import { type Conflict, type ConflictPolicy, mergeIntoHelium, type Row } from './merge.ts';
import { afterWrite, crossOff, expectedOf, findOwnWrite, type RecordState } from './record-state.ts';

export interface Entry {
  /** The record after it; null: deleted. */
  readonly fields: Fields | null;
  readonly operation: 'create' | 'update' | 'delete';
  readonly changedAtMs: number;
}

export interface Applied {
  readonly state: RecordState;
  /** What Helium's row shall be: null gone, undefined as it is. */
  readonly write: Fields | null | undefined;
  readonly conflicts: readonly Conflict[];
  /** Whether the other direction has to look at this record though its change log may not say so. */
  readonly isDirty: boolean;
  readonly isEcho: boolean;
}

export interface Before {
  readonly state: RecordState;
  /** Set while the record is held back: what Helium has of Journey's side. */
  readonly heldBase?: Fields | null;
  readonly row: Row | null;
}

export function applyEntry({ state, heldBase, row }: Before, entry: Entry, policy: ConflictPolicy): Applied {
  const isHeld = heldBase !== undefined;
  // An echo says nothing of what is held back, which is still to be merged.
  const echo = isHeld ? undefined : applyEcho(state, entry);
  if (echo) return { ...echo, write: undefined, conflicts: [], isEcho: true };
  const own = isHeld ? findOwnWrite(state.journey, entry.fields, state.intents) : undefined;
  const intents = own ? crossOff(state.intents, own) : state.intents;
  const base = isHeld ? (own ? afterWrite(heldBase, own) : heldBase) : state.journey;
  const edit = {
    base,
    after: entry.fields,
    changedAtMs: entry.changedAtMs,
    pending: intents,
    expected: isHeld ? base : expectedOf(state),
    // Made anew on purpose: what was deleted before does not matter.
    deletedAtMs: entry.operation === 'create' && state.journey === null && !hasDelete(state) ? null : state.deletedAtMs,
  };
  const { write, conflicts } = mergeIntoHelium(edit, row, policy);
  const next = moved(state, entry, intents);
  const helium = write === undefined ? (row?.fields ?? null) : write;
  return { state: next, write, conflicts, isDirty: !sameFields(helium, expectedOf(next)), isEcho: own !== undefined };
}

/** What follows when an entry is one of our writes, or says the same again; undefined when it is somebody's edit. */
export function applyEcho(state: RecordState, entry: Entry): Pick<Applied, 'state' | 'isDirty'> | undefined {
  const own = findOwnWrite(state.journey, entry.fields, state.intents);
  // One that came late, after what was sent in its place, has to be written over.
  if (own) return { state: moved(state, entry, crossOff(state.intents, own)), isDirty: own.stage === 'ghost' };
  if (sameFields(state.journey, entry.fields)) return { state: moved(state, entry, state.intents), isDirty: false };
  return undefined;
}

function hasDelete(state: RecordState): boolean {
  return state.intents.some(({ method }) => method === 'delete');
}

function moved(state: RecordState, entry: Entry, intents: RecordState['intents']): RecordState {
  const deletedAtMs = entry.fields === null ? entry.changedAtMs : hasDelete(state) ? state.deletedAtMs : null;
  return { journey: entry.fields, intents, deletedAtMs };
}
