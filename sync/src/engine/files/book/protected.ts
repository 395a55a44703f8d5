/** The files of Journey that a write of Helium must not overwrite yet. */
import type { Db } from '../../../helium/helium-gateway.ts';
import type { JourneyWrite } from '../../../journey/journey-gateway.ts';
import { createFields, type Fields, getValue, isEmpty } from '../../../record/fields.ts';
import type { Conflict } from '../../../record/merge.ts';
import type { KeyMap, RecordKey } from '../../../record/record-key.ts';
import { isSkipped, type SeenFile } from '../../../record/waiting-file.ts';
import { readGuardedFiles, readKeptIds } from '../../../sync-state/lost-files.store.ts';
import { type RecordFiles, readWaitingFiles } from '../../../sync-state/waiting-files.store.ts';
import { expectsEcho, type SyncContext } from '../../state/context.ts';
import type { MergedRecord } from '../../to-journey/planner/merge-found.ts';
import { hasFiles } from './has-files.ts';

/** Journey's ids of files, by column. */
export type FileIds = ReadonlyMap<string, string>;

interface PageFiles {
  /** Files that Helium does not have yet. */
  readonly waiting: KeyMap<RecordFiles>;
  /** Files that lost a conflict and are not kept yet. */
  readonly guarded: KeyMap<FileIds>;
  /** Those of the waiting files that are kept. */
  readonly keptIds: ReadonlySet<string>;
}

/** Reads what is known of the files of a page of records. */
export async function readPageFiles(context: SyncContext, db: Db, keys: readonly RecordKey[]): Promise<PageFiles> {
  const { stateId } = context;
  const withFiles = keys.filter(({ table }) => hasFiles(context, table));
  const followed = withFiles.filter(({ table }) => expectsEcho(context, table));
  const waiting = await readWaitingFiles(db, stateId, followed);
  const waitingIds = followed.flatMap((key) => [...getFileIds(waiting.get(key)).values()]);
  return {
    waiting,
    guarded: await readGuardedFiles(db, stateId, withFiles),
    keptIds: await readKeptIds(db, stateId, waitingIds),
  };
}

export interface SentFields {
  readonly method: JourneyWrite['method'];
  readonly fields: Fields;
  /** Of a put: Journey's ids of files that wait for Helium, by column. */
  readonly keptFiles?: Readonly<Record<string, string>>;
}

interface ProtectedWrite {
  /** What can be sent now. */
  readonly write: SentFields | null;
  /** The record, if it is deleted or replaced with files that Helium never had. */
  readonly lost: readonly MergedRecord[];
  /** Columns whose files no longer wait for Helium. */
  readonly dropped: readonly string[];
}

/**
 * Leaves out of a write what would overwrite or remove files that are not safe yet.
 *
 * @param isLookedUp whether what is known of Journey's record was just merged, with its lost files
 */
export function protectFiles(
  { waiting, guarded, keptIds }: PageFiles,
  record: MergedRecord,
  wanted: SentFields | null,
  isLookedUp: boolean,
): ProtectedWrite {
  const { key, known } = record;
  const ofRecord = waiting.get(key);
  const guardedIds = guarded.get(key);
  if (!ofRecord && !guardedIds && !record.lost) return { write: wanted, lost: [], dropped: [] };
  const ids = new Map([...(guardedIds ?? []), ...getIds(record.lost)]);
  const isDeletion = wanted?.method === 'delete' && ofRecord !== undefined && !isLookedUp;
  const unseen = isDeletion
    ? findUnseenFiles(ofRecord, new Set([...keptIds, ...ids.values()]))
    : new Map<string, SeenFile>();
  for (const [column, id] of getIds(unseen)) ids.set(column, id);
  const lost = { key, known, conflicts: toConflicts(unseen), lost: unseen, changedAtMs: null };
  const write = guardFiles(withholdFiles(wanted, getFileIds(ofRecord)), ids);
  const skipped = findReplacedFiles(ofRecord, known, write);
  return {
    write,
    lost: [
      ...(unseen.size > 0 ? [lost] : []),
      ...(write && skipped.size > 0 ? [toSkipped(record, write, skipped)] : []),
    ],
    dropped: isDeletion ? [...ofRecord.keys()] : [],
  };
}

/** Finds the skipped files that a write replaces, and no earlier one has. */
function findReplacedFiles(
  files: RecordFiles | undefined,
  { intents }: Pick<MergedRecord['known'], 'intents'>,
  write: SentFields | null,
): RecordFiles {
  if (!files || !write || write.method === 'delete') return new Map();
  const isNew = (column: string) =>
    Object.hasOwn(write.fields, column) && !intents.some(({ fields }) => Object.hasOwn(fields, column));
  return new Map([...files].filter(([column, file]) => isSkipped(file) && isNew(column)));
}

/**
 * Records what is replaced when it is sent. The echo may be read before the answer, and then looks
 * like another file of a device.
 */
function toSkipped({ key, known }: MergedRecord, { fields }: SentFields, files: RecordFiles): MergedRecord {
  const conflicts = [...files].map(
    ([column, { journeyId }]): Conflict => ({
      column,
      helium: getValue(fields, column),
      journey: journeyId,
      winner: 'helium',
    }),
  );
  const lost = new Map([...files].map(([column, { journeyId: id, url }]) => [column, { id, url, state: null }]));
  return { key, known, conflicts, lost, isSkipped: true };
}

/**
 * Keeps Journey's files that Helium does not have yet: a patch leaves them, a put names them.
 * Helium's own file in such a column is compared with Journey's once that is there.
 */
export function withholdFiles(write: SentFields | null, files: FileIds): SentFields | null {
  if (!write || files.size === 0 || write.method === 'delete') return write;
  const { method } = write;
  const fields = Object.assign(createFields(), write.fields);
  const keptFiles = Object.assign(createFields<string>(), write.keptFiles);
  for (const [column, journeyId] of files) {
    if (method === 'put') {
      fields[column] = null;
      keptFiles[column] = journeyId;
    } else delete fields[column];
  }
  if (method === 'put') return { method, fields, keptFiles };
  return isEmpty(fields) ? null : { method, fields };
}

/**
 * Sends nothing that overwrites a file which lost a conflict, or deletes its record, until the file
 * is kept.
 */
function guardFiles(write: SentFields | null, files: FileIds): SentFields | null {
  return write?.method === 'delete' && files.size > 0 ? null : withholdFiles(write, files);
}

/** Finds the files of an object that Helium deletes without ever having had them. */
function findUnseenFiles(waiting: RecordFiles, safeIds: ReadonlySet<string>): ReadonlyMap<string, SeenFile> {
  const unseen = new Map<string, SeenFile>();
  for (const [column, { journeyId: id, url }] of waiting)
    if (url !== null && !safeIds.has(id)) unseen.set(column, { id, url, state: null });
  return unseen;
}

function toConflicts(lost: ReadonlyMap<string, SeenFile>): Conflict[] {
  return [...getIds(lost)].map(([column, journey]) => ({ column, helium: null, journey, winner: 'helium' }));
}

function getIds(files: ReadonlyMap<string, SeenFile> | undefined): FileIds {
  return new Map([...(files ?? [])].map(([column, { id }]) => [column, id]));
}

/** Returns the files that Helium's own changes wait for. */
export function getFileIds(files: RecordFiles | undefined): FileIds {
  const waiting = [...(files ?? [])].filter(([, file]) => !isSkipped(file));
  return new Map(waiting.map(([column, { journeyId }]) => [column, journeyId]));
}
