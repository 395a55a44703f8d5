/**
 * Records that one side no longer has, without a log that names their deletion: few are deleted on
 * the other side too, about many an operator is asked.
 */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync/config';
import { trackingColumns, trackingDdl } from '@portal/simulators/helium/change-log-ddl';
import { expect, test } from 'vitest';
import { createWorldForEachTest, world } from '../../testing/each-world.fixture.ts';
import { waitForLog, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { worldSchemaXml } from '../../testing/sync-world.fixture.ts';
import {
  answer,
  compare,
  compareAll,
  deleteUnlogged,
  inHelium,
  inJourney,
  insertRegions,
  operations,
  readQuestion,
} from './absence-steps.fixture.ts';

createWorldForEachTest();

test('asks before a comparison deletes what TRUNCATE removed, and deletes nothing until then', async () => {
  await insertRegions(300);
  const run = world.start();
  await world.waitUntilEqual();
  await world.sql('truncate $s.region cascade');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(300);
  const question = await readQuestion();
  expect(question).toMatchObject({ side: 'journey', table: 'region', known: 300, absent: 300 });
  expect(question.sample).toHaveLength(100);
  expect(question.sample[0]?.values).toEqual({ name: expect.stringContaining('region'), code: expect.any(Number) });
  // Until it is answered, each new run halts at once.
  expect(await world.start().ended).toEqual({ outcome: 'halted', reason: question.reason, position: '' });
});

async function dropAndCreateRegion(): Promise<void> {
  const columns = ['_id_ uuid primary key', '_tstamp_ timestamp not null', 'name text', 'code integer unique'];
  await world.sql('drop table $s.region cascade');
  await waitForLog(world, /SEVERE region is paused until its integration is saved/);
  const session = await world.helium.connect();
  await session.query(`create table region (${[...columns, ...trackingColumns].join(', ')}); ${trackingDdl('region')}`);
}

test('deletes nothing in Journey when a table is dropped and created again and no operator saves', async () => {
  await insertRegions(300);
  const run = world.start();
  await world.waitUntilEqual();
  await dropAndCreateRegion();
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(300);
});

test('deletes nothing in Journey when a table is dropped and created again and its integration is saved', async () => {
  await insertRegions(300);
  const run = world.start();
  await world.waitUntilEqual();
  await world.sql('drop table $s.region cascade');
  await waitForLog(world, /SEVERE region is paused until its integration is saved/);
  await run.stop();
  const columns = ['_id_ uuid primary key', '_tstamp_ timestamp not null', 'name text', 'code integer unique'];
  const session = await world.helium.connect();
  await session.query(`create table region (${[...columns, ...trackingColumns].join(', ')}); ${trackingDdl('region')}`);
  Object.assign(world.integration, { configVersion: 2 });
  expect(await world.start().ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(300);
});

test('deletes nothing in Journey when a table is dropped and created again in one transaction', async () => {
  await insertRegions(300);
  const run = world.start();
  await world.waitUntilEqual();
  const columns = ['_id_ uuid primary key', '_tstamp_ timestamp not null', 'name text', 'code integer unique'];
  const session = await world.helium.connect();
  await session.query(
    `begin; drop table region cascade; create table region (${[...columns, ...trackingColumns].join(', ')}); ${trackingDdl('region')}; commit`,
  );
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(300);
});

test('asks when Helium archived rows while only Journey → Helium was on, and both directions are switched on', async () => {
  await insertRegions(50);
  const both = world.start();
  await world.waitUntilEqual();
  await both.stop();
  const fromJourney = world.start((config) => ({ ...config, enableHeliumToJourney: false }));
  await waitForLog(world, /INFO Running/);
  await world.sql('delete from $s.region');
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id, note: 'synced' } });
  await expect.poll(async () => Object.keys(await world.heliumRows())).toEqual([`visit/${id}`]);
  await fromJourney.stop();
  expect(await world.start().ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(50);
});

