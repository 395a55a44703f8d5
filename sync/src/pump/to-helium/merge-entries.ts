/** Merges a record's entries of one page: consumes echoes and merges edits into Helium's row. */

import type { HeliumRow } from '../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import {
  applyEcho,
  applyEntry,
  deferEntry,
  type EntryResult,
  type Held,
  type TimedEntry,
} from '../../record/apply-entry.ts';
import { areFieldsEqual, createFields, type Fields, getValue, isEmpty, type Value } from '../../record/fields.ts';
import { getRowTime, getValueTime, rememberRow, type TransactionTimes, toMs } from '../../record/helium-times.ts';
import { type Conflict, type Row, unchanged } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import {
  applyWrite,
  confirmCreation,
  expectedFields,
  type HeliumTime,
  type Intent,
  type RecordState,
} from '../../record/record-state.ts';
import type { HeldRow } from '../../sync-state/held-records.store.ts';
import type { KnownRecord } from '../../sync-state/records.store.ts';
import type { RecordFiles } from '../../sync-state/waiting-files.store.ts';
import { findObjectMap, type SyncContext } from '../context/sync-context.ts';

/** A record before the page, and its entries in the page. */
export interface RecordEntries {
  readonly key: RecordKey;
  readonly entries: readonly JourneyEntry[];
  readonly known: KnownRecord;
  readonly held: HeldRow | undefined;
  /** Whether the entries come from a listing instead of the op-log. */
  readonly isListed: boolean;
  /** Whether an entry of the op-log was written after everything that the intent did. */
  readonly isAfter?: IsAfter | undefined;
}

export type IsAfter = (entry: JourneyEntry, intent: Intent) => boolean;

export interface MergedEntry extends Omit<RecordEntries, 'entries'> {
  /**
   * The row in Helium; null when there is none, or when it was not read because every entry is an
   * echo.
   */
  readonly row: HeliumRow | null;
  /** The row after the merge: the same object when nothing changes, null when it is deleted. */
  readonly rowAfter: HeliumRow | null;
  readonly state: RecordState;
  /**
   * Journey's last state that Helium has, with those of our writes that the page shows: what Helium
   * still has if it rejects the row.
   */
  readonly base: Fields | null;
  /** null for a deletion that is only supposed. */
  readonly changedAtMs: number | null;
  readonly isDirty: boolean;
  /** Whether an entry differs from what was known of Journey, other than by our own writes. */
  readonly isChanged: boolean;
  readonly echoes: number;
  readonly conflicts: readonly Conflict[];
  /** Why the last entry could not be converted to a row; null when it could. */
  readonly problem: string | null;
  /** Why the entries are not merged yet, one sentence; null when they are. */
  readonly deferred: string | null;
  /**
   * When a deferred record is tried again; without it, soon, because another session had locked its
   * row.
   */
  readonly retryMs?: number;
}

type MergeContext = Pick<SyncContext, 'mapping' | 'policy'>;

/**
 * Returns the record's op-log entries that say something new since its last listing. Older ones do
 * not, and of the same second all up to the last one that left what was listed.
 *
 * @param files those of the record that wait
 */
export function newEntries(
  context: MergeContext,
  { key, entries, known }: RecordEntries,
  files: RecordFiles = new Map(),
): readonly JourneyEntry[] {
  const { listedAtMs, journey } = known;
  if (listedAtMs === null) return entries;
  const isAsListed = (entry: JourneyEntry) =>
    entry.changedAtMs === listedAtMs &&
    areFieldsEqual(fillMissingColumns(context, key, journey, entry.fields), journey) &&
    hasSameFiles(entry, files);
  const later = entries.slice(entries.findLastIndex(isAsListed) + 1);
  return later.filter(({ changedAtMs }) => changedAtMs === null || changedAtMs >= listedAtMs);
}

/** Whether the files of an entry of which the content is not known are those that wait. */
function hasSameFiles({ fields, attachments = {} }: JourneyEntry, files: RecordFiles): boolean {
  const unknown = Object.entries(attachments).filter(([column]) => !Object.hasOwn(fields ?? {}, column));
  return unknown.length === files.size && unknown.every(([column, { id }]) => files.get(column)?.journeyId === id);
}

/**
 * Merges entries that are all echoes of our own writes, so that Helium's row need not be read.
 * Returns undefined when one of them is not, or may be a device's edit.
 */
export function mergeEchoes(record: RecordEntries): MergedEntry | undefined {
  if (record.held || record.known.listedAtMs !== null) return undefined;
  let merged = startMerge(record, null);
  for (const entry of record.entries) {
    const echo = entry.problem === undefined ? applyEcho(merged.state, toTimedEntry(record, entry)) : undefined;
    if (!echo || echo.own?.stage === 'superseded') return undefined;
    const { state, isDirty } = echo;
    merged = { ...merged, state, isDirty, changedAtMs: entry.changedAtMs, echoes: merged.echoes + 1 };
  }
  return merged;
}

/** @param fields of all columns, which the entry may lack */
function toTimedEntry(
  { isListed, isAfter, known }: Pick<RecordEntries, 'isListed' | 'isAfter' | 'known'>,
  entry: JourneyEntry,
  fields = entry.fields,
): TimedEntry {
  const { operation, changedAtMs, attachments } = entry;
  const files = attachments && Object.keys(attachments).filter((column) => !Object.hasOwn(entry.fields ?? {}, column));
  const isLater = isAfter && known.intents.length > 0 ? (intent: Intent) => isAfter(entry, intent) : undefined;
  return { operation, changedAtMs, fields, files, isListed, isAfter: isLater };
}

