/**
 * Decides whether an op-log entry is an echo of our own write or an edit on Journey's side, given
 * the record's known state and Helium's row.
 *
 *   entry ──▶ one of our intents explains it? ──yes──▶ consumed, nothing written
 *                     │ no, or the record is held
 *                     ▼
 *              merged into Helium's row ──▶ Helium and Journey still differ? ──▶ dirty:
 *                                                           the other direction reads it again
 */
import { areFieldsEqual, type Fields, getValue } from './fields.ts';
import { isFromJourney, withJourneyValues, withSentTimes } from './helium-times.ts';
import {
  type Conflict,
  type ConflictPolicy,
  type Edit,
  mergeIntoHelium,
  type Row,
  type RowChange,
  unchanged,
} from './merge.ts';
import {
  applyWrite,
  expectedFields,
  findOwnWrite,
  type Intent,
  type RecordState,
  removeConsumed,
} from './record-state.ts';
import { addUnconfirmed } from './unconfirmed-writes.ts';

export interface TimedEntry {
  /** The record after the entry; null when it was deleted. */
  readonly fields: Fields | null;
  readonly operation: 'create' | 'update' | 'delete';
  /** null for a deletion that is only supposed. */
  readonly changedAtMs: number | null;
  /** Columns with a file of which the content is not known: `fields` has what was known before. */
  readonly files?: readonly string[] | undefined;
  /** Columns that Helium computes. */
  readonly computed?: readonly string[] | undefined;
  /** Whether it comes from a listing instead of the op-log. */
  readonly isListed?: boolean;
  /** Whether it was written after everything that the intent did. */
  readonly isAfter?: ((intent: Intent) => boolean) | undefined;
}

export interface EntryResult {
  readonly state: RecordState;
  readonly write: RowChange;
  readonly conflicts: readonly Conflict[];
  /** Whether the other direction must read this record, though its change log may not name it. */
  readonly isDirty: boolean;
  readonly isEcho: boolean;
  /** Our write that the entry is the echo of. */
  readonly own?: Intent | undefined;
}

interface RecordBefore {
  readonly state: RecordState;
  /** Set while the record is held. */
  readonly held?: Held | undefined;
  readonly row: Row | null;
  /** Whether the row is missing although no log names its deletion. */
  readonly isMissingUnlogged?: boolean;
}

interface SeenRow {
  readonly row: Pick<Row, 'fields'> | null;
}

export interface Held {
  /** Journey's last state that Helium has; null when there is none. */
  readonly base: Fields | null;
}

export function applyEntry(before: RecordBefore, entry: TimedEntry, policy: ConflictPolicy): EntryResult {
  const { held, row, isMissingUnlogged = false } = before;
  if (held) {
    const state = withoutPast(before.state, entry, 'superseded');
    return applyHeldEntry({ state, held, row, isMissingUnlogged }, entry, policy);
  }
  const doubtful = findDoubtful(before, entry);
  const echo = applyEcho(before.state, entry, doubtful.length > 0);
  // A missing row that no log names is not sent as a deletion: it is decided for the whole table.
  const isLost = row === null && isMissingUnlogged && entry.fields !== null;
  if (echo) {
    const { state, own } = echo;
    return { state, own, isDirty: echo.isDirty && !isLost, write: unchanged, conflicts: doubtful, isEcho: true };
  }
  const state = withoutPast(withoutPast(before.state, entry, 'superseded'), entry, 'acknowledged');
  const edit = {
    base: state.journey,
    expected: expectedFields(state),
    pending: state.intents,
    isMissingUnlogged,
    isHeld: false,
  };
  return { ...applyEdit(state, edit, row, entry, policy), isEcho: false, own: undefined };
}

/**
 * Returns the values of an entry that one of our superseded writes explains, where it only replaces
 * values of devices that Helium has. The write may have landed late, or a device has restored what
 * was there before. Helium's values are sent again, so both are listed, and the write may still
 * land.
 */
