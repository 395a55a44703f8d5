/** Merges a record's entries of one page: consumes echoes and merges edits into Helium's row. */

import type { HeliumRow } from '../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import { applyEcho, applyEntry, deferEntry, type Held } from '../../record/apply-entry.ts';
import { areFieldsEqual, type Fields, getValue } from '../../record/fields.ts';
import { getRowTime, getValueTime, rememberRow, type TransactionTimes, toMs } from '../../record/helium-times.ts';
import { type Conflict, type Row, unchanged } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import {
  applyWrite,
  confirmCreation,
  expectedFields,
  type HeliumTime,
  type RecordState,
} from '../../record/record-state.ts';
import { findObjectMap, type SyncContext } from '../state/context.ts';
import { type Merge, type MergedEntry, type RecordEntries, startMerge, toTimedEntry } from './merger/merged-entry.ts';
import { fillMissingColumns, keepUnreportedFields } from './merger/unreported-fields.ts';

type MergeContext = Pick<SyncContext, 'mapping' | 'policy'>;

/**
 * Merges entries that are all echoes of our own writes, so that Helium's row need not be read.
 * Returns undefined when one of them is not, or may be a device's edit.
 */
export function mergeEchoes(record: RecordEntries): MergedEntry | undefined {
  if (record.held || record.known.listedAtMs !== null) return undefined;
  const merged = startMerge(record, null);
  for (const entry of record.entries) {
    const echo = entry.problem === undefined ? applyEcho(merged.state, toTimedEntry(record, entry)) : undefined;
    if (!echo || echo.own?.stage === 'superseded') return undefined;
    merged.state = echo.state;
    merged.isDirty = echo.isDirty;
    merged.changedAtMs = entry.changedAtMs;
    merged.echoes += 1;
  }
  return merged;
}

/** What is known of the time of Helium's edits. */
interface MergeTimes {
  readonly transactionTimes: TransactionTimes;
  /** When the row was deleted that is missing; null when it is not known. */
  readonly deletedAtMs: number | null;
  /** Whether the row is missing although no log names its deletion. */
  readonly isMissingUnlogged: boolean;
  readonly nowMs: number;
  /** Columns of the row that have a default which no one has entered. */
  readonly untouched?: readonly string[];
}

export function mergeEntries(
  context: MergeContext,
  record: RecordEntries,
  row: HeliumRow | null,
  times: MergeTimes,
): MergedEntry {
  const rowTime = row && getRowTime(record.known, row, times.nowMs);
  const merged = startMerge(record, row);
  for (const entry of record.entries) mergeEntry(context, merged, entry, rowTime, times);
  const { state, rowAfter } = merged;
  // Otherwise no entry could be read.
  if (state !== record.known) merged.state = { ...state, ...rememberRow(state, rowAfter, rowTime) };
  return merged;
}

/**
 * Takes in entries that are merged later, because the row cannot be locked or written now.
 *
 * @param row as it was last read, to show it to operators
 * @param reason one sentence
 */
export function deferEntries(
  context: MergeContext,
  record: RecordEntries,
  row: HeliumRow | null,
  reason: string,
): MergedEntry {
  const merged = startMerge(record, row);
  let held: Held | undefined = record.held;
  for (const entry of record.entries) {
    const { changedAtMs, problem = null } = entry;
    merged.changedAtMs = changedAtMs;
    merged.problem = problem;
    if (problem !== null) continue;
    const before = afterCreation(merged.state, entry, row);
    const fields = fillMissingColumns(context, record.key, before.journey, entry.fields);
    const deferred = deferEntry({ state: before, held, row }, toTimedEntry(record, entry, fields));
    const { state, isDirty, conflicts, isEcho } = deferred;
    merged.state = state;
    merged.isDirty ||= isDirty;
    merged.isChanged ||= !(isEcho || areFieldsEqual(fields, before.journey));
    merged.echoes += Number(isEcho);
    merged.conflicts = [...merged.conflicts, ...conflicts];
    held = deferred.held;
  }
  merged.base = held ? held.base : merged.state.journey;
  merged.deferred = reason;
  return merged;
}