test.each(['keep', 'delete'] as const)(
  'deletes nothing when Journey lists no objects for a moment, also with the answer %s',
  async (choice) => {
    await insertRegions(30);
    const run = world.start();
    await world.waitUntilEqual();
    await world.journeySql('create table kept as table object; delete from object');
    await compare(run);
    expect(await run.ended).toMatchObject({ outcome: 'halted' });
    expect(await inHelium()).toBe(30);
    await world.journeySql('insert into object table kept');
    await answer(choice);
    const again = world.start();
    await world.waitUntilEqual();
    await compare(again);
    await waitForLog(world, /INFO Compared region: 30 records, all equal/);
    expect([await inHelium(), await inJourney()]).toEqual([30, 30]);
    expect(await world.conflicts()).toEqual([]);
  },
);

test('does not empty an object of 20 records unasked', async () => {
  await insertRegions(20);
  const run = world.start();
  await world.waitUntilEqual();
  await deleteUnlogged('region');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await inJourney()).toBe(20);
});

test.each([
  ['helium', () => deleteUnlogged('region where code <= 20')],
  ['journey', () => world.journeySql(`delete from object where (contents->>'code')::int <= 20`)],
])('deletes 20 of 400 records that %s no longer has on the other side without a question', async (_, deleteSome) => {
  await insertRegions(400);
  const run = world.start();
  await world.waitUntilEqual();
  await deleteSome();
  await compareAll(run);
  await expect.poll(() => world.log).toContain('WARNING Compared region: 400 records, 20 differed and were repaired.');
  await world.waitUntilEqual();
  expect([await inHelium(), await inJourney()]).toEqual([380, 380]);
  expect(await operations().readQuestion(world.integration)).toBe(null);
});

test('asks again when the direction that would delete the records was off while the answer was delete', async () => {
  await insertRegions(30);
  const run = world.start();
  await world.waitUntilEqual();
  await deleteUnlogged('region');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  await answer('delete');
  const fromJourney = world.start((config) => ({ ...config, enableHeliumToJourney: false }));
  await waitUntil(async () => (await world.sql('select question from __portal_sync__.run')).rows[0].question === null);
  await fromJourney.stop();
  expect(await world.start().ended).toMatchObject({ outcome: 'halted' });
  expect(await readQuestion()).toMatchObject({ side: 'journey', absent: 30 });
  expect(await inJourney()).toBe(30);
});

test('asks about 21 of 400 records, and deletes them without a question where 10 percent are configured', async () => {
  await insertRegions(400);
  const run = world.start();
  await world.waitUntilEqual();
  await deleteUnlogged('region where code <= 21');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await readQuestion()).toMatchObject({ known: 400, absent: 21 });
  await answer('keep');
  const tolerant = world.start((config) => ({ ...config, maxDeletedPercent: 10 }));
  await expect.poll(inHelium).toBe(400);
  await world.waitUntilEqual();
  await deleteUnlogged('region where code <= 21');
  await compareAll(tolerant);
  await world.waitUntilEqual();
  expect([await inHelium(), await inJourney()]).toEqual([379, 379]);
});

test('deletes every record without a question when the logs name each deletion', async () => {
  await insertRegions(100);
  world.start();
  await world.waitUntilEqual();
  await world.sql('delete from $s.region where code > 50');
  await world.waitUntilEqual();
  const ids = Object.keys(await world.journeyRows()).map((key) => key.slice('region/'.length));
  await world.edit(...ids.map((id) => ({ method: 'delete' as const, object: { type: 'region', id } })));
  await expect.poll(inHelium).toBe(0);
  await world.waitUntilEqual();
  expect(await operations().readQuestion(world.integration)).toBe(null);
});

