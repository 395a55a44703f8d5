/**
 * Journey → Helium: writes one downloaded file in a transaction of its own, with its record's
 * state. A file is merged like an entry of the op-log that changes only its field.
 */

import type { Db } from '../../../helium/helium-gateway.ts';
import { withLimitedWaits } from '../../../helium/limit-waits.ts';
import type { JourneyEntry } from '../../../journey/journey-gateway.ts';
import { toBlobValue } from '../../../journey/known-attachments.ts';
import { toFieldFile } from '../../../mapping/file-values.ts';
import type { HeliumBlob } from '../../../record/blob.ts';
import { areFieldsEqual, createFields, getValue, type Value } from '../../../record/fields.ts';
import { getFileHash } from '../../../record/file-value.ts';
import { KeyMap } from '../../../record/record-key.ts';
import { failFile, storeFile, type WaitingFile } from '../../../record/waiting-file.ts';
import { saveAttachments } from '../../../sync-state/attachments.store.ts';
import { closeOpenConflicts, openConflict } from '../../../sync-state/conflicts.store.ts';
import { markDirty } from '../../../sync-state/dirty-records.store.ts';
import { fileKind, readHeld } from '../../../sync-state/held-records.store.ts';
import { readRecords } from '../../../sync-state/records.store.ts';
import {
  type FileRef,
  type RecordFiles,
  readFileBytes,
  readWaitingFiles,
  removeWaitingFiles,
  saveFileBytes,
  saveWaitingFiles,
} from '../../../sync-state/waiting-files.store.ts';
import { findObjectMap, inPageTransaction, type SyncContext } from '../../state/context.ts';
import { saveConflicts } from '../../state/save-conflicts.ts';
import type { MergedEntry, MergeOutcome, RecordEntries } from '../../to-helium/merger/merged-entry.ts';
import { readConflicts } from '../../to-helium/merger/read-conflicts.ts';
import { recordOutcomes } from '../../to-helium/receipts.ts';
import { lockAndMerge, planHeliumWrite } from '../../to-helium/writer.ts';
import { dropLosers, keepLosers, linkLosers } from '../book/kept.ts';
import { lacksEnd } from './read-file.ts';

/**
 * - written: Helium has the file, or keeps its own, which is a conflict that keeps the file that
 *   lost
 * - stored: it cannot be written yet; its bytes are stored with the reason
 * - replaced: it does not wait any more
 */
export type FileResult = 'written' | 'stored' | 'replaced';

interface DownloadedFile extends FileRef {
  readonly journeyId: string;
  readonly blob: HeliumBlob;
}

export function applyFile(context: SyncContext, downloaded: DownloadedFile): Promise<FileResult> {
  const { key } = downloaded;
  return inPageTransaction(context, { direction: 'journey-to-helium', keys: [key] }, async (db, run) => ({
    result: await withLimitedWaits(db, () => writeFile(context, db, downloaded, run.changeLogCursor)),
    change: {},
  }));
}

async function writeFile(
  context: SyncContext,
  db: Db,
  downloaded: DownloadedFile,
  changeLogCursor: string,
): Promise<FileResult> {
  const { key, column, journeyId, blob } = downloaded;
  const { stateId } = context;
  const waiting: RecordFiles = (await readWaitingFiles(db, stateId, [key])).get(key) ?? new Map();
  const file = waiting.get(column);
  if (file?.journeyId !== journeyId) return 'replaced';
  const known = (await readRecords(db, stateId, [key])).get(key);
  if (known.journey === null) {
    await removeWaitingFiles(db, stateId, [{ key, column }]);
    await closeOpenConflicts(db, stateId, [{ key, column }]);
    return 'replaced';
  }
  const store = async (reason: string): Promise<FileResult> => {
    const stored = storeFile(file, toValue(context, downloaded, blob));
    const next = failFile(stored, reason, Date.now(), context.fileBackoff);
    await saveWaitingFiles(db, stateId, [{ key, column, file: next }]);
    if (file.state !== 'downloaded') await saveFileBytes(db, stateId, { key, column }, blob);
    return 'stored';
  };
  const held = (await readHeld(db, stateId, [key]))['journey-to-helium'].get(key);
  if (held && held.kind !== fileKind) return store('Its record is on hold.');
  const files = await collectFiles(context, db, { ...downloaded, file, waiting, isForInsert: held !== undefined });
  if (files === null) return store('Its record needs another file first.');

  const entry = toEntry(downloaded, known.journey, files);
  const record: RecordEntries = { key, entries: [entry], known, held, isListed: false };
  const merged = (await lockAndMerge(context, db, [record], changeLogCursor))(record);
  if (merged.deferred !== null) return store(merged.deferred);
  if (merged.row === null && !held) return store('Helium does not have its record.');
  const conflicts = await readConflicts(context, db, [merged]);
  const blobs = new Map([...files].map(([name, one]) => [name, one.blob]));
  const losers = await keepLosers(context, db, merged, blobs);
  if ('problem' in losers) return storeOpen(context, db, merged, files, { problem: losers.problem, store });
  const outcome = await writeMerged(context, db, merged, files);
  const isWritten = outcome === undefined || outcome.status === 'written';
  if (!isWritten) await dropLosers(db, losers.kept);
  if (outcome?.status === 'waiting') return store(outcome.reason);
  const outcomes = new KeyMap<MergeOutcome>();
  if (outcome) outcomes.set(key, outcome);
  if (!isWritten && !held) return store(`Helium rejected it: ${describe(outcome)}`);
  if (isWritten) {
    await closeOpenConflicts(
      db,
      stateId,
      [...files.keys()].map((name) => ({ key, column: name })),
    );
    await linkLosers(db, losers.kept, await saveConflicts(context, db, conflicts));
  }
  await recordOutcomes(context, db, [merged], outcomes, false);
  if (!isWritten) return store('Its record is on hold.');
  const { state } = merged;
  const refs = [...files.keys()].map((name) => ({ key, column: name }));
  await removeWaitingFiles(db, stateId, refs);
  await saveAttachments(
    db,
    stateId,
    [...files].map(([name, one]) => {
      const merged = getValue(state.journey, name);
      // The merge may have named it.
      const isSame = typeof merged === 'string' && getFileHash(merged) === getFileHash(one.value);
      return {
        journeyId: one.file.journeyId,
        value: isSame ? merged : one.value,
        key,
        column: name,
        lacksEnd: lacksEnd(one.blob),
      };
    }),
  );
  // While it waited, Helium's own file was not sent.
  await markDirty(db, stateId, [key]);
  return 'written';
}

