/**
 * Stores the files of Journey that Helium does not have yet, with one row per record and column.
 */

import type { WaitingFile as ListedFile } from '@portal/contract/sync/records';
import { namedQuery } from '@portal/kit/postgres/named-query';
import { toStorableText } from '@portal/kit/postgres/storable-text';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { HeliumBlob } from '../record/blob.ts';
import { KeyMap, type RecordKey } from '../record/record-key.ts';
import type { WaitingFile } from '../record/waiting-file.ts';
import { keyColumns } from './array-parameters.ts';
import { fileKind } from './held-records.store.ts';

/** The waiting files of a record, by column. */
export type RecordFiles = ReadonlyMap<string, WaitingFile>;

export interface FileRef {
  readonly key: RecordKey;
  readonly column: string;
}

export interface StoredFile extends FileRef {
  readonly file: WaitingFile;
  /** Of a file that is fetched only to keep it: see `lost-files.store.ts`. */
  readonly lost?: LostFile;
}

export interface LostFile {
  /** The number of the conflict that it lost. */
  readonly conflict: string;
  /** Its bytes, once they are known. */
  readonly size: number | null;
}

const columns = `f.table_name as "table", f.conflict::text, f.size::float8, f.id::text, f.column_name as "column", f.journey_id as "journeyId", f.state,
  f.url, f.changed_at_ms::float8 as "changedAtMs", f.attempts, f.reason, f.value,
  -- By the clock of this process.
  extract(epoch from f.retry_at - clock_timestamp())::float8 * 1000 + $1 as "retryAtMs"`;

type Row = WaitingFile & RecordKey & { readonly column: string } & LostFile;

function toStored({ table, id, column, conflict, size, ...file }: Row): StoredFile {
  return { key: { table, id }, column, file, ...(conflict !== '0' && { lost: { conflict, size } }) };
}

export async function readWaitingFiles(
  db: Db,
  stateId: number,
  keys: readonly RecordKey[],
): Promise<KeyMap<RecordFiles>> {
  const files = new KeyMap<Map<string, WaitingFile>>();
  if (keys.length === 0) return files;
  const { rows } = await db.query<Row>(
    namedQuery(
      'portal-sync-waiting-files',
      `select ${columns} from unnest($2::text[], $3::uuid[]) as k (table_name, id)
       join __portal_sync__.file_wait f
         on f.state_id = $4 and f.table_name = k.table_name and f.id = k.id and f.conflict = 0`,
      [Date.now(), ...keyColumns(keys), stateId],
    ),
  );
  for (const { key, column, file } of rows.map(toStored)) {
    const ofRecord = files.get(key);
    if (ofRecord) ofRecord.set(column, file);
    else files.set(key, new Map([[column, file]]));
  }
  return files;
}

/**
 * Saves files, without their bytes. Those of a file that is replaced are deleted. A file that an
 * operator has skipped in the meantime stays skipped while its state is the same.
 */
export async function saveWaitingFiles(db: Db, stateId: number, files: readonly StoredFile[]): Promise<void> {
  if (files.length === 0) return;
  const rows = files.map(({ key, column, file, lost }) => ({
    ...key,
    column,
    conflict: lost?.conflict ?? '0',
    ...file,
    reason: toStorableText(file.reason),
  }));
  await db.query(
    `insert into __portal_sync__.file_wait as w
       (state_id, table_name, id, column_name, conflict, state, journey_id, url, changed_at_ms, attempts, retry_at, reason, value)
     select $1, f."table", f.id, f."column", f.conflict, f.state, f."journeyId", f.url, f."changedAtMs", f.attempts,
       clock_timestamp() + (f."retryAtMs" - $3) * interval '1 millisecond', f.reason, f.value
     from jsonb_to_recordset($2) as f ("table" text, id uuid, "column" text, conflict bigint, state text, "journeyId" text, url text,
       "changedAtMs" bigint, attempts int, "retryAtMs" float8, reason text, value text)
     on conflict (state_id, table_name, id, column_name, conflict) do update set
       since = case when w.journey_id = excluded.journey_id then w.since else now() end,
       state = excluded.state, journey_id = excluded.journey_id, url = excluded.url,
       changed_at_ms = excluded.changed_at_ms, attempts = excluded.attempts,
       retry_at = case when w.retry_at is null and w.journey_id = excluded.journey_id and w.state = excluded.state then null
         else excluded.retry_at end,
       reason = excluded.reason, value = excluded.value,
       bytes = case when w.value = excluded.value then w.bytes end,
       file_name = case when w.value = excluded.value then w.file_name end,
       media_type = case when w.value = excluded.value then w.media_type end`,
    [stateId, JSON.stringify(rows), Date.now()],
  );
}

/** Stores the bytes of a downloaded file that cannot be written yet. */
export async function saveFileBytes(
  db: Db,
  stateId: number,
  { key, column }: FileRef,
  { bytes, fileName, mediaType }: HeliumBlob,
): Promise<void> {
  await db.query(
    `update __portal_sync__.file_wait set bytes = $5, file_name = $6, media_type = $7
     where state_id = $1 and table_name = $2 and id = $3 and column_name = $4 and conflict = 0`,
    [stateId, key.table, key.id, column, bytes, fileName, mediaType],
  );
}

