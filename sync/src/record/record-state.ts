/**
 * Holds what the engine knows of one record, and derives from it what to send and what is an echo.
 *
 *   journey ── intent 1 ── intent 2 ──▶ expected: what Journey holds when our writes have landed
 *      ▲
 *      the record after the last op-log entry that was read
 *
 * An intent is one of our writes to Journey, saved before it is sent. It is removed when its echo
 * comes back in the op-log, or when the op-log is proven to be past it (`unconfirmed-writes.ts`).
 */
import { areFieldsEqual, createFields, type Fields, getValue, isEmpty, type Value } from './fields.ts';

/** A time that the transaction log may still correct. */
export interface HeliumTime {
  /** Decimal text; empty when no transaction of Helium wrote the value. */
  readonly txId: string;
  /** The time unless the transaction log has one. */
  readonly atMs: number;
}

/** What an intent remembers of the row that it sends. */
export interface SentRow {
  readonly tstampMs: number;
  readonly time: HeliumTime;
  /** Columns that were written at another time. */
  readonly columns?: Readonly<Record<string, HeliumTime>>;
}

/** Values that the other side does not have yet, by column. */
export type TimedEdits = Readonly<Record<string, HeliumTime & { readonly value: Value }>>;

export interface Intent {
  /** Increases with each intent. */
  readonly number: number;
  readonly method: 'put' | 'patch' | 'delete';
  /** All fields for a put, the changed ones for a patch, none for a delete. */
  readonly fields: Fields;
  /**
   * - sent: it is unknown whether Journey applied it
   * - acknowledged: Journey confirmed it
   * - superseded: replaced by a later intent. It may still land, or its echo may still come
   */
  readonly stage: 'sent' | 'acknowledged' | 'superseded';
  /** Milliseconds since it was sent, of a superseded one. */
  readonly ageMs?: number;
  /** When Helium wrote the row it sends; null for a delete. */
  readonly row: SentRow | null;
}

/**
 * What is known of a record. If nothing is known, there is no state: Journey may or may not have
 * the record, so it is asked before anything is written (`unknown-record.ts`).
 */
export interface RecordState {
  /** null when Journey has no such record. */
  readonly journey: Fields | null;
  /** Oldest first. */
  readonly intents: readonly Intent[];
  /** When the record was deleted, if known. Protects against old updates that arrive late. */
  readonly deletedAtMs: number | null;
  /** The row's `_tstamp_` as it was last seen; null when it was never seen. */
  readonly tstampMs: number | null;
  /** Values of the row that Journey did not have when it was last merged; null when it had all. */
  readonly edits: TimedEdits | null;
}

export function applyWrite(
  before: Fields | null,
  { method, fields }: Pick<Intent, 'method' | 'fields'>,
): Fields | null {
  if (method === 'delete') return null;
  if (method === 'put') return fields;
  return before === null ? null : { ...before, ...fields };
}

/** Returns what Journey will hold when all our writes land, including unacknowledged ones. */
export function expectedFields({ journey, intents }: RecordState): Fields | null {
  return intents.filter(({ stage }) => stage !== 'superseded').reduce(applyWrite, journey);
}

/** Returns what Journey will hold when only our acknowledged writes land. */
function acknowledgedFields({ journey, intents }: RecordState): Fields | null {
  return intents.filter(({ stage }) => stage === 'acknowledged').reduce(applyWrite, journey);
}

/**
 * Returns the write that makes Journey hold what Helium does; null when none is needed. A write
 * that was sent and never acknowledged may or may not have landed, so the new write overwrites it
 * in both cases.
 */
export function planJourneyWrite(state: RecordState, helium: Fields | null): Pick<Intent, 'method' | 'fields'> | null {
  const acknowledged = acknowledgedFields(state);
  const unanswered = state.intents.filter(({ stage }) => stage === 'sent');
  if (helium === null) {
    const mayExist = acknowledged !== null || unanswered.length > 0;
    return mayExist ? { method: 'delete', fields: {} } : null;
  }
  const mayBeDeleted = acknowledged === null || unanswered.some(({ method }) => method === 'delete');
  if (mayBeDeleted) return { method: 'put', fields: helium };
  const changed = { ...changedValues(acknowledged, helium), ...rewrittenValues(unanswered, helium) };
  return isEmpty(changed) ? null : { method: 'patch', fields: changed };
}

/** Returns Helium's values that differ. A column that was never synced counts as empty. */
function changedValues(before: Fields, helium: Fields): Fields {
  const changed = createFields();
  for (const column in helium) {
    const value = helium[column] ?? null;
    if (value !== getValue(before, column)) changed[column] = value;
  }
  return changed;
}

/**
 * Returns Helium's values of every column that these writes may have changed to another one. Where
 * they write what Helium has, sending it again would only replace what a device has written since.
 */
function rewrittenValues(unanswered: readonly Intent[], helium: Fields): Fields {
  const values = createFields();
  for (const { fields } of unanswered) {
    for (const column in fields) {
      const value = getValue(helium, column);
      if (Object.hasOwn(helium, column) && value !== fields[column]) values[column] = value;
    }
  }
  return values;
}

/**
 * Returns our write that turned `before` into `after`, if there is one. Consecutive states in the
 * op-log show what one write did, so an edit between two of our writes is never mistaken for one of
 * them, nor the reverse.
 */
export function findOwnWrite(
  before: Fields | null,
  after: Fields | null,
  intents: readonly Intent[],
): Intent | undefined {
  // Only columns that are not synced changed, and we never write those.
  if (areFieldsEqual(before, after)) return undefined;
  // Writes land in the order they were sent, so the next echo belongs to the first one that changes
  // anything. A superseded write may land at any time.
  const next = intents.find((one) => one.stage !== 'superseded' && !areFieldsEqual(applyWrite(before, one), before));
  if (next && areFieldsEqual(applyWrite(before, next), after)) return next;
  // Of several, the last: after a creation, that is the one that only explains its files.
  return intents.findLast((one) => one.stage === 'superseded' && areFieldsEqual(applyWrite(before, one), after));
}

/**
 * Returns the intents after an entry that creates an object. The put that explains it has landed.
 * If the entry reports no content of its files, because our call is unanswered, it remains to
 * explain these.
 *
 * @param created the object without the columns that the entry does not report
 */
export function confirmCreation(intents: readonly Intent[], created: Fields): readonly Intent[] {
  const explains = ({ method, fields }: Intent) =>
    method === 'put' &&
    Object.entries(fields).every(([column, value]) =>
      Object.hasOwn(created, column) ? created[column] === value : value !== null,
    );
  const found = intents.filter(explains);
  const [first] = found;
  // Which of several puts with different files it was is not known.
  if (!first || found.some((one) => !areFieldsEqual(one.fields, first.fields))) return intents;
  const own = found.find(({ stage }) => stage !== 'superseded') ?? first;
  const files = Object.entries(own.fields).filter(([column]) => !Object.hasOwn(created, column));
  if (files.length === 0) return intents;
  const fields = Object.assign(createFields(), Object.fromEntries(files));
  return intents.map((one) => (one === own ? { ...own, method: 'patch', fields, stage: 'superseded' } : one));
}

/**
 * Returns the intents that remain after the echo of one. Older acknowledged ones changed nothing,
 * or their echoes would have come first.
 */
export function removeConsumed(intents: readonly Intent[], seen: Intent): Intent[] {
  if (seen.stage === 'superseded') return intents.filter((one) => one !== seen);
  return intents.filter((one) => one.number > seen.number || one.stage === 'superseded');
}
