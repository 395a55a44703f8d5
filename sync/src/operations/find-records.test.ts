import { randomUUID } from 'node:crypto';
import { Secret } from '@portal/kit/secret';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRegion, waitUntil } from '../engine/testing/fault-steps.fixture.ts';
import type { TestRun } from '../engine/testing/restarting-run.fixture.ts';
import { dataSource, environment, quickRateLimiter } from '../engine/testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../engine/testing/sync-world.fixture.ts';
import { HeliumDatabases } from '../sync-state/helium-databases.ts';
import { findRecordsOf } from './find-records.fixture.ts';
import { createOperations } from './operations.ts';

let world: SyncWorld;
let run: TestRun;
let northId: string;

beforeAll(async () => {
  world = await createSyncWorld();
  northId = await insertRegion(world, 'north', 7);
  run = world.start((config) => ({ ...config, logRecordIds: true }));
  await world.waitUntilEqual();
});
afterAll(() => world.stop());

const find = (search: Readonly<Record<string, string>>, databases?: HeliumDatabases) =>
  findRecordsOf(world, search, databases);

const north = { name: 'north', code: 7 };

test('finds a record by its id and by a value, with both sides and what is known', async () => {
  const expected = {
    table: 'region',
    model: 'region',
    id: northId,
    helium: { values: north, problem: null },
    journey: { values: north, problem: null },
    known: { journey: north, deletedAt: null },
    isDirty: false,
    isLookAgainRequested: false,
    intents: [],
    held: [],
    conflicts: [],
  };
  expect(await find({ id: northId })).toMatchObject({ records: [expected], isCut: false, problem: null });
  expect(await find({ table: 'region', column: 'name', value: 'north' })).toMatchObject({ records: [expected] });
  expect(await find({ table: 'region', column: 'code', value: '7' })).toMatchObject({ records: [expected] });
  expect((await find({ table: 'region', column: 'code', value: '8' })).records).toEqual([]);
  expect((await find({ id: randomUUID() })).records).toEqual([]);
  expect((await find({})).objects.find(({ table }) => table === 'region')?.columns).toEqual(['code', 'name']);
  await expect.poll(() => world.log).toContain('INFO Helium → Journey: 1 region sent.');
  await expect.poll(() => world.log).toContain(`FINE Helium → Journey: region/${northId} sent.`);
});

test('rejects a column that is not synced and a value of another type', async () => {
  await expect(find({ table: 'region', column: 'name; drop table region', value: 'x' })).rejects.toThrow(
    'cannot be searched',
  );
  await expect(find({ table: 'elsewhere', column: 'name', value: 'x' })).rejects.toThrow('is not synced');
  await expect(find({ table: 'region', column: 'code', value: 'seven' })).rejects.toThrow(
    'is not a value of region.code',
  );
});

test('still shows one side while the other does not answer, and states why', async () => {
  world.journey.faults.set({ mode: 'error500', path: 'query' });
  const [record] = (await find({ id: northId })).records;
  world.journey.faults.clear();
  expect(record?.helium).toMatchObject({ values: north, problem: null });
  expect(record?.journey).toEqual({ values: null, changedAt: null, problem: expect.stringContaining('500') });

  const unreachable = { heliumDataSourceName: dataSource, url: new Secret('postgres://portal@127.0.0.1:1/none') };
  const databases = new HeliumDatabases([{ name: environment, dataSources: [unreachable] }], 2);
  const found = await find({ id: northId, table: 'region' }, databases);
  await databases.stop();
  const problem = `The data source ${dataSource} cannot be reached. Try again in a moment.`;
  expect(found.problem).toBe(problem);
  expect(found.records).toMatchObject([{ helium: { values: null, problem }, journey: { values: north } }]);
});

test('reads a record again on request, and syncs a change that no log reports', async () => {
  const operations = createOperations(world.databases, quickRateLimiter());
  const session = await world.helium.connect();
  await session.query('set session_replication_role = replica');
  await session.query(`update region set name = 'behind the log' where _id_ = $1`, [northId]);
  await operations.requestLookAgain(world.integration, [{ table: 'region', id: northId }]);
  run.wake();
  await waitUntil(async () => (await world.journeyRows())[`region/${northId}`]?.name === 'behind the log');
  await waitUntil(async () => {
    const [record] = (await find({ id: northId })).records;
    return record?.isLookAgainRequested === false && record.intents.length === 0;
  });
});

test('counts what waits in both logs of an integration that does not run, and since when', async () => {
  const operations = createOperations(world.databases, quickRateLimiter());
  await world.waitUntilEqual();
  await run.stop();
  const { config } = world.integration;
  const stopped = { ...world.integration, figures: world.figures() };
  const readBoth = async () => [
    await operations.readChangeLogBacklogs([
      stopped,
      { ...stopped, config: { ...config, helium: { ...config.helium, dbSchema: 'elsewhere' } } },
    ]),
    await operations.readOpLogBacklog(
      { integration: stopped, journeyPassword: new Secret(world.deployment.password) },
      new AbortController().signal,
    ),
  ];
  expect(await readBoth()).toEqual([[{ entries: 0, sinceMs: null }, null], { entries: 0 }]);
  await insertRegion(world, 'waits');
  await insertRegion(world, 'waits, too');
  await world.edit({ method: 'put', object: { type: 'region', id: randomUUID(), name: 'device' } });
  expect(await readBoth()).toEqual([[{ entries: 2, sinceMs: null }, null], { entries: 1 }]);
  const rejected = { integration: stopped, journeyPassword: new Secret('wrong') };
  expect(await operations.readOpLogBacklog(rejected, new AbortController().signal)).toBe('credentials-rejected');
});
