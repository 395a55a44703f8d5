import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '@portal/kit/postgres/pool';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { findHolder, writersSql } from './change-log-writers.ts';
import type { ChangeLogPage, HeliumGateway, HorizonHolder } from './helium-gateway.ts';
import { changeLog, qualified } from './sql-names.ts';

type ChangeLogRequest = Parameters<HeliumGateway['readChangeLog']>[0];

const initialPollMs = 1;
const maxPollMs = 50;

interface Horizon {
  /** Highest visible number. */
  readonly head: string;
  /** Transactions that may still commit a number up to the head. */
  readonly writers: readonly string[];
}

interface LogRow {
  readonly seq: string;
  readonly table: string;
  readonly id: string;
}

/**
 * Reads a page of the change log. Numbers are drawn before the commit, so they become visible out
 * of order. Nothing up to a horizon can become visible any more once every writer that was active
 * when the horizon was read has finished. Each statement has its own snapshot: the page must
 * include the commits that were waited for.
 */
export async function readChangeLog(pool: Pool, schema: string, request: ChangeLogRequest): Promise<ChangeLogPage> {
  const { head, writers } = await readHorizon(pool, schema);
  const lead = BigInt(request.cursor) - BigInt(head);
  if (lead >= 0n) return { keys: [], cursor: request.cursor, isLast: true, historyLost: lead > 0n };
  if (writers.length > 0) await waitForWriters(pool, schema, writers, request);
  request.signal.throwIfAborted();
  const { rows } = await pool.query<LogRow>(
    `select seq::text, object_name as table, object_uuid::text as id from ${qualified(schema, changeLog)}
      where seq > $1 and seq <= $2 order by ${changeLog}.seq limit $3`,
    [request.cursor, head, request.limit],
  );
  const isLast = rows.length < request.limit;
  const cursor = isLast ? head : (rows.at(-1)?.seq ?? head);
  return { keys: distinctKeys(rows), cursor, isLast, historyLost: false };
}

/** Returns the highest visible number of the change log. */
export async function readHead(pool: Pool, schema: string): Promise<string> {
  const { rows } = await pool.query<{ head: string }>(
    `select coalesce(max(seq), 0)::text as head from ${qualified(schema, changeLog)}`,
  );
  return rows[0]?.head ?? '0';
}

/**
 * Reads head and writers in one statement: its snapshot, and with it the head, is older than the
 * locks. The other order loses rows.
 */
async function readHorizon(pool: Pool, schema: string): Promise<Horizon> {
  const { rows } = await pool.query<Horizon>(
    `select (select coalesce(max(seq), 0)::text from ${qualified(schema, changeLog)}) as head, ${writersSql} as writers`,
    [schema],
  );
  return rows[0] ?? { head: '0', writers: [] };
}

async function waitForWriters(
  pool: Pool,
  schema: string,
  writers: readonly string[],
  request: ChangeLogRequest,
): Promise<void> {
  let reportedHolder: HorizonHolder | null = null;
  for (let pollMs = initialPollMs; ; pollMs = Math.min(pollMs * 2, maxPollMs)) {
    request.signal.throwIfAborted();
    const holder = await findHolder(pool, schema, writers);
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

function distinctKeys(rows: readonly LogRow[]): RecordKey[] {
  const keys = new Map<string, RecordKey>();
  for (const { table, id } of rows) {
    const key = { table, id };
    if (!keys.has(keyText(key))) keys.set(keyText(key), key);
  }
  return [...keys.values()];
}