function findDoubtful({ state: before, row }: Pick<RecordBefore, 'state'> & SeenRow, entry: TimedEntry): Conflict[] {
  const state = withoutPast(before, entry, 'superseded');
  const { fields: after } = entry;
  if (row === null || after === null || findOwn(state, entry)?.stage !== 'superseded') return [];
  const values = Object.keys(after).flatMap((column) => {
    const [helium, journey] = [getValue(state.journey, column), getValue(after, column)];
    return helium === journey ? [] : [{ column, helium, journey }];
  });
  const isOfDevice = values.every(
    ({ column, helium }) => helium === getValue(row.fields, column) && isFromJourney(state, column, helium),
  );
  return isOfDevice ? values.map((one) => ({ ...one, winner: 'helium' })) : [];
}

function findOwn({ journey, intents }: RecordState, { fields, files = [] }: TimedEntry): Intent | undefined {
  const own = findOwnWrite(journey, fields, intents);
  // What created an object with a file has not left the field empty.
  const isOther = journey === null && files.some((column) => getValue(own?.fields, column) === null);
  return isOther ? undefined : own;
}

/** Removes the writes whose echoes would have come before this entry. */
function withoutPast(state: RecordState, { isAfter }: TimedEntry, stage: Intent['stage']): RecordState {
  const past = isAfter ? state.intents.filter((intent) => intent.stage === stage && isAfter(intent)) : [];
  if (past.length === 0) return state;
  const intents = state.intents.filter((intent) => !past.includes(intent));
  return { ...state, intents, journey: stage === 'acknowledged' ? addUnconfirmed(state.journey, past) : state.journey };
}

export interface DeferredEntry {
  readonly state: RecordState;
  /** Set once Helium lacks something; see `Held`. */
  readonly held: Held | undefined;
  /** Edits that one of our writes replaced in Journey: only the last state is merged later. */
  readonly conflicts: readonly Conflict[];
  readonly isDirty: boolean;
  readonly isEcho: boolean;
}

/**
 * Takes in an entry of a record whose row cannot be locked now, to be merged when it can. What
 * Helium already has, up to the first edit, moves the base.
 */
export function deferEntry(
  { state: before, held, row }: Pick<RecordBefore, 'state' | 'held'> & SeenRow,
  entry: TimedEntry,
): DeferredEntry {
  const doubtful = findDoubtful({ state: before, row }, entry);
  const echo = held ? undefined : applyEcho(before, entry, doubtful.length > 0);
  if (echo) return { state: echo.state, held, conflicts: doubtful, isDirty: echo.isDirty, isEcho: true };
  const open = withoutPast(before, entry, 'superseded');
  const own = findOwn(open, entry);
  const state = own ? open : withoutPast(open, entry, 'acknowledged');
  const base = held ? held.base : state.journey;
  return {
    state: getNextState(state, entry, own && doubtful.length === 0 ? withoutOwn(state, own) : state),
    held: { base: own ? applyWrite(base, own) : base },
    conflicts: [...(own ? findReplacedEdits(base, state.journey, entry.fields) : []), ...doubtful],
    isDirty: false,
    isEcho: own !== undefined,
  };
}

/**
 * @param edited Journey's state after the edits that follow the base
 * @param written the same after our write
 */
function findReplacedEdits(base: Fields | null, edited: Fields | null, written: Fields | null): Conflict[] {
  if (areFieldsEqual(base, edited)) return [];
  if (edited === null || written === null)
    return [{ column: null, helium: written, journey: edited, winner: 'helium' }];
  return Object.entries(edited).flatMap(([column, journey]): Conflict[] => {
    const helium = getValue(written, column);
    if (journey === getValue(base, column) || journey === helium) return [];
    return [{ column, helium, journey, winner: 'helium' }];
  });
}

