/**
 * Files of Journey that lost a conflict and whose bytes are not there yet. Each is fetched to be
 * kept with its conflict, as a row of `file_wait`. Until then, Helium overwrites nothing of it,
 * unless that had happened before the conflict was found.
 */
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import { KeyMap, type RecordKey } from '../record/record-key.ts';
import type { SeenFile } from '../record/waiting-file.ts';
import { keyColumns } from './array-parameters.ts';
import type { FileRef } from './waiting-files.store.ts';

export interface LostJourneyFile extends FileRef {
  readonly conflict: string;
  readonly file: Pick<SeenFile, 'id' | 'url'>;
  readonly changedAtMs: number;
  readonly isOverwritten: boolean;
}

const fetchedReason = 'It lost a conflict, and is downloaded to be kept with it.';
const openReason = "Journey's files are downloaded first, to keep them with this conflict.";

/**
 * Has files fetched. What Journey does not have yet cannot be lost, and each file is kept once.
 */
export async function addLostFiles(db: Db, stateId: number, files: readonly LostJourneyFile[]): Promise<void> {
  const rows = files.flatMap(({ key, column, conflict, file, changedAtMs, isOverwritten }) =>
    file.url === null
      ? []
      : [{ ...key, column, conflict, journeyId: file.id, url: file.url, changedAtMs, isOverwritten }],
  );
  if (rows.length === 0) return;
  await db.query(
    `with added as (
       insert into __portal_sync__.file_wait (state_id, table_name, id, column_name, conflict, is_overwritten, state,
         journey_id, url, changed_at_ms, attempts, retry_at, reason)
       select $1, f."table", f.id, f."column", f.conflict, f."isOverwritten", 'uploaded', f."journeyId", f.url,
         f."changedAtMs", 0, now(), $3
       from jsonb_to_recordset($2) as f ("table" text, id uuid, "column" text, conflict bigint, "journeyId" text,
         url text, "changedAtMs" bigint, "isOverwritten" boolean)
       where not exists (select from __portal_sync__.file_wait w where w.state_id = $1 and w.table_name = f."table"
         and w.id = f.id and w.column_name = f."column" and w.conflict > 0 and w.journey_id = f."journeyId")
         and not exists (select from __portal_sync__.conflict_file k where k.state_id = $1 and k.journey_id = f."journeyId")
       on conflict do nothing
       returning conflict, is_overwritten
     )
     update __portal_sync__.conflict c set waits = $4 from added a where c.number = a.conflict and not a.is_overwritten`,
    [stateId, JSON.stringify(rows), fetchedReason, openReason],
  );
}

/** Returns Journey's ids of the files that must not be overwritten yet, by column. */
export async function readGuardedFiles(
  db: Db,
  stateId: number,
  keys: readonly RecordKey[],
): Promise<KeyMap<ReadonlyMap<string, string>>> {
  const guarded = new KeyMap<Map<string, string>>();
  if (keys.length === 0) return guarded;
  const { rows } = await db.query<RecordKey & { readonly column: string; readonly journeyId: string }>(
    `select f.table_name as "table", f.id::text, f.column_name as "column", f.journey_id as "journeyId"
     from unnest($2::text[], $3::uuid[]) as k (table_name, id)
     join __portal_sync__.file_wait f on f.state_id = $1 and f.table_name = k.table_name and f.id = k.id
     where f.conflict > 0 and not f.is_overwritten`,
    [stateId, ...keyColumns(keys)],
  );
  for (const { table, id, column, journeyId } of rows) {
    const ofRecord = guarded.get({ table, id }) ?? new Map<string, string>();
    guarded.set({ table, id }, ofRecord.set(column, journeyId));
  }
  return guarded;
}

/** Returns those of Journey's ids whose files are kept. */
export async function readKeptIds(db: Db, stateId: number, journeyIds: readonly string[]): Promise<Set<string>> {
  if (journeyIds.length === 0) return new Set();
  const { rows } = await db.query<{ id: string }>(
    'select journey_id as id from __portal_sync__.conflict_file where state_id = $1 and journey_id = any($2)',
    [stateId, journeyIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Notes that Journey itself has replaced these files, or deleted their records. They are still
 * fetched.
 */
export async function releaseGuardedFiles(db: Db, stateId: number, files: readonly FileRef[]): Promise<void> {
  if (files.length === 0) return;
  await db.query(
    `with released as (
       update __portal_sync__.file_wait f set is_overwritten = true
       from unnest($2::text[], $3::uuid[], $4::text[]) as k (table_name, id, column_name)
       where f.state_id = $1 and f.table_name = k.table_name and f.id = k.id and f.column_name = k.column_name
         and f.conflict > 0
       returning f.conflict
     )
     update __portal_sync__.conflict c set waits = null from released r where c.number = r.conflict`,
    [stateId, ...keyColumns(files.map(({ key }) => key)), files.map(({ column }) => column)],
  );
}

/** Returns whether a file still waits to be kept with this conflict. */
export async function isStillLost(
  db: Db,
  stateId: number,
  { key, column }: FileRef,
  { conflict }: { readonly conflict: string },
): Promise<boolean> {
  const { rows } = await db.query(`select from __portal_sync__.file_wait where ${lostFileSql} for update`, [
    stateId,
    key.table,
    key.id,
    column,
    conflict,
  ]);
  return rows.length > 0;
}

const lostFileSql = 'state_id = $1 and table_name = $2 and id = $3 and column_name = $4 and conflict = $5';

/** Notes that the file is kept. The conflict is decided with its last file. */
export async function removeLostFile(
  db: Db,
  stateId: number,
  { key, column }: FileRef,
  { conflict }: { readonly conflict: string },
): Promise<void> {
  await removeRows(db, 'file_wait', `select ctid from __portal_sync__.file_wait where ${lostFileSql} for update`, [
    stateId,
    key.table,
    key.id,
    column,
    conflict,
  ]);
  await db.query(
    `update __portal_sync__.conflict set waits = null where number = $1 and not exists (
       select from __portal_sync__.file_wait where state_id = $2 and conflict = $1 and not is_overwritten)`,
    [conflict, stateId],
  );
}

/**
 * Notes why a file cannot be kept now, and how large it is, so that it is not downloaded in vain.
 */
export async function noteNoRoom(
  db: Db,
  stateId: number,
  { key, column }: FileRef,
  { conflict, size, reason }: { readonly conflict: string; readonly size: number; readonly reason: string },
): Promise<void> {
  await db.query(`update __portal_sync__.file_wait set size = $6 where ${lostFileSql}`, [
    stateId,
    key.table,
    key.id,
    column,
    conflict,
    size,
  ]);
  await db.query('update __portal_sync__.conflict set waits = $2 where number = $1 and waits is not null', [
    conflict,
    reason,
  ]);
}

/**
 * Gives up files that Journey's records have lost already and that could not be fetched for as long
 * as they would have been kept.
 */
export async function removeMissedFiles(db: Db, stateId: number, days: number): Promise<void> {
  await removeRows(
    db,
    'file_wait',
    `select ctid from __portal_sync__.file_wait
     where state_id = $1 and conflict > 0 and is_overwritten and since < now() - $2 * interval '1 day' for update`,
    [stateId, days],
  );
}
