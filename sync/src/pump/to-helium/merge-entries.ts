/** Merges a record's entries of one page: consumes echoes and merges edits into Helium's row. */

import type { HeliumRow } from '../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import { applyEcho, applyEntry, type EntryResult } from '../../record/apply-entry.ts';
import { type Fields, isEmpty, type Value } from '../../record/fields.ts';
import { type Conflict, unchanged } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import type { RecordState } from '../../record/record-state.ts';
import type { HeldRow } from '../../sync-state/held-records.store.ts';
import type { KnownRecord } from '../../sync-state/records.store.ts';
import { findObjectMap, type SyncContext } from '../shared/sync-context.ts';

/** A record before the page, and its entries in the page. */
export interface RecordEntries {
  readonly key: RecordKey;
  readonly entries: readonly JourneyEntry[];
  readonly known: KnownRecord;
  readonly held: HeldRow | undefined;
}

export interface MergedEntry extends Omit<RecordEntries, 'entries'> {
  /**
   * The row in Helium; null when there is none, or when it was not read because every entry is an
   * echo.
   */
  readonly row: HeliumRow | null;
  /** The row after the merge: the same object when nothing changes, null when it is deleted. */
  readonly rowAfter: HeliumRow | null;
  readonly state: RecordState;
  readonly changedAtMs: number;
  readonly isDirty: boolean;
  readonly echoes: number;
  readonly conflicts: readonly Conflict[];
  /** Why the last entry could not be converted to a row; null when it could. */
  readonly problem: string | null;
}

type MergeContext = Pick<SyncContext, 'mapping' | 'policy'>;

/** Returns the record's entries that are newer than its last listing. */
export function newEntries({ entries, known: { listedAtMs } }: RecordEntries): readonly JourneyEntry[] {
  return listedAtMs === null ? entries : entries.filter(({ changedAtMs }) => changedAtMs >= listedAtMs);
}

/**
 * Merges entries that are all echoes of our own writes, so that Helium's row need not be read.
 * Returns undefined when one of them is not.
 */
export function mergeEchoes(record: RecordEntries): MergedEntry | undefined {
  if (record.held || record.known.listedAtMs !== null) return undefined;
  let merged = startMerge(record, null);
  for (const entry of record.entries) {
    const echo = entry.problem === undefined ? applyEcho(merged.state, entry) : undefined;
    if (!echo) return undefined;
    merged = { ...merged, ...echo, changedAtMs: entry.changedAtMs, echoes: merged.echoes + 1 };
  }
  return merged;
}

export function mergeEntries(context: MergeContext, record: RecordEntries, row: HeliumRow | null): MergedEntry {
  return record.entries.reduce((merged, entry) => mergeEntry(context, merged, entry), startMerge(record, row));
}

function mergeEntry(context: MergeContext, merged: MergedEntry, entry: JourneyEntry): MergedEntry {
  const { changedAtMs, operation, problem = null } = entry;
  if (problem !== null) return { ...merged, changedAtMs, problem };
  const { key, state, held, rowAfter: row } = merged;
  const fields = fillMissingColumns(context, key, state.journey, entry.fields);
  const applied = applyEntry({ state, held, row }, { changedAtMs, operation, fields }, context.policy);
  const { write, isEcho, conflicts, ...next } = keepUnreportedFields(applied, entry.fields, row?.fields ?? null);
  return {
    ...merged,
    ...next,
    changedAtMs,
    problem,
    rowAfter: write === unchanged ? row : write && { id: key.id, fields: write, changedAtMs },
    echoes: merged.echoes + (isEcho ? 1 : 0),
    conflicts: [...merged.conflicts, ...conflicts],
  };
}

function startMerge({ key, known, held }: RecordEntries, row: HeliumRow | null): MergedEntry {
  return {
    key,
    known,
    held,
    row,
    rowAfter: row,
    state: known,
    changedAtMs: 0,
    isDirty: false,
    echoes: 0,
    conflicts: [],
    problem: null,
  };
}

/**
 * Fills columns that an entry does not report yet, such as a photo whose upload is not finished,
 * with Journey's last known values.
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
    if (column in fields) continue;
    completed ??= { ...fields };
    completed[column] = before?.[column] ?? null;
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
  const unreported: Record<string, Value> = {};
  for (const column in write) {
    const before = row?.[column] ?? null;
    if (!(column in reported) && write[column] !== before) unreported[column] = before;
  }
  if (isEmpty(unreported)) return applied;
  return {
    ...applied,
    write: { ...write, ...unreported },
    state: { ...state, journey: { ...state.journey, ...unreported } },
  };
}
