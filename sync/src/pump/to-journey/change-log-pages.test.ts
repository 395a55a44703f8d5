/** A backlog of several pages, of which one is planned while the one before it is sent. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LeaseLostError } from '../../integration/lease-lost-error.ts';
import { expectAtRest, insertRegion, regionOf, until } from '../faults/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';

let world: SyncWorld;

const rowCount = 3_300;

beforeEach(async () => {
  world = await createSyncWorld();
  const run = world.start();
  await world.untilEqual();
  // With the cursor behind the first change, the next run reads the change log and not everything.
  await insertRegion(world, 'first');
  await world.untilEqual();
  await run.stop();
});
afterEach(() => world.stop());

const makeRegions = () =>
  world.sql(
    `insert into $s.region (_id_, _tstamp_, name)
     select md5(no::text)::uuid, now(), 'region ' || no from generate_series(1, ${rowCount}) no`,
  );
/** Without the first. */
const sent = async () => (await world.deployment.writes()).api - 1;

test('every record is sent once, as it is', async () => {
  await makeRegions();
  // In the second page, and among the first.
  await world.sql(
    `update $s.region set code = length(name), _tstamp_ = now() where name in ('region 7', 'region 1700')`,
  );
  world.start();
  await expectAtRest(world, {});
  expect(await sent()).toBe(rowCount);
});

test('records of the page that is under way are planned after its answer, as they are then', async () => {
  world.journey.faults.set({ mode: 'delay', delayMs: 300, path: 'batch', times: 4 });
  await makeRegions();
  world.start();
  await until(async () => (await world.sql('select from __portal_sync__.intent')).rowCount !== 0);
  await world.sql(`update $s.region set name = name || ' changed', _tstamp_ = now()`);
  await expectAtRest(world, {});
});

test('what was planned ahead is forgotten when the answer before it is lost, and nothing is sent twice', async () => {
  world.journey.faults.set({ mode: 'drop', path: 'batch', times: 1 });
  await makeRegions();
  world.start();
  await expectAtRest(world, {});
  expect(await sent()).toBe(rowCount);
  const { rows } = await world.sql(
    `select (select count(*)::int from __portal_sync__.intent) as intents, (select open_calls from __portal_sync__.run) as calls`,
  );
  expect(rows).toEqual([{ intents: 0, calls: [] }]);
});

test('stopped and started again and again in the middle, it sends no record twice', async () => {
  await makeRegions();
  for (const records of [1, 1_001, 2_001]) {
    const run = world.start();
    await until(async () => (await sent()) >= records);
    await run.stop();
  }
  world.start();
  await expectAtRest(world, {});
  expect(await sent()).toBe(rowCount);
});

test('pages of which nothing is to be sent, between others that are, only move the cursor', async () => {
  const same = `update $s.region set name = name, _tstamp_ = now() where name like 'region %'`;
  world.journey.faults.set({ mode: 'delay', delayMs: 300, path: 'batch', times: 1 });
  await makeRegions();
  await world.sql(same);
  await insertRegion(world, 'between');
  await world.sql(same);
  world.start();
  // With the cursor at the end of what says again what has been said.
  await expectAtRest(world, {});
  expect(await sent()).toBe(rowCount + 1);
  const { rows } = await world.sql('select last_call::int as calls from __portal_sync__.run');
  // One for the record before all this, one for each page of new records, and one for the page of
  // that between.
  expect(rows).toEqual([{ calls: 1 + Math.ceil(rowCount / 1_000) + 1 }]);
});

test('pages of nothing but what came from Journey are no change, and what comes behind them is', async () => {
  const run = world.start();
  await world.untilEqual();
  await run.stop();
  // While it is sent, all that Journey has edited comes into the change log behind it.
  world.journey.faults.set({ mode: 'delay', delayMs: 3_000, path: 'batch', times: 1 });
  const here = await insertRegion(world, 'here');
  const theirs = Array.from({ length: 2_500 }, () => randomUUID());
  for (const part of [theirs.slice(0, 1_000), theirs.slice(1_000, 2_000), theirs.slice(2_000)])
    await world.edit(...part.map((id) => ({ method: 'put' as const, object: { type: 'region', id, name: 'theirs' } })));
  const before = await sent();
  world.start();
  await until(async () => (await world.sql(`select from $s.region where name = 'theirs'`)).rowCount === 2_500);
  const behind = await insertRegion(world, 'behind');
  await expectAtRest(world, { [`region/${here}`]: regionOf('here'), [`region/${behind}`]: regionOf('behind') });
  expect((await sent()) - before).toBe(2);
  expect(await world.conflicts()).toEqual([]);
});

test('where no echo is read, pages are planned ahead all the same, and sent anew when an answer is lost', async () => {
  const skipped = (config: SyncWorld['integration']['config']) => ({
    ...config,
    journeyToHelium: { ...config.journeyToHelium, oplogSkipObjectTypes: ['region'] },
  });
  const run = world.start(skipped);
  await until(() => world.figures().heliumSyncStatus === 'Live');
  await run.stop();
  const before = await sent();
  // The second page is planned while the first one's answer is lost.
  world.journey.faults.set({ mode: 'drop', path: 'batch', times: 1 });
  await makeRegions();
  world.start(skipped);
  await expectAtRest(world, {});
  // Of the first page nobody says that it was carried out.
  expect((await sent()) - before).toBe(rowCount);
  const { rows } = await world.sql(
    'select (select count(*)::int from __portal_sync__.intent) as intents, open_calls as calls from __portal_sync__.run',
  );
  expect(rows).toEqual([{ intents: 0, calls: [] }]);
});

test('what Journey edits of records that are under way reaches Helium, and comes back to nobody', async () => {
  await makeRegions();
  world.start();
  await until(async () => (await sent()) > 0);
  const ids = Object.keys(await world.journeyRows()).map((key) => key.replace('region/', ''));
  const edits = ids.slice(0, 900).map((id, code) => ({ id, code }));
  await world.edit(...edits.map((edit) => ({ method: 'patch' as const, object: { type: 'region', ...edit } })));
  await expectAtRest(world, Object.fromEntries(edits.map(({ id, code }) => [`region/${id}`, { code }])));
  expect(await world.conflicts()).toEqual([]);
});

test('what a killed engine had planned ahead, and nobody has answered for, is taken up by the next', async () => {
  world.journey.faults.set({ mode: 'delay', delayMs: 4_000, path: 'batch', times: 1 });
  await makeRegions();
  const first = world.start();
  const calls = async () =>
    (await world.sql('select cardinality(open_calls) as open from __portal_sync__.run')).rows[0]?.open;
  await until(async () => (await calls()) === 2);
  // It cannot take anything back any more: the next one has the newer fence.
  world.start();
  await expect(first.ended).rejects.toBeInstanceOf(LeaseLostError);
  await expectAtRest(world, {});
  expect(await calls()).toBe(0);
});
