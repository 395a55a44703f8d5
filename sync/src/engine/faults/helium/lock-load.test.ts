/**
 * An app whose sessions lock rows in any order, beside devices that edit the same rows. Each
 * session has rows of its own, so whatever makes it wait is the sync. `npm run soak` runs it for
 * two minutes with 20 sessions, and prints the figures.
 */
import { randomInt, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSyncWorld, isSoak, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const size = isSoak ? { sessions: 20, rows: 50, durationMs: 120_000 } : { sessions: 6, rows: 20, durationMs: 0 };
/** Of each session at least, however long they take. */
const minTransactions = 40;

/**
 * A busy machine lets everybody wait; a session that waits for a lock of the sync waits a minute.
 */
const generousMs = 20_000;

let world: SyncWorld;

beforeAll(async () => {
  world = await createSyncWorld();
});
afterAll(() => world.stop());

interface Timings {
  transactions: number;
  readonly errors: string[];
  /** The longest statement. */
  maxMs: number;
  /** Statements of more than a second. */
  slow: number;
}

/** Locks and changes its own rows, a few at a time and in any order. */
async function runSession(ids: readonly string[], isOver: () => boolean, timings: Timings): Promise<void> {
  const session = await world.helium.connect();
  await session.query("set application_name = 'till'");
  const ask = async (text: string, values: readonly unknown[]) => {
    const startedMs = performance.now();
    await session.query(text, [...values]);
    const tookMs = performance.now() - startedMs;
    timings.maxMs = Math.max(timings.maxMs, tookMs);
    if (tookMs > 1_000) timings.slow += 1;
  };
  for (let done = 0; done < minTransactions || !isOver(); done += 1) {
    try {
      await session.query('begin');
      for (let locked = 0; locked < 4; locked += 1) {
        const id = ids[randomInt(ids.length)];
        await (randomInt(2) === 0
          ? ask('select from region where _id_ = $1 for update', [id])
          : ask('update region set name = $2, _tstamp_ = now() where _id_ = $1', [id, `app ${randomInt(1_000)}`]));
      }
      await session.query('commit');
      timings.transactions += 1;
    } catch (error) {
      timings.errors.push(String(error));
      await session.query('rollback');
    }
  }
  await session.end();
}

/** Repeatedly edits some of the rows in one batch, as a device. */
async function runDevice(ids: readonly string[], isOver: () => boolean): Promise<number> {
  let edits = 0;
  while (!isOver()) {
    const chosen = new Set(Array.from({ length: 20 }, () => ids[randomInt(ids.length)]));
    await world.edit(
      ...[...chosen].map((id) => ({
        method: 'patch' as const,
        object: { type: 'region', id: id ?? '', name: `device ${randomInt(1_000)}` },
      })),
    );
    edits += chosen.size;
  }
  return edits;
}

/** Returns the longest time that a session of the app was seen waiting for the sync. */
async function watchWaits(monitor: pg.Client, isOver: () => boolean): Promise<number> {
  let maxMs = 0;
  while (!isOver()) {
    const { rows } = await monitor.query<{ ms: number | null }>(
      `select (extract(epoch from max(clock_timestamp() - app.query_start)) * 1000)::float8 as ms
       from pg_stat_activity app, unnest(pg_blocking_pids(app.pid)) as blocking (pid)
       join pg_stat_activity engine on engine.pid = blocking.pid and engine.application_name like 'portal-sync%'
       where app.application_name = 'till' and app.wait_event_type = 'Lock'`,
    );
    maxMs = Math.max(maxMs, rows[0]?.ms ?? 0);
  }
  return maxMs;
}

test('keeps no session of the app waiting and aborts none, whatever order it locks rows in', async () => {
  world.start();
  const owned = Array.from({ length: size.sessions }, () => Array.from({ length: size.rows }, () => randomUUID()));
  const ids = owned.flat();
  await world.sql('insert into $s.region (_id_, _tstamp_, name) select id, now(), $2 from unnest($1::uuid[]) as id', [
    ids,
    'before',
  ]);
  await world.waitUntilEqual();
  const timings: Timings = { transactions: 0, errors: [], maxMs: 0, slow: 0 };
  const endMs = Date.now() + size.durationMs;
  let isEnded = false;
  const others = Promise.all([runDevice(ids, () => isEnded), watchWaits(await world.helium.connect(), () => isEnded)]);
  await Promise.all(owned.map((ids) => runSession(ids, () => Date.now() >= endMs, timings)));
  isEnded = true;
  const [edits, waitedMs] = await others;
  await world.waitUntilEqual();
  const { rows } = await world.sql('select deadlocks from pg_stat_database where datname = current_database()');
  if (isSoak)
    console.log(
      `${timings.transactions} transactions of ${size.sessions} sessions beside ${edits} edits of devices: ` +
        `${rows[0]?.deadlocks} deadlocks, ${timings.errors.length} errors; waiting for the sync at most ` +
        `${Math.round(waitedMs)} ms as sampled; the longest statement ${Math.round(timings.maxMs)} ms, ` +
        `${timings.slow} of more than a second.`,
    );
  expect(timings.errors).toEqual([]);
  expect(rows).toEqual([{ deadlocks: '0' }]);
  expect(waitedMs).toBeLessThan(generousMs);
  expect(await world.held()).toEqual([]);
}, 900_000);
