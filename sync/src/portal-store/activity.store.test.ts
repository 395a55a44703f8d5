import { createPool, inTransaction, type Pool } from '@portal/kit/postgres/pool';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configFor, createSyncDatabase } from '../service.fixture.ts';
import { addActivity, listActivities, readActivity } from './activity.store.ts';
import { deleteIntegrationRow, insertIntegration } from './integrations.store.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createSyncDatabase();
  pool = createPool(database.url, { applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const quarterMs = 900_000;
const hourMs = 4 * quarterMs;
const nowMs = Date.now();
/** The last whole hour that has ended. */
const hour = Math.floor(nowMs / hourMs) * hourMs - hourMs;
const none = { toJourney: 0, toHelium: 0, toJourneyLagMs: 0, toHeliumLagMs: 0 };

async function create(appId: string, environment = 'Production'): Promise<string> {
  const facts = { appName: appId, dataSource: 'apps-1', config: configFor(), by: 'thandi', environment, appId };
  const id = await inTransaction(pool, (client) =>
    insertIntegration(client, { ...facts, sealedPassword: Buffer.alloc(0) }),
  );
  return id ?? '';
}

test('adds up quarters of an hour for the day, hours for the week and four hours for the month', async () => {
  const id = await create('a');
  await addActivity(pool, [{ ...none, id, at: hour, toJourney: 5, toHeliumLagMs: 900.4 }]);
  await addActivity(pool, [
    { ...none, id, at: hour, toJourney: 1, toHelium: 2, toHeliumLagMs: 30 },
    { ...none, id, at: hour + quarterMs, toJourney: 10, toJourneyLagMs: 4 },
  ]);
  expect(await readActivity(pool, id, 'day', nowMs)).toEqual({
    from: Math.floor(nowMs / quarterMs) * quarterMs - 95 * quarterMs,
    intervals: [
      { at: hour, toJourney: 6, toHelium: 2, toJourneyLagMs: 0, toHeliumLagMs: 900 },
      { ...none, at: hour + quarterMs, toJourney: 10, toJourneyLagMs: 4 },
    ],
  });
  expect(await readActivity(pool, id, 'week', nowMs)).toEqual({
    from: hour + hourMs - 167 * hourMs,
    intervals: [{ at: hour, toJourney: 16, toHelium: 2, toJourneyLagMs: 4, toHeliumLagMs: 900 }],
  });
  expect((await readActivity(pool, id, 'month', nowMs)).intervals).toEqual([
    { at: hour - (hour % (4 * hourMs)), toJourney: 16, toHelium: 2, toJourneyLagMs: 4, toHeliumLagMs: 900 },
  ]);
});

test('returns the intervals of the span that ends now, and deletes older ones with the next', async () => {
  const id = await create('b');
  const [lastWeek, twoDaysAgo] = [hour - 200 * hourMs, hour - 48 * hourMs];
  await addActivity(pool, [
    { ...none, id, at: lastWeek, toHelium: 1 },
    { ...none, id, at: twoDaysAgo, toHelium: 2 },
  ]);
  expect((await readActivity(pool, id, 'day', nowMs)).intervals).toEqual([]);
  expect((await readActivity(pool, id, 'week', nowMs)).intervals).toEqual([{ ...none, at: twoDaysAgo, toHelium: 2 }]);
  await addActivity(pool, [{ ...none, id, at: hour, toHelium: 3 }]);
  const { rows } = await pool.query<{ span: string; to_helium: string }>(
    'select span, to_helium from sync.activity where integration_id = $1 order by span, at',
    [id],
  );
  expect(rows).toEqual([
    { span: 'day', to_helium: '3' },
    { span: 'month', to_helium: '1' },
    { span: 'month', to_helium: '2' },
    { span: 'month', to_helium: '3' },
    { span: 'week', to_helium: '2' },
    { span: 'week', to_helium: '3' },
  ]);
});

test('lists the last hours of the integrations of an environment', async () => {
  const [c, d, elsewhere] = [
    await create('c', 'Staging'),
    await create('d', 'Staging'),
    await create('c', 'Elsewhere'),
  ];
  await create('quiet', 'Staging');
  await addActivity(pool, [
    { ...none, id: d, at: hour, toHelium: 1 },
    { ...none, id: c, at: hour + quarterMs, toJourney: 2 },
    { ...none, id: c, at: hour - hourMs, toJourney: 4 },
    { ...none, id: c, at: hour - 30 * hourMs, toJourney: 8 },
    { ...none, id: elsewhere, at: hour, toJourney: 16 },
  ]);
  const { from, byApp } = await listActivities(pool, 'Staging', { hours: 24, nowMs });
  expect(from).toBe(hour + hourMs - 23 * hourMs);
  expect([...byApp]).toEqual([
    [
      'c',
      [
        { ...none, at: hour - hourMs, toJourney: 4 },
        { ...none, at: hour, toJourney: 2 },
      ],
    ],
    ['d', [{ ...none, at: hour, toHelium: 1 }]],
  ]);
});

test('drops what belongs to a deleted integration, and stores the rest', async () => {
  const [gone, kept] = [await create('e'), await create('f')];
  await inTransaction(pool, (client) => deleteIntegrationRow(client, gone));
  await addActivity(pool, [
    { ...none, id: gone, at: hour, toHelium: 1 },
    { ...none, id: kept, at: hour, toHelium: 1 },
  ]);
  expect((await readActivity(pool, gone, 'day', nowMs)).intervals).toEqual([]);
  expect((await readActivity(pool, kept, 'day', nowMs)).intervals).toHaveLength(1);
});
