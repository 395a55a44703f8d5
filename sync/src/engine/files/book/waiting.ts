/** The files of the records of a page: their bytes are not there when the page is applied. */
import type { Db, HeliumRow } from '../../../helium/helium-gateway.ts';
import { createFields, getValue, type Value } from '../../../record/fields.ts';
import { adoptFiles, withLearnedNames } from '../../../record/file-value.ts';
import type { Conflict } from '../../../record/merge.ts';
import type { KeyMap } from '../../../record/record-key.ts';
import { expectedFields } from '../../../record/record-state.ts';
import type { WaitingFile } from '../../../record/waiting-file.ts';
import { closeOpenConflicts } from '../../../sync-state/conflicts.store.ts';
import { markDirty } from '../../../sync-state/dirty-records.store.ts';
import {
  type FileRef,
  type RecordFiles,
  removeWaitingFiles,
  type StoredFile,
  saveWaitingFiles,
} from '../../../sync-state/waiting-files.store.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';
import type { RecordConflict } from '../../state/save-conflicts.ts';
import type { MergedEntry, RecordEntries } from '../../to-helium/merger/merged-entry.ts';
import { hasFiles } from './has-files.ts';
import { type TrackedFiles, trackFiles } from './tracked.ts';

export interface ReplacedFile extends RecordConflict {
  readonly conflict: Conflict & { readonly column: string };
  readonly file: Pick<WaitingFile, 'journeyId' | 'url' | 'changedAtMs'>;
}

/**
 * Saves which files wait after the page. Returns the conflicts of those that our own writes
 * replaced.
 */
export async function saveFiles(
  context: SyncContext,
  db: Db,
  records: readonly RecordEntries[],
  waiting: KeyMap<RecordFiles>,
): Promise<{ readonly replaced: readonly ReplacedFile[]; readonly count: number }> {
  const saved: StoredFile[] = [];
  const removed: FileRef[] = [];
  const replaced: ReplacedFile[] = [];
  for (const record of records) {
    const { key } = record;
    const before = waiting.get(key);
    const tracked = track(context, record, before);
    if (!tracked) continue;
    for (const [column, file] of tracked.files) if (file !== before?.get(column)) saved.push({ key, column, file });
    removed.push(...tracked.settled.map((column) => ({ key, column })));
    replaced.push(...tracked.replaced.map((one) => ({ key, ...one })));
  }
  await saveWaitingFiles(db, context.stateId, saved);
  await removeWaitingFiles(db, context.stateId, removed);
  await closeOpenConflicts(db, context.stateId, removed);
  // While a file waited, Helium's own was not sent.
  await markDirty(
    db,
    context.stateId,
    removed.map(({ key }) => key),
  );
  return { replaced, count: saved.length + removed.length };
}

export function track(
  context: SyncContext,
  record: RecordEntries,
  before: RecordFiles | undefined,
): TrackedFiles | null {
  const map = findObjectMap(context, record.key.table);
  if (!map || !hasFiles(context, map.table)) return null;
  return trackFiles(map, record, before, { nowMs: Date.now(), backoff: context.fileBackoff });
}

/**
 * Gives the same file the same value in a record's entries, its row and its known state, where one
 * of them lacks the name. Returns the same objects when nothing changes.
 */
export function nameFiles(
  context: Pick<SyncContext, 'mapping'>,
  record: RecordEntries,
  row: HeliumRow | null,
): { readonly record: RecordEntries; readonly row: HeliumRow | null } {
  const columns = findObjectMap(context, record.key.table)?.fields ?? [];
  if (!columns.some(({ kind }) => kind === 'blob')) return { record, row };
  const known = row === null ? record.known : withLearnedNames(columns, record.known, row.fields);
  // The echo of one of our writes comes before what Journey had.
  const states = [...known.intents.map(({ fields }) => fields), known.journey, row?.fields ?? null];
  const entries = record.entries.map((entry) => {
    const fields = entry.fields && adoptFiles(columns, entry.fields, states);
    return fields === entry.fields ? entry : { ...entry, fields };
  });
  const isSame = known === record.known && entries.every((entry, index) => entry === record.entries[index]);
  const named = isSame ? record : { ...record, known, entries };
  if (row === null) return { record: named, row };
  const others = [expectedFields(known), record.held?.base ?? null, ...entries.map(({ fields }) => fields)];
  const fields = adoptFiles(columns, row.fields, others);
  return { record: named, row: fields === row.fields ? row : { ...row, fields } };
}

/**
 * Returns the columns of files that the merge would write, or that lose against Helium's: their
 * bytes are not there.
 */
export function findFileChanges(context: Pick<SyncContext, 'mapping'>, merged: MergedEntry): string[] {
  const { key, row, rowAfter, conflicts, state, deferred } = merged;
  const isLosing = ({ column, journey, winner }: Conflict) =>
    winner === 'helium' && journey !== null && column !== null && getValue(state.journey, column) === journey;
  const lost = deferred === null ? conflicts.filter(isLosing).map(({ column }) => column) : [];
  return (findObjectMap(context, key.table)?.fields ?? []).flatMap(({ column, kind }) => {
    if (kind !== 'blob') return [];
    const value = getValue(rowAfter?.fields, column);
    const isWritten = value !== null && value !== getValue(row?.fields, column);
    return isWritten || lost.includes(column) ? [column] : [];
  });
}

/** Returns the entries without these columns: their files wait. */
export function withoutFiles(record: RecordEntries, columns: readonly string[]): RecordEntries {
  const entries = record.entries.map((entry) => {
    if (entry.fields === null) return entry;
    const isKept = ([column, value]: readonly [string, Value]) => value === null || !columns.includes(column);
    return {
      ...entry,
      fields: Object.assign(createFields(), Object.fromEntries(Object.entries(entry.fields).filter(isKept))),
    };
  });
  return { ...record, entries };
}

/** Returns the columns of files without which a new row cannot be inserted. */
export function findRequiredFiles(
  context: Pick<SyncContext, 'mapping'>,
  { key, row, rowAfter }: MergedEntry,
  files: RecordFiles,
): string[] {
  if (row !== null || rowAfter === null) return [];
  const mapped = findObjectMap(context, key.table)?.fields ?? [];
  return mapped.flatMap(({ column, isRequired }) =>
    isRequired && files.has(column) && getValue(rowAfter.fields, column) === null ? [column] : [],
  );
}
