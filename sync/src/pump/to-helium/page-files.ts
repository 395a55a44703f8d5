/** The files of the records of a page: their bytes are not there when the page is applied. */
import type { Db } from '../../helium/helium-gateway.ts';
import { createFields, getValue, type Value } from '../../record/fields.ts';
import type { KeyMap } from '../../record/record-key.ts';
import { markDirty } from '../../sync-state/dirty-records.store.ts';
import {
  type FileRef,
  type RecordFiles,
  removeWaitingFiles,
  type StoredFile,
  saveWaitingFiles,
} from '../../sync-state/waiting-files.store.ts';
import { hasFiles } from '../shared/has-files.ts';
import type { RecordConflict } from '../shared/save-conflicts.ts';
import { findObjectMap, type SyncContext } from '../shared/sync-context.ts';
import type { MergedEntry, RecordEntries } from './merge-entries.ts';
import { type TrackedFiles, trackFiles } from './track-files.ts';

/** Saves which files wait after the page. */
export async function saveFiles(
  context: SyncContext,
  db: Db,
  records: readonly RecordEntries[],
  waiting: KeyMap<RecordFiles>,
): Promise<{ readonly conflicts: readonly RecordConflict[]; readonly count: number }> {
  const saved: StoredFile[] = [];
  const removed: FileRef[] = [];
  const conflicts: RecordConflict[] = [];
  for (const record of records) {
    const { key } = record;
    const before = waiting.get(key);
    const tracked = track(context, record, before);
    if (!tracked) continue;
    for (const [column, file] of tracked.files) if (file !== before?.get(column)) saved.push({ key, column, file });
    removed.push(...tracked.settled.map((column) => ({ key, column })));
    conflicts.push(...tracked.conflicts.map((conflict) => ({ key, conflict })));
  }
  await saveWaitingFiles(db, context.stateId, saved);
  await removeWaitingFiles(db, context.stateId, removed);
  // While a file waited, Helium's own was not sent.
  await markDirty(
    db,
    context.stateId,
    removed.map(({ key }) => key),
  );
  return { conflicts, count: saved.length + removed.length };
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

/** Returns the columns of files that the merge would write: their bytes are not there. */
export function findFileChanges(context: Pick<SyncContext, 'mapping'>, { key, row, rowAfter }: MergedEntry): string[] {
  return (findObjectMap(context, key.table)?.fields ?? []).flatMap(({ column, kind }) => {
    const value = kind === 'blob' ? getValue(rowAfter?.fields, column) : null;
    return value !== null && value !== getValue(row?.fields, column) ? [column] : [];
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