/** Notes that the conflict stays open: its loser cannot be kept, so nothing is overwritten. */
async function storeOpen(
  { stateId }: SyncContext,
  db: Db,
  { key, conflicts }: MergedEntry,
  files: ReadonlyMap<string, CollectedFile>,
  { problem, store }: { readonly problem: string; readonly store: (reason: string) => Promise<FileResult> },
): Promise<FileResult> {
  for (const conflict of conflicts)
    if (conflict.column !== null && files.has(conflict.column)) await openConflict(db, stateId, key, conflict, problem);
  return store(`Both sides changed it, and the file that loses cannot be kept. ${problem}`);
}

interface CollectedFile {
  readonly file: WaitingFile;
  readonly value: string;
  readonly blob: HeliumBlob;
}

/**
 * Returns the files to write together, by column: all that a new row needs. null when one of them
 * is not there yet.
 */
async function collectFiles(
  context: SyncContext,
  db: Db,
  {
    key,
    column,
    blob,
    file,
    waiting,
    isForInsert,
  }: Omit<DownloadedFile, 'journeyId'> & {
    readonly file: WaitingFile;
    readonly waiting: RecordFiles;
    readonly isForInsert: boolean;
  },
): Promise<ReadonlyMap<string, CollectedFile> | null> {
  const files = new Map<string, CollectedFile>([
    [column, { file, value: toValue(context, { key, column }, blob), blob }],
  ]);
  if (!isForInsert) return files;
  for (const { column: name, isRequired } of findObjectMap(context, key.table)?.fields ?? []) {
    const other = isRequired && name !== column ? waiting.get(name) : undefined;
    if (!other) continue;
    const bytes = await readFileBytes(db, context.stateId, { key, column: name });
    if (bytes === null) return null;
    files.set(name, { file: other, value: toValue(context, { key, column: name }, bytes), blob: bytes });
  }
  return files;
}

function toValue(context: SyncContext, { key, column }: FileRef, { bytes, fileName }: HeliumBlob): string {
  const field = findObjectMap(context, key.table)?.fields.find((one) => one.column === column);
  return toFieldFile(field ?? { column }, toBlobValue(bytes), fileName);
}

function toEntry(
  { key }: DownloadedFile,
  journey: NonNullable<JourneyEntry['fields']>,
  files: ReadonlyMap<string, CollectedFile>,
): JourneyEntry {
  const fields: Record<string, Value> = Object.assign(createFields(), journey);
  for (const [column, { value }] of files) fields[column] = value;
  const changedAtMs = Math.max(...[...files.values()].map(({ file }) => file.changedAtMs));
  return { sequence: '0', key, operation: 'update', fields, changedAtMs };
}

/** Returns undefined when Helium's row already is as the merge wants it. */
async function writeMerged(
  context: SyncContext,
  db: Db,
  merged: MergedEntry,
  files: ReadonlyMap<string, CollectedFile>,
) {
  const { row, rowAfter } = merged;
  if (areFieldsEqual(rowAfter?.fields ?? null, row?.fields ?? null)) return undefined;
  const blobs = Object.fromEntries([...files].map(([column, { blob }]) => [column, blob]));
  const [outcome] = await context.helium.write(db, context.mapping.objects, [planHeliumWrite(merged, blobs)]);
  return outcome;
}

function describe(outcome: MergeOutcome): string {
  return outcome.status === 'refused' ? outcome.reason : 'its record lacks what it references.';
}
