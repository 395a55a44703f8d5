import { createLogger } from '@portal/kit/logger';
import { createPool, inTransaction, type Pool } from '@portal/kit/postgres/pool';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredIntegration } from '../integration/integration.ts';
import { readActivity } from '../portal-store/activity.store.ts';
import { insertIntegration, readIntegration } from '../portal-store/integrations.store.ts';
import { type Lease, seizeLease } from '../portal-store/leases.store.ts';
import { configFor, createSyncDatabase, until } from '../service.fixture.ts';
import { FigureWriter } from './figure-writer.ts';

let database: TestDatabase;
let pool: Pool;
let figureWriter: FigureWriter;
beforeAll(async () => {
  database = await createSyncDatabase();
  pool = createPool(database.url, { applicationName: 'test' });
  figureWriter = new FigureWriter(pool, 'me', createLogger({ name: 'test', level: 'fatal' }));
});
afterAll(async () => {
  await figureWriter.stop();
  await pool.end();
  await database.drop();
});

async function hold(appId: string, holder = 'me'): Promise<{ lease: Lease; integration: StoredIntegration }> {
  const facts = {
    appName: appId,
    dataSource: 'apps-1',
    config: configFor(),
    by: 'thandi',
    sealedPassword: Buffer.alloc(0),
  };
  const id = await inTransaction(pool, (client) =>
    insertIntegration(client, { ...facts, environment: 'Production', appId }),
  );
  const lease = await seizeLease(pool, holder, 600_000, id ?? '');
  const integration = await readIntegration(pool, id ?? '');
  if (!lease || !integration) throw new Error('It was not made.');
  return { lease, integration };
}

const stored = async ({ id }: Lease) => (await readIntegration(pool, id))?.figures;

it('collects the figures of runs, stores them, and continues from them', async () => {
  const { lease, integration } = await hold('a');
  figureWriter.add(lease, integration);
  figureWriter.publish(lease, { parked: 2 });
  figureWriter.publish(lease, { changeLogVersion: '12', lastPingedMs: 5 });
  await until(async () => (await stored(lease))?.parked === 2);
  const later = await readIntegration(pool, lease.id);
  expect(later?.figures).toMatchObject({ parked: 2, changeLogVersion: '12', oplogVersion: '0' });
  await figureWriter.remove(lease);
  if (later) figureWriter.add(lease, later);
  figureWriter.publish(lease, { parked: 3 });
  await figureWriter.remove(lease);
  expect(await stored(lease)).toMatchObject({ parked: 3, changeLogVersion: '12' });
  expect(figureWriter.entries).toEqual([]);
});

it('stores the last figures of a run when it ends, even if they are only a heartbeat', async () => {
  const { lease, integration } = await hold('b');
  figureWriter.add(lease, integration);
  figureWriter.publish(lease, { lastPingedMs: 77 });
  await figureWriter.remove(lease);
  expect(await stored(lease)).toMatchObject({ lastPingedMs: 77 });
});

it('ignores figures of a run that no longer holds the lease', async () => {
  const { lease, integration } = await hold('c');
  figureWriter.add(lease, integration);
  const later = await seizeLease(pool, 'another process', 600_000, lease.id);
  figureWriter.publish(lease, { parked: 9 });
  await figureWriter.remove(lease);
  expect((await stored(lease))?.parked).toBe(0);
  if (later) figureWriter.publish(later, { parked: 8 });
  expect(figureWriter.entries).toEqual([]);
});

it('stores the figures of all runs, whatever characters one of them contains', async () => {
  const [quoting, other] = [await hold('d'), await hold('e')];
  for (const { lease, integration } of [quoting, other]) figureWriter.add(lease, integration);
  figureWriter.publish(quoting.lease, { heliumSyncStatus: 'Waiting: Journey said "a\0b\ud83c".' });
  figureWriter.publish(other.lease, { parked: 4 });
  await until(async () => (await stored(other.lease))?.parked === 4);
  expect(await stored(quoting.lease)).toMatchObject({ heliumSyncStatus: 'Waiting: Journey said "a\uFFFDb\uFFFD".' });
  for (const { lease } of [quoting, other]) await figureWriter.remove(lease);
});

it('adds what runs sync to their activity, and tries again after a failure', async () => {
  const { lease, integration } = await hold('f');
  figureWriter.add(lease, integration);
  figureWriter.publish(lease, { syncedToJourney: 3, journeyToHeliumWaitingSinceMs: Date.now() - 60_000 });
  await pool.query('alter table sync.activity rename to activity_elsewhere');
  await figureWriter.writeActivity();
  await pool.query('alter table sync.activity_elsewhere rename to activity');
  figureWriter.publish(lease, { syncedToJourney: 5, journeyToHeliumWaitingSinceMs: null });
  await figureWriter.writeActivity();
  await figureWriter.remove(lease);
  const { intervals } = await readActivity(pool, lease.id, 'week', Date.now());
  expect(intervals.reduce((sum, { toJourney }) => sum + toJourney, 0)).toBe(5);
  expect(Math.max(...intervals.map(({ toHeliumLagMs }) => toHeliumLagMs))).toBeGreaterThanOrEqual(60_000);
});
