import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionShare, resetAfterUse } from './connection-share.ts';
import type { TurnTimes } from './connection-turns.ts';
import { createPool, isPoolExhausted, type Pool } from './pool.ts';
import { createTestDatabase } from './test-database.ts';

interface Shared {
  readonly pools: readonly [Pool, Pool, Pool];
  readonly prepared: string[];
}

async function createShared(max: number, times?: TurnTimes): Promise<Shared> {
  const database = await createTestDatabase();
  const share = new ConnectionShare(max, times);
  const prepared: string[] = [];
  const open = (owner: string) => {
    const pool = createPool(database.url, { applicationName: owner, max, lockTimeoutMs: 123 });
    share.add(owner, pool, async () => void prepared.push(owner));
    return pool;
  };
  const pools = [open('a'), open('b'), open('c')] as const;
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });
  return { pools: [...pools], prepared };
}

const countOpen = ({ pools }: Shared) => pools.map(({ totalCount }) => totalCount);

test('closes the connection that was not used for the longest time when another login needs its place', async () => {
  const shared = await createShared(2);
  const [a, b, c] = shared.pools;
  await a.query('select 1');
  await b.query('select 1');
  await a.query('select 1');
  expect(countOpen(shared)).toEqual([1, 1, 0]);
  await c.query('select 1');
  expect(countOpen(shared)).toEqual([1, 0, 1]);
  expect(shared.prepared).toEqual(['a', 'b', 'c']);
});

test('never opens more connections than it may, however many logins need one at the same time', async () => {
  const shared = await createShared(2);
  const open: number[] = [];
  for (const pool of shared.pools)
    pool.on('acquire', () => open.push(countOpen(shared).reduce((sum, count) => sum + count, 0)));
  const work = Array.from({ length: 30 }, (_, index) => shared.pools[index % 3]?.query('select pg_sleep(0.001)'));
  await Promise.all(work);
  expect(Math.max(...open)).toBeLessThanOrEqual(2);
});

test('lets the logins take turns, so that a busy one does not block the others', async () => {
  const { pools } = await createShared(1);
  const [busy, quiet] = pools;
  let isDone = false;
  const keepBusy = async () => {
    while (!isDone) await busy.query('select 1');
  };
  const work = [keepBusy(), keepBusy()];
  await quiet.query('select 1');
  isDone = true;
  await Promise.all(work);
});

test('uses one connection of a login for what it does at the same time, while others need all of them', async () => {
  const { pools, prepared } = await createShared(2, { ownMs: 60_000 });
  const [busy, other] = pools;
  await Promise.all([busy.query('select 1'), other.query('select 1')]);
  await busy.query('select 1');
  await Promise.all(Array.from({ length: 5 }, () => busy.query('select pg_sleep(0.001)')));
  expect(pools.map(({ totalCount }) => totalCount)).toEqual([1, 1, 0]);
  expect(prepared).toEqual(['a', 'b']);
});

test('opens another connection of a login that needs a second one during the use of its first', async () => {
  const { pools } = await createShared(2, { ownMs: 20 });
  const [nested, other] = pools;
  await other.query('select 1');
  const client = await nested.connect();
  await nested.query('select 1');
  client.release();
  expect(pools.map(({ totalCount }) => totalCount)).toEqual([2, 0, 0]);
});

test('opens one connection for the uses of a login that follow each other, while others wait', async () => {
  const { pools } = await createShared(1, { burstMs: 60_000, lingerMs: 1_000 });
  let opened = 0;
  const runs = pools.map(async (pool) => {
    pool.on('connect', () => {
      opened += 1;
    });
    for (let use = 0; use < 5; use += 1) await pool.query('select 1');
  });
  await Promise.all(runs);
  expect(opened).toBe(3);
});

test('reports that all connections are in use as a pool does', async () => {
  const { pools } = await createShared(1, { waitMs: 50 });
  const client = await pools[0].connect();
  const problem: unknown = await pools[1].query('select 1').catch((error: unknown) => error);
  expect(isPoolExhausted(problem)).toBe(true);
  client.release();
  await pools[1].query('select 1');
});

test('resets the session of a connection after code of others ran on it, before its next use', async () => {
  const { pools } = await createShared(1);
  const [pool] = pools;
  const client = await pool.connect();
  resetAfterUse(client);
  await client.query(`set lock_timeout = 0; set search_path = nowhere; create temp table left_over ();
    select pg_advisory_lock(1); listen news; set session characteristics as transaction read only`);
  const released = once(pool, 'release');
  client.release();
  await released;
  const { rows } = await pool.query(`select current_setting('lock_timeout') as timeout,
    current_setting('search_path') as path, current_setting('default_transaction_read_only') as "readOnly",
    to_regclass('pg_temp.left_over') as "table", (select count(*)::int from pg_locks where locktype = 'advisory') as locks,
    (select count(*)::int from pg_listening_channels()) as channels`);
  expect(rows).toEqual([
    { timeout: '123ms', path: '"$user", public', readOnly: 'off', table: null, locks: 0, channels: 0 },
  ]);
  expect(pool.totalCount).toBe(1);
});
