import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '@portal/kit/postgres/pool';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { findHolder, writersSql } from './change-log-writers.ts';
import type { ChangeLogPage, HeliumEnd, HorizonHolder } from './helium-end.ts';
import { changeLog, qualified } from './log-names.ts';

type Ask = Parameters<HeliumEnd['readChangeLog']>[0];

const firstPollMs = 1;
const lastPollMs = 50;

interface Horizon {
  /** Highest number that can be seen. */
  readonly head: string;
  /** Who may still commit a number up to it. */
  readonly writers: readonly string[];
}

interface LogRow {
  readonly seq: string;
  readonly table: string;
  readonly id: string;
}

/**
 * Numbers are drawn before the commit, so they become visible in another order than their own.
 * Nothing up to a horizon can become visible any more once all who were writing when it was seen
 * are done. Each statement runs on its own, with a snapshot of its own: the page must see what
 * those committed last.
 */
export async function readChangeLog(pool: Pool, schema: string, ask: Ask): Promise<ChangeLogPage> {
  const { head, writers } = await readHorizon(pool, schema);
  const behind = BigInt(ask.cursor) - BigInt(head);
  if (behind >= 0n) return { keys: [], cursor: ask.cursor, isLast: true, historyLost: behind > 0n };
  if (writers.length > 0) await waitForWriters(pool, schema, writers, ask);
  ask.signal.throwIfAborted();
  const { rows } = await pool.query<LogRow>(
    `select seq::text, object_name as table, object_uuid::text as id from ${qualified(schema, changeLog)}
      where seq > $1 and seq <= $2 order by ${changeLog}.seq limit $3`,
    [ask.cursor, head, ask.limit],
  );
  const isLast = rows.length < ask.limit;
  const cursor = isLast ? head : (rows.at(-1)?.seq ?? head);
  return { keys: distinctKeys(rows), cursor, isLast, historyLost: false };
}

/** Highest number visible in the change log. */
export async function readHead(pool: Pool, schema: string): Promise<string> {
  const { rows } = await pool.query<{ head: string }>(
    `select coalesce(max(seq), 0)::text as head from ${qualified(schema, changeLog)}`,
  );
  return rows[0]?.head ?? '0';
}

/**
 * In one statement: its snapshot, and with it the head, is older than the locks. The other way
 * round loses rows.
 */
async function readHorizon(pool: Pool, schema: string): Promise<Horizon> {
  const { rows } = await pool.query<Horizon>(
    `select (select coalesce(max(seq), 0)::text from ${qualified(schema, changeLog)}) as head, ${writersSql} as writers`,
    [schema],
  );
  return rows[0] ?? { head: '0', writers: [] };
}

async function waitForWriters(pool: Pool, schema: string, writers: readonly string[], ask: Ask): Promise<void> {
  let told: HorizonHolder | null = null;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 2, lastPollMs)) {
    ask.signal.throwIfAborted();
    const holder = await findHolder(pool, schema, writers);
    if (holder === null) break;
    // Most are done before anybody could read about it.
    if (pollMs === lastPollMs && (told === null || told.pid !== holder.pid)) {
      told = holder;
      ask.onHeld?.(holder);
    }
    await pause(pollMs, undefined, { signal: ask.signal });
  }
  if (told !== null) ask.onHeld?.(null);
}

function distinctKeys(rows: readonly LogRow[]): RecordKey[] {
  const keys = new Map<string, RecordKey>();
  for (const { table, id } of rows) {
    const key = { table, id };
    if (!keys.has(keyText(key))) keys.set(keyText(key), key);
  }
  return [...keys.values()];
}
