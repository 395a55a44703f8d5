import { startByteRelay } from '@portal/kit/byte-relay.fixture';
import { createLogger } from '@portal/kit/logger';
import { defaultDeadTiming } from '@portal/kit/postgres/dead-connections';
import { defaultNotificationTiming } from '@portal/kit/postgres/notifications';
import { hasPgbouncer, startPgbouncer, startSessionPgbouncer } from '@portal/kit/postgres/pgbouncer.fixture';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase, getTestPostgresUrl, type TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, expect, it, onTestFinished, test, vi } from 'vitest';
import { Notifications, notifyIntegrationChanged } from './notifications.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/**
 * Returns started notifications, their log lines, and the number of times that some may have been
 * missed.
 */
async function start({ timing, ...options }: Partial<ConstructorParameters<typeof Notifications>[0]>) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line).msg) };
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const notifications = new Notifications({
    url: database.url,
    pool,
    logger,
    timing: { pollMs: 10, ...timing },
    ...options,
  });
  const missed = { count: 0 };
  notifications.onMissed(() => {
    missed.count += 1;
  });
  await notifications.start();
  onTestFinished(() => notifications.stop());
  return { notifications, lines, missed };
}

const atOnce = { timing: { heardWithinMs: 1 } };

/** A busy machine may take long; nothing waits for this when the notification arrives. */
const patiently = { timing: { heardWithinMs: 100_000 } };
const unheard = expect.stringContaining('Set databaseDirectUrl');

it('hears itself on a direct connection', async () => {
  const { notifications, lines, missed } = await start(patiently);
  expect(await notifications.check()).toBe(true);
  expect([notifications.warning, lines, missed.count]).toEqual([undefined, [], 0]);
});

it('reads the tables periodically, and logs it once, when it does not hear itself', async () => {
  // In another database, nothing of this one is heard.
  const { notifications, lines, missed } = await start({ url: getTestPostgresUrl(), ...atOnce });
  expect([await notifications.check(), await notifications.check()]).toEqual([false, false]);
  expect(notifications.warning).toEqual(unheard);
  expect(lines).toEqual([unheard]);
  await vi.waitUntil(() => missed.count > 1, { timeout: 100_000 });
});

it('stops reading periodically once it hears itself again', async () => {
  const relay = await startByteRelay(Number(new URL(database.url).port));
  onTestFinished(() => relay.stop());
  const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: `${relay.port}` }).href;
  const { notifications, lines } = await start({ url, timing: { heardWithinMs: 50 } });
  relay.stall();
  await vi.waitUntil(async () => (await notifications.check()) === false, { timeout: 100_000 });
  expect(notifications.warning).toEqual(unheard);
  relay.resume();
  await vi.waitUntil(notifications.check.bind(notifications), { timeout: 100_000 });
  expect(notifications.warning).toBeUndefined();
  expect(lines.at(-1)).toBe('notifications of the database are delivered again');
});

it('replaces a listening connection whose other end swallows all bytes, and hears itself again', async () => {
  const relay = await startByteRelay(Number(new URL(database.url).port));
  onTestFinished(() => relay.stop());
  const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: `${relay.port}` }).href;
  const { notifications, missed } = await start({ url, timing: { heardWithinMs: 1_000, connectTimeoutMs: 200 } });
  await vi.waitUntil(notifications.check.bind(notifications), { timeout: 100_000 });
  relay.swallow();
  await vi.waitUntil(async () => (await notifications.check()) === false, { timeout: 100_000 });
  expect(notifications.warning).toEqual(unheard);
  // An attempt during the silence ends, too.
  const attempts = relay.connectionCount();
  await vi.waitUntil(() => relay.connectionCount() >= attempts + 2, { timeout: 100_000 });
  relay.resume();
  const before = missed.count;
  await vi.waitUntil(notifications.check.bind(notifications), { timeout: 100_000 });
  expect(missed.count).toBeGreaterThan(before);
  const heard = new Promise((resolve) => notifications.on('integration', resolve));
  await notifyIntegrationChanged(pool, '7');
  expect(await heard).toBe('7');
});

it('notices within 35 s that a listening connection has died, also with the connection that notifies', () => {
  const { checkEveryMs, heardWithinMs } = defaultNotificationTiming;
  const { checkEveryMs: deadEveryMs, silentChecks } = defaultDeadTiming;
  expect(2 * checkEveryMs + heardWithinMs + (silentChecks + 2) * deadEveryMs).toBeLessThanOrEqual(35_000);
});

test.skipIf(!hasPgbouncer)('a pooler delivers none, unless listening has an address without it', async () => {
  const pgbouncer = await startPgbouncer(database.url);
  const url = pgbouncer.toPooled(database.url);
  const pooled = createPool(url, { applicationName: 'test' });
  const through = await start({ url, pool: pooled, ...patiently });
  expect(await through.notifications.check()).toBe(false);
  expect(through.lines).toEqual([unheard]);
  const { rows } = await pool.query(`select from pg_stat_activity where query ilike 'listen %' and state = 'idle'
    and application_name = 'portal sync: listens' and datname = current_database()`);
  expect(rows).toEqual([]);

  const beside = await start({ pool: pooled, ...patiently });
  expect(await beside.notifications.check()).toBe(true);
  const heard = new Promise((resolve) => beside.notifications.on('integration', resolve));
  await notifyIntegrationChanged(pooled, '7');
  expect(await heard).toBe('7');
  await Promise.all([through.notifications.stop(), beside.notifications.stop()]);
  await pooled.end();
  await pgbouncer.stop();
});

test.skipIf(!hasPgbouncer)('a pooler in session mode delivers them to an address with pooled=no', async () => {
  const pgbouncer = await startSessionPgbouncer(database.url);
  const url = `${pgbouncer.toPooled(database.url)}?pooled=no`;
  const { notifications, lines } = await start({ url, ...patiently });
  expect(await notifications.check()).toBe(true);
  expect(lines).toEqual([]);
  await notifications.stop();
  await pgbouncer.stop();
});