/** Returns the stored bytes; null when there are none. */
export async function readFileBytes(db: Db, stateId: number, { key, column }: FileRef): Promise<HeliumBlob | null> {
  const { rows } = await db.query<HeliumBlob>(
    `select bytes, file_name as "fileName", media_type as "mediaType" from __portal_sync__.file_wait
     where state_id = $1 and table_name = $2 and id = $3 and column_name = $4 and conflict = 0 and bytes is not null`,
    [stateId, key.table, key.id, column],
  );
  return rows[0] ?? null;
}

export async function removeWaitingFiles(db: Db, stateId: number, files: readonly FileRef[]): Promise<void> {
  if (files.length === 0) return;
  await removeRows(
    db,
    'file_wait',
    `select f.ctid from __portal_sync__.file_wait f, unnest($2::text[], $3::uuid[], $4::text[]) as k (table_name, id, column_name)
     where f.state_id = $1 and f.table_name = k.table_name and f.id = k.id and f.column_name = k.column_name
       and f.conflict = 0 for update of f`,
    [stateId, ...keyColumns(files.map(({ key }) => key)), files.map(({ column }) => column)],
  );
}

/**
 * Returns the files whose next attempt is due: those that were not tried yet first, then the
 * longest due. A file of a held record waits for the record, unless the record waits for its files.
 * One that is fetched only to keep it concerns no row.
 */
export async function readDueFiles(
  db: Db,
  stateId: number,
  { tables, limit }: { readonly tables: readonly string[]; readonly limit: number },
): Promise<StoredFile[]> {
  const { rows } = await db.query<Row>(
    `select ${columns} from __portal_sync__.file_wait f
     where f.state_id = $2 and f.retry_at <= now() and (f.conflict > 0 or f.table_name = any($3) and ${isWritableSql})
     order by f.attempts > 0, f.retry_at, f.number limit $4`,
    [Date.now(), stateId, tables, limit],
  );
  return rows.map(toStored);
}

/** Returns in how many milliseconds the next attempt is due; null when none is. */
export async function readNextFileMs(db: Db, stateId: number, tables: readonly string[]): Promise<number | null> {
  const { rows } = await db.query<{ next: number | null }>(
    `select extract(epoch from min(f.retry_at) - now())::float8 * 1000 as next from __portal_sync__.file_wait f
     where f.state_id = $1 and f.retry_at is not null and (f.conflict > 0 or f.table_name = any($2) and ${isWritableSql})`,
    [stateId, tables],
  );
  const next = rows[0]?.next ?? null;
  return next === null ? null : Math.max(0, next);
}

const isWritableSql = `not exists (select from __portal_sync__.held h where h.state_id = f.state_id
  and h.direction = 'journey-to-helium' and h.table_name = f.table_name and h.id = f.id and h.kind <> '${fileKind}')`;

/** Lists waiting files for operators, oldest first. */
export async function listWaitingFiles(
  db: Db,
  stateId: number,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ files: ListedFile[]; total: number }> {
  const { rows } = await db.query<
    Omit<ListedFile, 'since' | 'nextAttempt'> & { readonly since: Date; readonly nextAttempt: Date | null }
  >(
    `select number::text as no, table_name as "table", id::text, column_name as "column", state,
       journey_id as "journeyId", reason, attempts, since, retry_at as "nextAttempt"
     from __portal_sync__.file_wait where state_id = $1 and ($2::bigint is null or number > $2) order by number limit $3`,
    [stateId, after ?? null, limit],
  );
  const { rows: counted } = await db.query(
    'select count(*)::int as total from __portal_sync__.file_wait where state_id = $1',
    [stateId],
  );
  const files = rows.map(({ since, nextAttempt, ...file }) => ({
    ...file,
    since: since.toISOString(),
    nextAttempt: nextAttempt?.toISOString() ?? null,
  }));
  return { files, total: counted[0]?.total ?? 0 };
}

/**
 * Schedules an immediate attempt, and returns for how many files. Without numbers, for all that are
 * not skipped.
 */
export async function requestFiles(db: Db, stateId: number, numbers: readonly string[] | null): Promise<number> {
  const { rowCount } = await db.query(
    `update __portal_sync__.file_wait set retry_at = now()
     where state_id = $1 and case when $2::bigint[] is null then retry_at is not null else number = any($2) end`,
    [stateId, numbers],
  );
  return rowCount ?? 0;
}

/**
 * Lets Helium's changes no longer wait for files, and returns for how many. A file that is fetched
 * only to keep it may then be overwritten, and is still tried.
 */
export async function skipFiles(db: Db, stateId: number, numbers: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ files: number }>(
    `with skipped as (
       update __portal_sync__.file_wait
       set retry_at = case when conflict > 0 then retry_at end, is_overwritten = conflict > 0
       where state_id = $1 and number = any($2::bigint[]) returning table_name, id
     ), marked as (
       insert into __portal_sync__.dirty (state_id, table_name, id) select distinct $1::int, table_name, id from skipped
       on conflict (state_id, table_name, id) do update set mark = excluded.mark
     )
     select count(*)::int as files from skipped`,
    [stateId, numbers],
  );
  await db.query(
    `update __portal_sync__.conflict c set waits = null from __portal_sync__.file_wait f
     where f.state_id = $1 and f.number = any($2::bigint[]) and c.number = f.conflict and not exists (
       select from __portal_sync__.file_wait o
       where o.state_id = $1 and o.conflict = f.conflict and not o.is_overwritten)`,
    [stateId, numbers],
  );
  return rows[0]?.files ?? 0;
}
