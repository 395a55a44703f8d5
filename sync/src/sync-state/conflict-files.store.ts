/**
 * Keeps the files that lose a conflict, with their bytes. They are kept in the transaction that
 * overwrites them, or before Journey is called, so that no failure loses both.
 */
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import { selectRowFiles } from '../helium/row-files.ts';
import type { HeliumBlob } from '../record/blob.ts';
import type { RecordKey } from '../record/record-key.ts';

/** How much is kept per integration; see `sync.keptFiles` in docs/configuration.md. */
export interface KeptFileLimits {
  readonly maxBytes: number;
  /** Of one file. */
  readonly maxFileBytes: number;
  readonly days: number;
}

export const defaultKeptFiles: KeptFileLimits = { maxBytes: 1_000_000_000, maxFileBytes: 50_000_000, days: 90 };

type Side = 'helium' | 'journey';

/** The numbers of kept files, or why they cannot be kept. */
export type KeepResult = { readonly numbers: readonly string[] } | { readonly problem: string };

/**
 * Reserves room until the transaction ends. Returns why there is none, as a sentence for operators;
 * null when there is.
 *
 * @param sizes bytes of files that are kept together, or not at all
 */
export async function reserveRoom(
  db: Db,
  stateId: number,
  sizes: readonly number[],
  limits: KeptFileLimits,
): Promise<string | null> {
  const largest = Math.max(0, ...sizes);
  if (largest > limits.maxFileBytes)
    return `It has ${formatMegabytes(largest)}, and only files of up to ${formatMegabytes(limits.maxFileBytes)} are kept. Raise \`sync.keptFiles.maxFileBytes\`, or give both sides the same file.`;
  // Two transactions that both see the last room would exceed it.
  await db.query('select from __portal_sync__.run where state_id = $1 for no key update', [stateId]);
  await removeExpiredFiles(db, stateId, limits);
  const { rows } = await db.query<{ used: number }>(
    'select coalesce(sum(size), 0)::float8 as used from __portal_sync__.conflict_file where state_id = $1',
    [stateId],
  );
  const used = rows[0]?.used ?? 0;
  const needed = sizes.reduce((sum, size) => sum + size, 0);
  if (used + needed <= limits.maxBytes) return null;
  return `There is no room for ${formatMegabytes(needed)}: ${formatMegabytes(used)} of ${formatMegabytes(limits.maxBytes)} are used for files of earlier conflicts. Raise \`sync.keptFiles.maxBytes\`, or wait until the oldest are removed.`;
}

function formatMegabytes(bytes: number): string {
  return `${(Math.ceil(bytes / 100_000) / 10).toLocaleString('en-US')} MB`;
}

/** Removes the files whose time is over. Returns how many there were. */
export function removeExpiredFiles(db: Db, stateId: number, { days }: KeptFileLimits): Promise<number> {
  const expired = `select ctid from __portal_sync__.conflict_file
    where state_id = $1 and kept_at < now() - $2 * interval '1 day' for update`;
  return removeRows(db, 'conflict_file', expired, [stateId, days]);
}

/**
 * Keeps files of a row that is about to be changed or deleted. Call it while the row is locked. The
 * files belong to no conflict yet: see `linkFiles`.
 *
 * @param columns null keeps all files, also those of columns that are not mapped
 */
export async function keepRowFiles(
  db: Db,
  { stateId, schema, limits }: { readonly stateId: number; readonly schema: string; readonly limits: KeptFileLimits },
  { table, id }: RecordKey,
  columns: readonly string[] | null,
): Promise<KeepResult> {
  const files = await selectRowFiles(db, schema, table, columns);
  if (files === null) return { numbers: [] };
  const { rows: found } = await db.query<{ size: number }>(`select f.size::float8 as size from (${files}) f`, [id]);
  if (found.length === 0) return { numbers: [] };
  const sizes = found.map(({ size }) => size);
  const problem = await reserveRoom(db, stateId, sizes, limits);
  if (problem !== null) return { problem };
  const { rows } = await db.query<{ number: string }>(
    `insert into __portal_sync__.conflict_file (state_id, column_name, side, file_name, media_type, size, bytes)
     select $2, f.column_name, 'helium', f.file_name, f.media_type, f.size, f.bytes from (${files}) f
     returning number::text`,
    [id, stateId],
  );
  return { numbers: rows.map(({ number }) => number) };
}

