/** Finds the files to download now: asks Journey for the addresses of those that it announced. */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { DataModelChanged } from '../../../journey/stale-mapping.ts';
import { answerAddress, needsAddress, type SeenFile, type WaitingFile } from '../../../record/waiting-file.ts';
import { isStillLost } from '../../../sync-state/lost-files.store.ts';
import {
  type FileRef,
  readDueFiles,
  readWaitingFiles,
  type StoredFile,
  saveWaitingFiles,
} from '../../../sync-state/waiting-files.store.ts';
import { findObjectMap, inPageTransaction, type SyncContext } from '../../state/context.ts';
import { hasFiles } from '../book/has-files.ts';

/** How many files are read at once to start with. */
const pageSize = 100;

/** Returns the tables whose files are downloaded. */
export function listFileTables(context: Pick<SyncContext, 'mapping'>): string[] {
  return context.mapping.objects
    .filter(({ table, toHelium }) => toHelium && hasFiles(context, table))
    .map(({ table }) => table);
}

/**
 * Returns the records and columns that wait for each file, by Journey's id.
 *
 * @param running the downloads under way, by Journey's id of the file
 */
export async function findDueFiles(
  context: SyncContext,
  running: ReadonlyMap<string, unknown>,
  signal: AbortSignal,
): Promise<Map<string, readonly StoredFile[]>> {
  const tables = listFileTables(context);
  const found = await readDueFiles(context.helium.pool, context.stateId, { tables, limit: pageSize + running.size });
  const free = found.filter(({ file }) => !running.has(file.journeyId));
  const isSynced = ({ key, column }: FileRef) =>
    findObjectMap(context, key.table)?.fields.some((field) => field.column === column && field.kind === 'blob');
  const others = free.filter((one) => !one.lost && !isSynced(one));
  if (others.length > 0)
    await changeFiles(context, others, (file) => postpone(file, 'Its field is not synced.', context.fileBackoff.maxMs));
  const synced = free.filter((one) => one.lost || isSynced(one));
  // Its record may name another file by now, but its own address stays.
  const mustAsk = ({ file, lost }: StoredFile) => !lost && needsAddress(file);
  const answered = await askForAddresses(context, synced.filter(mustAsk), signal);
  const due = new Map<string, readonly StoredFile[]>();
  for (const one of [...synced.filter((one) => !mustAsk(one)), ...answered])
    due.set(one.file.journeyId, [...(due.get(one.file.journeyId) ?? []), one]);
  return due;
}

/** Returns the files that Journey has. */
async function askForAddresses(
  context: SyncContext,
  files: readonly StoredFile[],
  signal: AbortSignal,
): Promise<StoredFile[]> {
  const answered: StoredFile[] = [];
  for (const table of new Set(files.map(({ key }) => key.table))) {
    const map = findObjectMap(context, table);
    const ofTable = files.filter(({ key }) => key.table === table);
    if (!map) continue;
    const ids = [...new Set(ofTable.map(({ key }) => key.id))];
    try {
      const listed = await context.journey.listByIds(map, ids, signal);
      const entries = new Map(listed.map(({ key, attachments = {} }) => [key.id, attachments]));
      const find = ({ key, column }: FileRef): SeenFile | null => {
        const attachments = entries.get(key.id) ?? {};
        return Object.hasOwn(attachments, column) ? (attachments[column] ?? null) : null;
      };
      const changed = await changeFiles(context, ofTable, (file, ref) =>
        answerAddress(file, find(ref), Date.now(), context.fileBackoff),
      );
      answered.push(...changed.filter((one) => find(one)?.id === one.file.journeyId && one.file.url !== null));
    } catch (error) {
      if (!(error instanceof JourneyProblem || error instanceof DataModelChanged)) throw error;
      await changeFiles(context, ofTable, (file) => postpone(file, error.message, context.fileBackoff.initialMs));
    }
  }
  return answered;
}

/** Changes files that still wait, and returns them. */
export function changeFiles(
  context: SyncContext,
  files: readonly StoredFile[],
  change: (file: WaitingFile, ref: FileRef) => WaitingFile,
): Promise<StoredFile[]> {
  const keys = files.map(({ key }) => key);
  return inPageTransaction(context, { direction: 'journey-to-helium', keys }, async (db) => {
    const waiting = await readWaitingFiles(db, context.stateId, keys);
    const changed: StoredFile[] = [];
    for (const one of files) {
      const { key, column, file, lost } = one;
      const stored = waiting.get(key)?.get(column);
      const isThere = lost ? await isStillLost(db, context.stateId, one, lost) : stored?.journeyId === file.journeyId;
      const now = lost ? file : stored;
      if (isThere && now) changed.push({ ...one, file: change(now, { key, column }) });
    }
    await saveWaitingFiles(db, context.stateId, changed);
    return { result: changed, change: {} };
  });
}

/** Puts off an attempt that was not made. */
export function postpone(file: WaitingFile, reason: string, delayMs: number): WaitingFile {
  return { ...file, reason, retryAtMs: Date.now() + delayMs };
}