/** What is known of the time of Helium's edits. */
interface MergeTimes {
  readonly transactionTimes: TransactionTimes;
  /** When the row was deleted that is missing; null when it is not known. */
  readonly deletedAtMs: number | null;
  /** Whether the row is missing although no log names its deletion. */
  readonly isMissingUnlogged: boolean;
  readonly nowMs: number;
}

export function mergeEntries(
  context: MergeContext,
  record: RecordEntries,
  row: HeliumRow | null,
  times: MergeTimes,
): MergedEntry {
  const rowTime = row && getRowTime(record.known, row, times.nowMs);
  let merged = startMerge(record, row);
  for (const entry of record.entries) merged = mergeEntry(context, merged, entry, rowTime, times);
  const { state, rowAfter } = merged;
  // No entry could be read.
  if (state === record.known) return merged;
  return { ...merged, state: { ...state, ...rememberRow(state, rowAfter, rowTime) } };
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
  let merged = startMerge(record, row);
  let held: Held | undefined = record.held;
  for (const entry of record.entries) {
    const { changedAtMs, problem = null } = entry;
    merged = { ...merged, changedAtMs, problem };
    if (problem !== null) continue;
    const before = afterCreation(merged.state, entry, row);
    const fields = fillMissingColumns(context, record.key, before.journey, entry.fields);
    const deferred = deferEntry({ state: before, held, row }, toTimedEntry(record, entry, fields));
    const { state, isDirty, conflicts, isEcho } = deferred;
    merged = {
      ...merged,
      state,
      isDirty: merged.isDirty || isDirty,
      isChanged: merged.isChanged || !(isEcho || areFieldsEqual(fields, before.journey)),
      echoes: merged.echoes + Number(isEcho),
      conflicts: [...merged.conflicts, ...conflicts],
    };
    held = deferred.held;
  }
  return { ...merged, base: held ? held.base : merged.state.journey, deferred: reason };
}

function mergeEntry(
  context: MergeContext,
  merged: MergedEntry,
  entry: JourneyEntry,
  rowTime: HeliumTime | null,
  { transactionTimes, deletedAtMs, isMissingUnlogged }: Omit<MergeTimes, 'nowMs'>,
): MergedEntry {
  const { changedAtMs, problem = null } = entry;
  const { key, held, rowAfter: row } = merged;
  if (problem !== null) {
    const isChanged = merged.isChanged || held?.changedAtMs !== changedAtMs;
    return { ...merged, changedAtMs, problem, isChanged };
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
    getWrittenAtMs: (column) =>
      toMs(getValueTime(state, column, getValue(row.fields, column), rowTime), transactionTimes),
  };
  const before = { state, held: held && { base }, row: timedRow, isMissingUnlogged };
  const applied = applyEntry(before, toTimedEntry(merged, entry, fields), context.policy);
  const { write, isEcho, own, conflicts, ...next } = keepUnreportedFields(applied, entry.fields, row?.fields ?? null);
  return {
    ...merged,
    ...next,
    base: own ? applyWrite(merged.base, own) : merged.base,
    changedAtMs,
    problem,
    isChanged: merged.isChanged || !(isEcho || areFieldsEqual(fields, state.journey)),
    rowAfter: write === unchanged ? row : write && toWrittenRow(key.id, row, write, changedAtMs),
    echoes: merged.echoes + (isEcho ? 1 : 0),
    conflicts: [...merged.conflicts, ...conflicts.map((conflict) => withWholeObject(context, key, entry, conflict))],
  };
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

// Without a spread, which would make it several times slower.
function startMerge({ key, known, held, isListed, isAfter }: RecordEntries, row: HeliumRow | null): MergedEntry {
  return {
    key,
    known,
    held,
    isListed,
    isAfter,
    row,
    rowAfter: row,
    state: known,
    base: held ? held.base : known.journey,
    changedAtMs: 0,
    isDirty: false,
    isChanged: false,
    echoes: 0,
    conflicts: [],
    problem: null,
    deferred: null,
  };
}

/**
 * Fills columns that an entry does not report yet, such as a photo whose upload is not finished,
 * with the values that Journey is known or expected to have.
 */
function fillMissingColumns(
  context: MergeContext,
  key: RecordKey,
  before: Fields | null,
  fields: Fields | null,
): Fields | null {
  if (fields === null) return null;
  let completed: Record<string, Value> | undefined;
  for (const { column } of findObjectMap(context, key.table)?.fields ?? []) {
    if (Object.hasOwn(fields, column)) continue;
    completed ??= Object.assign(createFields(), fields);
    completed[column] = getValue(before, column);
  }
  return completed ?? fields;
}

/**
 * Keeps the row's values, even empty ones, of columns that an entry does not report: Journey may
 * have nothing else for them.
 */
function keepUnreportedFields(applied: EntryResult, reported: Fields | null, row: Fields | null): EntryResult {
  const { write, state } = applied;
  if (write === unchanged || !write || !reported || !state.journey) return applied;
  const unreported = createFields();
  for (const column in write) {
    const before = getValue(row, column);
    if (!Object.hasOwn(reported, column) && write[column] !== before) unreported[column] = before;
  }
  if (isEmpty(unreported)) return applied;
  return {
    ...applied,
    write: { ...write, ...unreported },
    state: { ...state, journey: { ...state.journey, ...unreported } },
  };
}
