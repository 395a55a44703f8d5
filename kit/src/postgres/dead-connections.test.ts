import { expect, it, onTestFinished, vi } from 'vitest';
import { startByteRelay } from '../byte-relay.fixture.ts';
import { closeDeadConnections, defaultDeadTiming } from './dead-connections.ts';
import { hasPgbouncer, startPgbouncer, startSessionPgbouncer } from './pgbouncer.fixture.ts';
import { createPool, isOutage } from './pool.ts';
import { getServerProcess } from './session.ts';
import { createTestDatabase } from './test-database.ts';

const quick = { checkEveryMs: 20, silentChecks: 3, askMs: 60_000 };
const until = (state: () => unknown) => vi.waitUntil(state, { timeout: 60_000, interval: 10 });

/** Returns a pool whose connections pass a relay, another one beside it, and what was asked. */
async function start() {
  const database = await createTestDatabase();
  const relay = await startByteRelay(Number(new URL(database.url).port));
  const address = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: `${relay.port}` }).href;
  const pool = closeDeadConnections(createPool(address, { applicationName: 'test' }), quick);
  const other = createPool(database.url, { applicationName: 'other' });
  const query = vi.spyOn(pool, 'query');
  onTestFinished(async () => {
    await relay.stop();
    await Promise.all([pool.end(), other.end()]);
    await database.drop();
  });
  const countAsked = () => query.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('activity')).length;
  return { relay, pool, other, countAsked };
}

it('fails the statement of a connection that has died, long before its time-out, while new ones work', async () => {
  const { relay, pool } = await start();
  const client = await pool.connect();
  await client.query('select 1');
  relay.swallowOpen();
  const failed = await client.query('select 2').catch((error: unknown) => error);
  expect(isOutage(failed)).toBe(true);
  client.release(true);
  expect((await pool.query('select 3 as three')).rows).toEqual([{ three: 3 }]);
});

it('fails a statement whose response is swallowed', async () => {
  const { relay, pool, other } = await start();
  const client = await pool.connect();
  await client.query('select 1');
  await other.query('select pg_advisory_lock(7)');
  const [holder] = (await other.query('select pid from pg_locks where locktype = $1', ['advisory'])).rows;
  const waiting = client.query('select pg_advisory_lock_shared(7)').catch((error: unknown) => error);
  await until(async () => (await other.query('select from pg_locks where not granted')).rowCount === 1);
  relay.swallowOpen();
  await other.query('select pg_terminate_backend($1)', [holder?.pid]).catch(() => undefined);
  expect(isOutage(await waiting)).toBe(true);
  client.release(true);
});

it('leaves a statement alone that the server still runs', async () => {
  const { pool, other, countAsked } = await start();
  const holder = await other.connect();
  await holder.query('select pg_advisory_lock(8)');
  const slow = pool.query('select pg_advisory_lock(8), 4 as four');
  await until(() => countAsked() >= 3);
  await holder.query('select pg_advisory_unlock(8)');
  expect((await slow).rows).toMatchObject([{ four: 4 }]);
  holder.release();
});

it.skipIf(!hasPgbouncer).each([
  ['transaction', startPgbouncer, ''],
  ['session', startSessionPgbouncer, '?pooled=no'],
])('closes no connection through a pooler in %s mode, whose processes are made up', async (_mode, run, setting) => {
  const database = await createTestDatabase();
  const pgbouncer = await run(database.url);
  const addresses = [`${pgbouncer.toPooled(database.url)}${setting}`, database.url];
  const pools = addresses.map((url) => createPool(url, { applicationName: 'test' }));
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await pgbouncer.stop();
    await database.drop();
  });
  const clients = await Promise.all(pools.map((pool) => pool.connect()));
  expect(clients.map(getServerProcess)).toEqual([undefined, expect.any(Number)]);
  for (const client of clients) client.release();
});

it('finds a dead connection within 10 s, also if the first one that it asks on has died, too', () => {
  const { checkEveryMs, silentChecks, askMs } = defaultDeadTiming;
  expect((silentChecks + 2) * checkEveryMs + askMs).toBeLessThanOrEqual(10_000);
});