/** Echoes are merged too, because Helium still lacks the state that is held. */
function applyHeldEntry(
  { state, held, row, isMissingUnlogged }: Required<RecordBefore> & { readonly held: Held },
  entry: TimedEntry,
  policy: ConflictPolicy,
): EntryResult {
  const own = findOwn(state, entry);
  const doubtful = findDoubtful({ state, row }, entry);
  const base = own ? applyWrite(held.base, own) : held.base;
  const isConsumed = own && doubtful.length === 0;
  const { intents: pending, edits } = isConsumed ? withoutOwn(state, own) : withoutPast(state, entry, 'acknowledged');
  const edit = { base, expected: base, pending, isMissingUnlogged, isHeld: true };
  const applied = applyEdit({ ...state, edits }, edit, row, entry, policy);
  return { ...applied, conflicts: [...applied.conflicts, ...doubtful], isEcho: own !== undefined, own };
}

function applyEdit(
  state: RecordState,
  edit: Pick<Edit, 'base' | 'expected' | 'pending' | 'isMissingUnlogged'> & { readonly isHeld: boolean },
  row: Row | null,
  entry: TimedEntry,
  policy: ConflictPolicy,
): Omit<EntryResult, 'isEcho' | 'own'> {
  // A record that was created again on purpose is independent of its earlier deletion.
  const isCreatedAgain = entry.operation === 'create' && state.journey === null && !hasDelete(state);
  const deletedAtMs = isCreatedAgain ? null : state.deletedAtMs;
  const { fields: after, changedAtMs, computed, isListed = false } = entry;
  const { base, expected, pending, isMissingUnlogged, isHeld } = edit;
  const { write, conflicts } = mergeIntoHelium(
    { base, expected, pending, isMissingUnlogged, after, changedAtMs, isListed, deletedAtMs, computed },
    row,
    policy,
  );
  const next = getNextState(state, entry, { intents: pending, edits: state.edits });
  const helium = write === unchanged ? (row?.fields ?? null) : write;
  // A missing row that no log names is not sent as a deletion: it is decided for the whole table.
  const isLeft = isMissingUnlogged && helium === null && after !== null;
  const isDirty = !isLeft && !areFieldsEqual(helium, expectedFields(next));
  // The deletion in Helium stands, until Journey has it too.
  if (helium === null && after !== null) return { state: { ...next, deletedAtMs }, write, conflicts, isDirty };
  // If none of our writes is on its way, both sides already have Journey's values.
  const isWritten = write !== unchanged && write !== null && (isDirty || isHeld || pending.length > 0);
  if (!isWritten) return { state: next, write, conflicts, isDirty };
  const edits = withJourneyValues(state.edits, row?.fields ?? null, write);
  return { state: { ...next, edits }, write, conflicts, isDirty };
}

/**
 * Applies an entry that is our write or repeats the known state; returns undefined for an edit.
 *
 * @param isDoubtful whether our write may still land
 */
export function applyEcho(
  before: RecordState,
  entry: TimedEntry,
  isDoubtful = false,
): Pick<EntryResult, 'state' | 'isDirty' | 'own'> | undefined {
  const state = withoutPast(before, entry, 'superseded');
  const own = findOwn(state, entry);
  // A superseded write landed after the write that replaced it, so the later one must be sent
  // again.
  if (own)
    return {
      state: getNextState(
        state,
        entry,
        isDoubtful ? state : withoutOwn(state, own),
        own.row?.tstampMs ?? state.tstampMs,
      ),
      isDirty: own.stage === 'superseded',
      own,
    };
  if (areFieldsEqual(state.journey, entry.fields)) {
    return { state: getNextState(state, entry, state), isDirty: false };
  }
  return undefined;
}

function hasDelete(state: RecordState): boolean {
  return state.intents.some(({ method }) => method === 'delete');
}

type Unsettled = Pick<RecordState, 'intents' | 'edits'>;

/** Returns what remains after the echo of our write. */
function withoutOwn(state: RecordState, own: Intent): Unsettled {
  const intents = removeConsumed(state.intents, own);
  return { intents, edits: withSentTimes(state.edits, own, intents) };
}

function getNextState(
  state: RecordState,
  entry: TimedEntry,
  { intents, edits }: Unsettled,
  tstampMs = state.tstampMs,
): RecordState {
  const deletedAtMs = entry.fields === null ? entry.changedAtMs : hasDelete(state) ? state.deletedAtMs : null;
  return { journey: entry.fields, intents, deletedAtMs, tstampMs, edits };
}
