/** Finds the files of Journey that lose a conflict of a page, to have them fetched and kept. */
import type { Db } from '../../../helium/helium-gateway.ts';
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { getValue } from '../../../record/fields.ts';
import { isSameContent } from '../../../record/file-value.ts';
import { KeyMap, type RecordKey } from '../../../record/record-key.ts';
import type { SeenFile } from '../../../record/waiting-file.ts';
import type { SavedConflicts } from '../../../sync-state/conflicts.store.ts';
import { markDirty } from '../../../sync-state/dirty-records.store.ts';
import { type LostJourneyFile, readGuardedFiles, releaseGuardedFiles } from '../../../sync-state/lost-files.store.ts';
import type { FileRef, RecordFiles } from '../../../sync-state/waiting-files.store.ts';
import { findObjectMap, type SyncContext } from '../../state/context.ts';
import type { RecordConflict } from '../../state/save-conflicts.ts';
import type { MergedEntry, RecordEntries } from '../../to-helium/merger/merged-entry.ts';
import type { ReplacedFile } from './waiting.ts';

interface DecidedPage {
  readonly conflicts: readonly RecordConflict[];
  readonly records: readonly RecordEntries[];
  readonly merged: readonly MergedEntry[];
  /** The files that waited before the page. */
  readonly waiting: KeyMap<RecordFiles>;
}

/** A file that one of our writes has replaced before it was downloaded. */
export function toLostFile({ key, conflict, file }: ReplacedFile, saved: SavedConflicts): LostJourneyFile {
  return {
    key,
    column: conflict.column,
    conflict: saved.getNumber(key, conflict.column),
    file: { id: file.journeyId, url: file.url },
    changedAtMs: file.changedAtMs,
    isOverwritten: true,
  };
}

/**
 * Returns the files of Journey's records that Helium's deletion wins over or has already deleted,
 * and those that our own writes have replaced. Other files that lose wait until their bytes are
 * there, before the conflict is decided.
 */
export function findLostFiles(
  context: SyncContext,
  { conflicts, records, merged, waiting }: DecidedPage,
  saved: SavedConflicts,
): LostJourneyFile[] {
  const recordsByKey = new KeyMap<RecordEntries>();
  for (const record of records) recordsByKey.set(record.key, record);
  const mergedByKey = new KeyMap<MergedEntry>();
  for (const one of merged) mergedByKey.set(one.key, one);
  return conflicts.flatMap(({ key, conflict: { column, helium, journey, winner } }) => {
    const record = recordsByKey.get(key);
    const isDeleted = mergedByKey.get(key)?.state.journey === null;
    const isLost = journey !== null && (winner === 'helium' || (column === null && isDeleted));
    if (!record || !isLost || isSameContent(helium, journey)) return [];
    const columns = getBlobColumns(context, key).filter((name) => column === null || name === column);
    const found = columns.flatMap((name) => {
      const entry = record.entries.findLast(
        ({ fields }) => fields !== null && (column === null || isSameContent(getValue(fields, name), journey)),
      );
      const file = findSeen(entry, name) ?? (column === null ? findWaiting(waiting.get(key), name) : undefined);
      return file ? [{ column: name, file, changedAtMs: entry?.changedAtMs ?? 0 }] : [];
    });
    const conflict = saved.getNumber(key, column);
    return found.map((one) => ({ ...one, key, conflict, isOverwritten: column !== null || isDeleted }));
  });
}

function findSeen(entry: JourneyEntry | undefined, column: string): SeenFile | undefined {
  const { attachments = {} } = entry ?? {};
  return Object.hasOwn(attachments, column) ? attachments[column] : undefined;
}

function findWaiting(files: RecordFiles | undefined, column: string): Pick<SeenFile, 'id' | 'url'> | undefined {
  const file = files?.get(column);
  return file && { id: file.journeyId, url: file.url };
}

function getBlobColumns(context: SyncContext, { table }: RecordKey): string[] {
  return (findObjectMap(context, table)?.fields ?? []).flatMap(({ column, kind }) => (kind === 'blob' ? [column] : []));
}

/**
 * Notes that Journey itself has replaced files that wait to be kept, or deleted their records: then
 * nothing has to be kept from overwriting them.
 */
export async function releaseReplacedFiles(
  context: SyncContext,
  db: Db,
  records: readonly RecordEntries[],
  keys: readonly RecordKey[],
): Promise<void> {
  const guarded = await readGuardedFiles(db, context.stateId, keys);
  const replaced = records.flatMap(({ key, entries }): FileRef[] => {
    const last = entries.at(-1);
    const isReplaced = ([column, journeyId]: readonly [string, string]) => {
      const seen = findSeen(last, column);
      if (seen) return seen.id !== journeyId;
      return last?.fields === null || (last !== undefined && Object.hasOwn(last.fields ?? {}, column));
    };
    return [...(guarded.get(key) ?? [])].filter(isReplaced).map(([column]) => ({ key, column }));
  });
  await releaseGuardedFiles(db, context.stateId, replaced);
  // What was not sent because of them.
  await markDirty(
    db,
    context.stateId,
    replaced.map(({ key }) => key),
  );
}
