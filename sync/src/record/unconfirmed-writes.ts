/**
 * Decides about our writes that Journey acknowledged and that have not come back in the op-log. The
 * op-log may lag for any time, so its end proves nothing. Its entries are in the order of the
 * writes, so an entry that was written after Journey's answer proves that the echo does not come
 * any more. Where no such entry arrives, Journey's object shows what is under way:
 *
 *   the object has what we wrote ─▶ kept: the write may still explain an echo, nothing is sent
 *   it is as the op-log left it ──▶ superseded: it was changed back, so the record is checked again,
 *                                   and the write may still explain an echo
 *   anything else ────────────────▶ behind: the op-log lacks an edit, which is awaited
 */
import { areFieldsEqual, type Fields } from './fields.ts';
import { applyWrite, type Intent, type RecordState } from './record-state.ts';

/** The clocks of Journey's hosts, and the seconds it stores, may differ by this much. */
export const clockToleranceMs = 1_000;

/** A call that was aborted may still be applied within this time. */
const abortedCallLifetimeMs = 10 * 60_000;

/** What the op-log was read to. All times are Journey's. */
export interface OpLogProof {
  /** When the entry was written; 0 when that is unknown. */
  readonly entryAtMs: number;
  readonly nowMs: number;
  /** The last intent that was acknowledged before the entry was written. */
  readonly acknowledgedBefore: number;
}

/** Whether neither the entry nor a later one can be the echo of our write. */
export function isPast(intent: Pick<Intent, 'number' | 'stage' | 'ageMs'>, proof: OpLogProof): boolean {
  const { entryAtMs, nowMs, acknowledgedBefore } = proof;
  // By a clock that was ahead.
  if (entryAtMs > nowMs) return false;
  if (intent.stage === 'acknowledged') return intent.number <= acknowledgedBefore;
  if (intent.stage === 'sent') return false;
  return (intent.ageMs ?? 0) > getMinPastAgeMs(proof);
}

/** Returns the age in milliseconds above which superseded intents are past. */
export function getMinPastAgeMs({ entryAtMs, nowMs }: OpLogProof): number {
  return nowMs - entryAtMs + abortedCallLifetimeMs + clockToleranceMs;
}

interface UnconfirmedState extends Pick<RecordState, 'journey' | 'intents'> {
  /** Whether the known state only says that the object may exist. */
  readonly isWithoutValues?: boolean;
}

export interface Resolution {
  /** behind: the op-log lacks an edit of the object. */
  readonly verdict: 'confirmed' | 'kept' | 'behind';
  /** Journey's state as it is known afterwards. */
  readonly journey: Fields | null;
  readonly removed: readonly Intent[];
  /** Intents that only explain an echo from now on. */
  readonly superseded: readonly Intent[];
  /** Whether the record is checked again. */
  readonly isDirty: boolean;
}

/** Whether Journey's object decides. */
export function needsObject({ journey, intents }: UnconfirmedState): boolean {
  return !intents.some(isSent) && !areFieldsEqual(journey, intents.filter(isAcknowledged).reduce(applyWrite, journey));
}

/**
 * @param object Journey's object, without the columns that could not be read; null when there is
 * none, undefined when it was not read
 * @param isBeforeOpLog whether the op-log is proven to be past an intent
 */
export function resolveWrites(
  state: UnconfirmedState,
  object: Fields | null | undefined,
  isBeforeOpLog: (intent: Intent) => boolean,
): Resolution {
  const { journey, intents } = state;
  const unconfirmed = intents.filter(isAcknowledged);
  const kept: Resolution = { verdict: 'kept', journey, removed: [], superseded: [], isDirty: false };
  // A write that is under way confirms the earlier ones too.
  if (unconfirmed.length === 0 || intents.some(isSent)) return kept;
  const isProven = unconfirmed.every(isBeforeOpLog);
  const removed: Resolution = { ...kept, verdict: 'confirmed', removed: unconfirmed };
  const written = unconfirmed.reduce(applyWrite, journey);
  if (areFieldsEqual(written, journey)) return isProven ? removed : kept;
  if (object === undefined) return kept;
  if (isAsWritten(object, unconfirmed)) {
    if (isProven) return { ...removed, journey: written };
    return state.isWithoutValues ? { ...kept, journey: written } : kept;
  }
  if (isProven) return { ...removed, journey: addUnconfirmed(journey, unconfirmed), isDirty: true };
  return agrees(object, journey)
    ? { ...kept, verdict: 'confirmed', superseded: unconfirmed, isDirty: true }
    : { ...kept, verdict: 'behind' };
}

/**
 * Returns Journey's state as the op-log shows it, with writes that it acknowledged and whose echoes
 * do not come: they count where nothing else is known of the object.
 */
export function addUnconfirmed(journey: Fields | null, unconfirmed: readonly Intent[]): Fields | null {
  const written = unconfirmed.reduce(applyWrite, journey);
  return written === null || isUnknown(journey) ? written : journey;
}

function isAcknowledged({ stage }: Intent): boolean {
  return stage === 'acknowledged';
}

function isSent({ stage }: Intent): boolean {
  return stage === 'sent';
}

function isAsWritten(object: Fields | null, unconfirmed: readonly Intent[]): boolean {
  // Journey acknowledges a patch only of an object that it has.
  return object === null
    ? unconfirmed.at(-1)?.method === 'delete'
    : agrees(object, unconfirmed.reduce(applyWrite, object));
}

/** Whether all values of the object that could be read are these. */
function agrees(object: Fields | null, fields: Fields | null): boolean {
  if (object === null || fields === null) return object === fields;
  return Object.entries(object).every(([column, value]) => value === (fields[column] ?? null));
}

/** Whether nothing is known of an object besides its existence. */
function isUnknown(journey: Fields | null): boolean {
  return journey === null || Object.values(journey).every((value) => value === null);
}
