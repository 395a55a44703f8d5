/**
 * Determines when Helium wrote a value, to compare it with an edit in Journey. A row has one time,
 * that of its last change, and the engine's own writes change it. So the time of each value is
 * remembered when it is first seen: with the intent that sends it, or, when the row is merged, with
 * the record.
 *
 *   the value is            its time is
 *   in one of our intents   remembered with the intent
 *   in the record's edits   remembered with the record
 *   anything else           the row's time
 *
 *   a time is, the first that is known
 *   the time of the transaction in Helium's transaction log, which has no entry for plain SQL
 *   the row's `_tstamp_`, unless it was seen before: plain SQL may leave it
 *   when the change was first seen
 */
import { createFields, type Fields, getValue, type Value } from './fields.ts';
import {
  expectedFields,
  type HeliumTime,
  type Intent,
  type RecordState,
  type SentRow,
  type TimedEdits,
} from './record-state.ts';

/** A row as it was read. */
export interface TimedRow {
  readonly fields: Fields;
  /** `_tstamp_`. */
  readonly changedAtMs: number;
  /** `_tx_id_`: the transaction that changed it last. */
  readonly txId: string;
}

/** Returns a time from the transaction log, in milliseconds; undefined when it has none. */
export type TransactionTimes = Pick<ReadonlyMap<string, number>, 'get'>;

/** Journey's own value yields to each later entry of Journey. */
const fromJourney: HeliumTime = { txId: '', atMs: 0 };

/** Returns when the row was changed last. */
export function getRowTime(
  { tstampMs, intents }: Pick<RecordState, 'tstampMs' | 'intents'>,
  { changedAtMs, txId }: Pick<TimedRow, 'changedAtMs' | 'txId'>,
  nowMs: number,
): HeliumTime {
  const isSeen = changedAtMs === tstampMs || intents.some(({ row }) => row?.tstampMs === changedAtMs);
  return { txId, atMs: isSeen ? nowMs : changedAtMs };
}

/**
 * Returns when Helium wrote this value of a column.
 *
 * @param rowTime null for a row that was just written from Journey
 */
export function getValueTime(
  { intents, edits }: Pick<RecordState, 'intents' | 'edits'>,
  column: string,
  value: Value,
  rowTime: HeliumTime | null,
): HeliumTime {
  for (let index = intents.length - 1; index >= 0; index -= 1) {
    const { fields, row } = intents[index] ?? {};
    if (row && fields && Object.hasOwn(fields, column) && fields[column] === value)
      return findTime(row.columns, column) ?? row.time;
  }
  const edit = findTime(edits, column);
  return edit && edit.value === value ? { txId: edit.txId, atMs: edit.atMs } : (rowTime ?? fromJourney);
}

function findTime<Time extends HeliumTime>(
  times: Readonly<Record<string, Time>> | null | undefined,
  column: string,
): Time | undefined {
  return times && Object.hasOwn(times, column) ? times[column] : undefined;
}

/** Returns what an intent that sends these fields of the row has to remember. */
export function toSentRow(state: RecordState, row: TimedRow, sent: Fields, nowMs: number): SentRow {
  const time = getRowTime(state, row, nowMs);
  const sentRow = { tstampMs: row.changedAtMs, time };
  if (state.intents.length === 0 && state.edits === null) return sentRow;
  const columns = createFields<HeliumTime>();
  for (const [column, value] of Object.entries(sent)) {
    const valueTime = getValueTime(state, column, value, time);
    if (valueTime !== time) columns[column] = valueTime;
  }
  return { ...sentRow, columns };
}

/**
 * Returns the edits with the values of our write, which has come back, that a superseded write may
 * still replace in Journey: their times would be gone with it.
 */
export function withSentTimes(edits: TimedEdits | null, { fields, row }: Intent, rest: readonly Intent[]) {
  if (row === null) return edits;
  const columns = Object.keys(fields).filter((column) => isInSuperseded(rest, column));
  if (columns.length === 0) return edits;
  const times = columns.map((column) => [
    column,
    { value: getValue(fields, column), ...(findTime(row.columns, column) ?? row.time) },
  ]);
  // A value that was remembered already was written to the row after ours was read from it.
  return { ...Object.fromEntries(times), ...edits };
}

/** Whether a superseded write, which may still land, has a value of the column. */
function isInSuperseded(intents: readonly Intent[], column: string): boolean {
  return intents.some(({ stage, fields }) => stage === 'superseded' && Object.hasOwn(fields, column));
}

/**
 * Whether an entry of Journey wrote this value of a column, after a write that may still replace it
 * there.
 */
export function isFromJourney({ edits }: Pick<RecordState, 'edits'>, column: string, value: Value): boolean {
  const edit = findTime(edits, column);
  return edit?.value === value && edit.txId === fromJourney.txId && edit.atMs === fromJourney.atMs;
}

/** Returns the edits with the values that Journey's entry has just written to the row. */
export function withJourneyValues(edits: TimedEdits | null, before: Fields | null, after: Fields): TimedEdits {
  const written = Object.entries(after).filter(
    ([column, value]) => before === null || !Object.hasOwn(before, column) || value !== before[column],
  );
  return { ...edits, ...Object.fromEntries(written.map(([column, value]) => [column, { value, ...fromJourney }])) };
}

/**
 * Returns what to remember of a merged row: the times of all values that Journey does not have, or
 * that a superseded write may still replace there. After that, its `_tstamp_` says nothing about a
 * later change that leaves it.
 *
 * @param rowTime when the row was changed last before the merge; null when there was none
 */
export function rememberRow(
  state: RecordState,
  row: Pick<TimedRow, 'fields' | 'changedAtMs'> | null,
  rowTime: HeliumTime | null,
): Pick<RecordState, 'tstampMs' | 'edits'> {
  if (row === null) return { tstampMs: null, edits: null };
  const expected = expectedFields(state);
  const mayBeReplaced = (column: string, value: Value) =>
    findTime(state.edits, column)?.value === value && isInSuperseded(state.intents, column);
  let edits: Record<string, TimedEdits[string]> | null = null;
  for (const [column, value] of Object.entries(row.fields)) {
    if (value === getValue(expected, column) && !mayBeReplaced(column, value)) continue;
    edits ??= createFields<TimedEdits[string]>();
    edits[column] = { value, ...getValueTime(state, column, value, rowTime) };
  }
  return { tstampMs: row.changedAtMs, edits };
}

/** Returns all transactions that the times of a record name. */
export function listTransactions({ intents, edits }: RecordState, row: TimedRow): string[] {
  const times = intents.flatMap(({ row }) => (row ? [row.time, ...Object.values(row.columns ?? {})] : []));
  return [row.txId, ...[...times, ...Object.values(edits ?? {})].map(({ txId }) => txId)].filter((txId) => txId !== '');
}

export function toMs({ txId, atMs }: HeliumTime, transactionTimes: TransactionTimes): number {
  return transactionTimes.get(txId) ?? atMs;
}
