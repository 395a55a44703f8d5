/** Merges a record's entries of one page: crosses off echoes, merges edits into Helium's row. */

import type { HeliumRow } from '../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../journey/journey-gateway.ts';
import { type Applied, applyEcho, applyEntry } from '../../record/apply-entry.ts';
import { type Fields, isEmpty, type Value } from '../../record/fields.ts';
import { type Conflict, unchanged } from '../../record/merge.ts';
import type { RecordKey } from '../../record/record-key.ts';
import type { RecordState } from '../../record/record-state.ts';
import type { HeldRecord } from '../../sync-state/held-records.store.ts';
import type { KnownRecord } from '../../sync-state/records.store.ts';
import { mapOf, type SyncContext } from '../shared/sync-context.ts';

/** A record before the page, and what the page has of it. */
export interface RecordEntries {
  readonly key: RecordKey;
  readonly entries: readonly JourneyEntry[];
  readonly known: KnownRecord;
  readonly held: HeldRecord | undefined;
}

export interface MergedEntry extends Omit<RecordEntries, 'entries'> {
  /** As it is in Helium; null: not there, or not read because every entry is an echo. */
  readonly row: HeliumRow | null;
  /** What it becomes: the same object when nothing changes, null when it is deleted. */
  readonly rowAfter: HeliumRow | null;
  readonly state: RecordState;
  readonly changedAtMs: number;
  readonly isDirty: boolean;
  readonly echoes: number;
  readonly conflicts: readonly Conflict[];
  /** Why the last entry could not be read as a row; null: it could. */
  readonly problem: string | null;
}

type MergeContext = Pick<SyncContext, 'mapping' | 'policy'>;

/** The record's entries that are newer than what is known of it from a listing. */
export function newEntries({ entries, known: { listedAtMs } }: RecordEntries): readonly JourneyEntry[] {
  return listedAtMs === null ? entries : entries.filter(({ changedAtMs }) => changedAtMs >= listedAtMs);
}

/**
 * Merges entries that are all our own writes coming back, for which Helium's row need not be read.
 * Returns undefined when one of them is not.
 */
export function mergeEchoes(record: RecordEntries): MergedEntry | undefined {
  if (record.held || record.known.listedAtMs !== null) return undefined;
  let merged = beforeEntries(record, null);
  for (const entry of record.entries) {
    const echo = entry.problem === undefined ? applyEcho(merged.state, entry) : undefined;
    if (!echo) return undefined;
    merged = { ...merged, ...echo, changedAtMs: entry.changedAtMs, echoes: merged.echoes + 1 };
  }
  return merged;
}

export function mergeEntries(context: MergeContext, record: RecordEntries, row: HeliumRow | null): MergedEntry {
  return record.entries.reduce((merged, entry) => mergeEntry(context, merged, entry), beforeEntries(record, row));
}

function mergeEntry(context: MergeContext, merged: MergedEntry, entry: JourneyEntry): MergedEntry {
  const { changedAtMs, operation, problem = null } = entry;
  if (problem !== null) return { ...merged, changedAtMs, problem };
  const { key, state, held, rowAfter: row } = merged;
  const fields = fillIn(context, key, state.journey, entry.fields);
  const applied = applyEntry({ state, held, row }, { changedAtMs, operation, fields }, context.policy);
  const { write, isEcho, conflicts, ...next } = keepUnreported(applied, entry.fields, row?.fields ?? null);
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

function beforeEntries({ key, known, held }: RecordEntries, row: HeliumRow | null): MergedEntry {
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
 * Columns that an entry does not report yet, as a photo whose upload is not finished, stay as they
 * were in Journey.
 */
function fillIn(context: MergeContext, key: RecordKey, before: Fields | null, fields: Fields | null): Fields | null {
  if (fields === null) return null;
  let whole: Record<string, Value> | undefined;
  for (const { column } of mapOf(context, key.table)?.fields ?? []) {
    if (column in fields) continue;
    whole ??= { ...fields };
    whole[column] = before?.[column] ?? null;
  }
  return whole ?? fields;
}

/**
 * Columns that an entry does not report stay as they are in the row, also empty: Journey may have
 * no more than that.
 */
function keepUnreported(applied: Applied, reported: Fields | null, row: Fields | null): Applied {
  const { write, state } = applied;
  if (write === unchanged || !write || !reported || !state.journey) return applied;
  const kept: Record<string, Value> = {};
  for (const column in write) {
    const before = row?.[column] ?? null;
    if (!(column in reported) && write[column] !== before) kept[column] = before;
  }
  if (isEmpty(kept)) return applied;
  return { ...applied, write: { ...write, ...kept }, state: { ...state, journey: { ...state.journey, ...kept } } };
}
