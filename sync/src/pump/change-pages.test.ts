/** A backlog of several pages, of which one is planned while the one before it is sent. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LeaseLost } from '../integrations/run.ts';
import { expectAtRest, insertRegion, until } from './faults/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from './sync-world.fixture.ts';

let world: SyncWorld;

const ROWS = 3_300;

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
     select md5(no::text)::uuid, now(), 'region ' || no from generate_series(1, ${ROWS}) no`,
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
  expect(await sent()).toBe(ROWS);
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
  expect(await sent()).toBe(ROWS);
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
  expect(await sent()).toBe(ROWS);
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
  await expect(first.ended).rejects.toBeInstanceOf(LeaseLost);
  await expectAtRest(world, {});
  expect(await calls()).toBe(0);
});