function mergeEntry(
  context: MergeContext,
  merged: Merge,
  entry: JourneyEntry,
  rowTime: HeliumTime | null,
  { transactionTimes, deletedAtMs, isMissingUnlogged, untouched = [] }: Omit<MergeTimes, 'nowMs'>,
): void {
  const { changedAtMs, problem = null } = entry;
  const { key, held, rowAfter: row } = merged;
  merged.changedAtMs = changedAtMs;
  merged.problem = problem;
  if (problem !== null) {
    merged.isChanged ||= held?.changedAtMs !== changedAtMs;
    return;
  }
  // Once an entry of the page is merged, Helium's row has its values.
  const base = held && merged.state === merged.known ? held.base : merged.state.journey;
  const wasDeleted = row === null && base !== null;
  const known = afterCreation(merged.state, entry, row);
  const state = wasDeleted ? { ...known, deletedAtMs: known.deletedAtMs ?? deletedAtMs } : known;
  // The echo of a put does not report its files if Journey's answer, which names them, was lost.
  // Without the row, which is compared with each file, it would be taken for an edit of a deleted
  // record.
  const last = state.journey ?? (row === null ? expectedFields(state) : null);
  const fields = fillMissingColumns(context, key, last, entry.fields);
  const timedRow: Row | null = row && {
    fields: row.fields,
    untouched,
    getWrittenAtMs: (column) =>
      toMs(getValueTime(state, column, getValue(row.fields, column), rowTime), transactionTimes),
  };
  const before = { state, held: held && { base }, row: timedRow, isMissingUnlogged };
  const computed = findComputed(context, key);
  const applied = applyEntry(before, { ...toTimedEntry(merged, entry, fields), computed }, context.policy);
  const kept = keepUnreportedFields(applied, entry.fields, row?.fields ?? null);
  const { write, isEcho, own, conflicts } = kept;
  merged.state = kept.state;
  merged.isDirty = kept.isDirty;
  if (own) merged.base = applyWrite(merged.base, own);
  merged.isChanged ||= !(isEcho || areFieldsEqual(fields, state.journey));
  merged.rowAfter = write === unchanged ? row : write && toWrittenRow(key.id, row, write, changedAtMs);
  merged.echoes += Number(isEcho);
  if (conflicts.length > 0)
    merged.conflicts = [...merged.conflicts, ...conflicts.map((one) => withWholeObject(context, key, entry, one))];
}

function findComputed(context: MergeContext, { table }: RecordKey): string[] {
  const fields = findObjectMap(context, table)?.fields ?? [];
  return fields.flatMap(({ column, isComputed = false }) => (isComputed ? [column] : []));
}

/**
 * Returns what is known of a record once our put has created it. A missing row has no files to
 * compare.
 */
function afterCreation(state: RecordState, { operation, fields }: JourneyEntry, row: HeliumRow | null): RecordState {
  if (operation !== 'create' || fields === null || row === null) return state;
  const intents = confirmCreation(state.intents, fields);
  return intents === state.intents ? state : { ...state, intents };
}

/** The row as it is after the write: its `_tstamp_` never moves backwards. */
function toWrittenRow(id: string, row: HeliumRow | null, fields: Fields, changedAtMs: number | null): HeliumRow {
  return { id, fields, changedAtMs: Math.max(row?.changedAtMs ?? 0, changedAtMs ?? 0), txId: row?.txId ?? '' };
}

/** Adds the fields that are not mapped: the conflict may be all that is left of the object. */
function withWholeObject(
  context: MergeContext,
  key: RecordKey,
  { object }: JourneyEntry,
  conflict: Conflict,
): Conflict {
  const { column, journey } = conflict;
  if (column !== null || object === undefined || typeof journey !== 'object' || journey === null) return conflict;
  const map = findObjectMap(context, key.table);
  const mapped = new Set(map?.fields.flatMap(({ field }) => [field, `${field}_id`]) ?? []);
  const others = Object.entries(object).filter(([name]) => !mapped.has(name));
  return { ...conflict, journey: { ...Object.fromEntries(others), ...journey } };
}