test('deletes nothing when Journey lists its objects again before they are counted', async () => {
  const proxy = await startResponseProxy(world);
  await insertRegions(30);
  const run = world.start(proxy.through);
  await world.waitUntilEqual();
  await world.journeySql('create table kept as table object; delete from object');
  let listings = 0;
  const second = proxy.hold((path) => {
    if (path.includes('region') && path.includes('query')) listings += 1;
    return listings === 2;
  });
  await compare(run);
  await second.held;
  await world.journeySql('insert into object table kept');
  second.release();
  await waitForLog(world, /INFO Compared region: 30 records, all equal/);
  await world.waitUntilEqual();
  expect([await inHelium(), await inJourney()]).toEqual([30, 30]);
  await proxy.stop();
});

test('deletes more than a page of rows that refer to each other when Journey no longer has them', async () => {
  await world.sql(
    `insert into $s.farmer (_id_, _tstamp_, name)
     select gen_random_uuid(), now() - interval '1 hour', 'farmer ' || no from generate_series(1, 1100) no`,
  );
  // Of the first page.
  await world.sql('update $s.farmer set friend_fk = (select _id_ from $s.farmer order by _id_ limit 1)');
  const run = world.start();
  await world.waitUntilEqual();
  await world.journeySql('delete from object');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  await answer('delete');
  world.start();
  const inBoth = async () =>
    [await world.heliumRows(), await world.journeyRows()].map((rows) => Object.keys(rows).length);
  await expect.poll(inBoth).toEqual([0, 0]);
  await world.waitUntilEqual();
  expect(await world.conflicts()).toEqual([]);
});

test('counts the references that would be cleared on either side', async () => {
  await insertRegions(3);
  await world.sql(
    `insert into $s.farmer (_id_, _tstamp_, name, region_fk)
     select gen_random_uuid(), now(), 'farmer ' || code, _id_ from $s.region where code < 3`,
  );
  const run = world.start();
  await world.waitUntilEqual();
  await deleteUnlogged('region');
  await compare(run);
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  const cleared = [{ table: 'farmer', column: 'region_fk', records: 2 }];
  expect(await readQuestion()).toMatchObject({ side: 'journey', clearedReferences: cleared });
  await answer('keep');
  const again = world.start();
  await expect.poll(inHelium).toBe(3);
  await world.waitUntilEqual();
  await world.journeySql(`delete from object where type = 'region'`);
  await compare(again);
  expect(await again.ended).toMatchObject({ outcome: 'halted' });
  expect(await readQuestion()).toMatchObject({ side: 'helium', clearedReferences: cleared });
});

/** Adds a field on both sides, so that the object is read in full. */
async function addRank(): Promise<void> {
  const code = '<field name="code" label="Code" type="integer"/>';
  await world.deployment.deploy(
    worldSchemaXml.replace(code, `${code}<field name="rank" label="Rank" type="integer"/>`),
  );
  await world.sql('alter table $s.region add column rank integer');
}

test('deletes few records that a full read does not find on one side, without a question', async () => {
  await insertRegions(30);
  const run = world.start();
  await world.waitUntilEqual();
  await run.stop();
  await deleteUnlogged('region where code <= 2');
  await world.journeySql(`delete from object where (contents->>'code')::int between 3 and 5`);
  await addRank();
  world.start();
  await expect.poll(inHelium).toBe(25);
  await expect.poll(inJourney).toBe(25);
  expect(await operations().readQuestion(world.integration)).toBe(null);
});

test('keeps in Journey what Helium no longer has when only Helium → Journey is on, and does not ask again', async () => {
  const oneWay = (config: SyncConfig) => ({ ...config, enableJourneyToHelium: false });
  await insertRegions(30);
  const run = world.start(oneWay);
  await expect.poll(inJourney).toBe(30);
  await expect.poll(() => world.figures().heliumSyncStatus).toBe('Live');
  await deleteUnlogged('region');
  await addRank();
  expect(await run.ended).toMatchObject({ outcome: 'halted' });
  expect(await readQuestion()).toMatchObject({ side: 'journey', known: 30, absent: 30 });
  await answer('keep');
  await insertRegions(1);
  world.start(oneWay);
  await expect.poll(inJourney).toBe(31);
  expect(await inHelium()).toBe(1);
  expect(await operations().readQuestion(world.integration)).toBe(null);
});