interface FileToKeep {
  readonly column: string;
  readonly side: Side;
  /** null when it is linked later. */
  readonly conflict?: string | null;
  /** Of a file that was fetched only to keep it. */
  readonly journeyId?: string | null;
}

/** Keeps a file whose bytes are available. */
export async function keepFile(
  db: Db,
  { stateId, limits }: { readonly stateId: number; readonly limits: KeptFileLimits },
  { column, side, conflict = null, journeyId = null }: FileToKeep,
  { bytes, fileName, mediaType }: HeliumBlob,
): Promise<KeepResult> {
  const problem = await reserveRoom(db, stateId, [bytes.length], limits);
  if (problem !== null) return { problem };
  const { rows } = await db.query<{ number: string }>(
    `insert into __portal_sync__.conflict_file (state_id, conflict, column_name, side, journey_id, file_name, media_type, size, bytes)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning number::text`,
    [stateId, conflict, column, side, journeyId, fileName, mediaType, bytes.length, bytes],
  );
  return { numbers: rows.map(({ number }) => number) };
}

/** Assigns kept files to the conflict that they lost. */
export async function linkFiles(db: Db, numbers: readonly string[], conflict: string): Promise<void> {
  if (numbers.length === 0) return;
  await db.query('update __portal_sync__.conflict_file set conflict = $2 where number = any($1::bigint[])', [
    numbers,
    conflict,
  ]);
}

/** Forgets files that were not overwritten after all. */
export async function dropFiles(db: Db, numbers: readonly string[]): Promise<void> {
  if (numbers.length === 0) return;
  const dropped = 'select ctid from __portal_sync__.conflict_file where number = any($1::bigint[]) for update';
  await removeRows(db, 'conflict_file', dropped, [numbers]);
}

/** A kept file without its bytes. */
export interface KeptFile extends Omit<HeliumBlob, 'bytes'> {
  readonly no: string;
  readonly key: RecordKey;
  readonly column: string;
  readonly conflict: string;
  readonly size: number;
}

/** Returns null when it was not kept, or is not kept any more. */
export async function readKeptFile(db: Db, stateId: number, no: string): Promise<KeptFile | null> {
  const { rows } = await db.query<Omit<KeptFile, 'key'> & RecordKey>(
    `select f.number::text as no, c.table_name as "table", c.id::text, f.column_name as "column", c.number::text as conflict,
       f.size::float8 as size, coalesce(nullif(f.file_name, ''), f.column_name) as "fileName",
       coalesce(nullif(f.media_type, ''), 'application/octet-stream') as "mediaType"
     from __portal_sync__.conflict_file f join __portal_sync__.conflict c on c.number = f.conflict
     where f.state_id = $1 and f.number = $2`,
    [stateId, no],
  );
  const [row] = rows;
  if (!row) return null;
  const { table, id, ...file } = row;
  return { ...file, key: { table, id } };
}

const partBytes = 1024 * 1024;

/** Reads the bytes of a kept file, a part at a time, so that a large file is never in memory. */
export async function* readKeptBytes(db: Db, { no, size }: Pick<KeptFile, 'no' | 'size'>): AsyncGenerator<Buffer> {
  for (let start = 0; start < size; start += partBytes) {
    const { rows } = await db.query<{ part: Buffer }>(
      'select substring(bytes from $2 for $3) as part from __portal_sync__.conflict_file where number = $1',
      [no, start + 1, partBytes],
    );
    const part = rows[0]?.part;
    if (!part) throw new Error('The file was removed while it was read.');
    yield part;
  }
}
