import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '@portal/kit/postgres/pool';
import { KeyMap, keyText, type RecordKey } from '../record/record-key.ts';
import { entryColumns, entrySql, isUnchanged } from './change-log-point.ts';
import { findHolder, writersSql } from './change-log-writers.ts';
import type { ChangedKey, ChangeLogPage, ChangeLogPoint, Db, HeliumGateway, HorizonHolder } from './helium-gateway.ts';
import { changeLog, qualified } from './sql-names.ts';

type ChangeLogRequest = Parameters<HeliumGateway['readChangeLog']>[0];

const initialPollMs = 1;
const maxPollMs = 50;

interface Horizon {
  /** Highest visible number. */
  readonly head: string;
  /** Transactions that may still commit a number up to the head. */
  readonly writers: readonly string[];
  /** The entry at a given number. */
  readonly entry: ChangeLogPoint | null;
}

/**
 * Reads a page of the change log. Numbers are drawn before the commit, so they become visible out
 * of order. Nothing up to a horizon can become visible any more once every writer that was active
 * when the horizon was read has finished. Each statement has its own snapshot: the page must
 * include the commits that were waited for, and again proves the entry at the cursor.
 */
export async function readChangeLog(
  { pool, reading, schema }: Pick<HeliumGateway, 'pool' | 'reading' | 'schema'>,
  request: ChangeLogRequest,
): Promise<ChangeLogPage> {
  const { cursor, point, limit } = request;
  const { head, writers, entry } = await readHorizon(pool, schema, point?.seq ?? cursor);
  const lead = BigInt(cursor) - BigInt(head);
  const empty = { keys: [], cursor, isLast: true, isBeyondEnd: lead > 0n };
  if (point && !isUnchanged(entry, point)) return { ...empty, point, isProven: false };
  if (lead >= 0n) return { ...empty, point: entry, isProven: true };
  if (writers.length > 0) await waitForWriters(reading, schema, writers, request);
  request.signal.throwIfAborted();
  const rows = await readEntries(pool, schema, { cursor, head, limit: limit + 1 });
  const start = rows[0]?.seq === cursor ? rows.shift() : undefined;
  if (point?.seq === cursor && !isUnchanged(start ?? null, point)) return { ...empty, point, isProven: false };
  const entries = rows.slice(0, limit);
  const last = toPoint(entries.at(-1));
  const isLast = entries.length < limit;
  return {
    keys: distinctKeys(entries),
    cursor: isLast ? head : (last?.seq ?? head),
    isLast,
    point: last ?? entry,
    isProven: true,
    isBeyondEnd: false,
  };
}

/** How many numbers are searched for a page at first, per entry: some have no entry. */
const numbersPerEntry = 4;

/**
 * Reads the entries from the cursor up to the head, at most `limit`. It searches more and more
 * numbers: after many changes, before the table's next ANALYZE, PostgreSQL would read and sort the
 * whole backlog for every page.
 */
async function readEntries(
  pool: Pool,
  schema: string,
  { cursor, head, limit }: { readonly cursor: string; readonly head: string; readonly limit: number },
): Promise<Entry[]> {
  const end = BigInt(head);
  for (let numbers = BigInt(limit * numbersPerEntry); ; numbers *= 8n) {
    const searched = BigInt(cursor) + numbers;
    const { rows } = await pool.query<Entry>(
      `select ${entryColumns}, change = 'update' as "isUpdate" from ${qualified(schema, changeLog)}
        where seq >= $1 and seq <= $2 order by ${changeLog}.seq limit $3`,
      [cursor, String(searched < end ? searched : end), limit],
    );
    if (rows.length === limit || searched >= end) return rows;
  }
}

/** Returns the highest visible number of the change log. */
export async function readHead(pool: Pool, schema: string): Promise<string> {
  const { rows } = await pool.query<{ head: string }>(
    `select coalesce(max(seq), 0)::text as head from ${qualified(schema, changeLog)}`,
  );
  return rows[0]?.head ?? '0';
}

/**
 * Returns which of these records the log names after the cursor. It has no index on them: all of it
 * is read.
 */
export async function findChanged(
  db: Db,
  schema: string,
  keys: readonly RecordKey[],
  cursor: string,
): Promise<KeyMap<true>> {
  const changed = new KeyMap<true>();
  if (keys.length === 0) return changed;
  const { rows } = await db.query<RecordKey>(
    `select distinct object_name as "table", object_uuid::text as id from ${qualified(schema, changeLog)}
     where seq > $1 and object_uuid = any($2::uuid[])`,
    [cursor, keys.map(({ id }) => id)],
  );
  for (const key of rows) changed.set(key, true);
  return changed;
}

/**
 * Reads head and writers in one statement: its snapshot, and with it the head, is older than the
 * locks. The other order loses rows.
 */
async function readHorizon(pool: Pool, schema: string, seq: string): Promise<Horizon> {
  const { rows } = await pool.query<Horizon>(
    `select (select coalesce(max(seq), 0)::text from ${qualified(schema, changeLog)}) as head, ${writersSql} as writers,
      ${entrySql(schema, '$2::bigint')} as entry`,
    [schema, seq],
  );
  return rows[0] ?? { head: '0', writers: [], entry: null };
}

async function waitForWriters(
  reading: Pool,
  schema: string,
  writers: readonly string[],
  request: ChangeLogRequest,
): Promise<void> {
  let reportedHolder: HorizonHolder | null = null;
  for (let pollMs = initialPollMs; ; pollMs = Math.min(pollMs * 2, maxPollMs)) {
    request.signal.throwIfAborted();
    const holder = await findHolder(reading, schema, writers);
    if (holder === null) break;
    // Most writers finish before anyone could read the message.
    if (pollMs === maxPollMs && (reportedHolder === null || reportedHolder.pid !== holder.pid)) {
      reportedHolder = holder;
      request.onHeld?.(holder);
    }
    await pause(pollMs, undefined, { signal: request.signal });
  }
  if (reportedHolder !== null) request.onHeld?.(null);
}

type Entry = ChangeLogPoint & { readonly isUpdate: boolean };

function toPoint(entry: Entry | undefined): ChangeLogPoint | null {
  if (!entry) return null;
  const { isUpdate: _, ...point } = entry;
  return point;
}

function distinctKeys(rows: readonly Entry[]): ChangedKey[] {
  const keys = new Map<string, ChangedKey>();
  for (const { table, id, isUpdate } of rows) {
    const text = keyText({ table, id });
    const isOnlyUpdated = isUpdate && keys.get(text)?.isOnlyUpdated !== false;
    keys.set(text, { table, id, isOnlyUpdated });
  }
  return [...keys.values()];
}
