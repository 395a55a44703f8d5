/** Sends a backlog of several pages, where each page is planned while the previous one is sent. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectAtRest, expectReplaced, insertRegion, regionFields, waitUntil } from '../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';

let world: SyncWorld;

const rowCount = 3_300;

beforeEach(async () => {
  world = await createSyncWorld();
  const run = world.start();
  await world.waitUntilEqual();
  // With the cursor behind the first change, the next run reads the change log instead of
  // everything.
  await insertRegion(world, 'first');
  await world.waitUntilEqual();
  await run.stop();
});
afterEach(() => world.stop());

const makeRegions = () =>
  world.sql(
    `insert into $s.region (_id_, _tstamp_, name)
     select md5(no::text)::uuid, now(), 'region ' || no from generate_series(1, ${rowCount}) no`,
  );
/** Without the first region. */
const sent = async () => (await world.deployment.writes()).api - 1;

test('sends every record once, in its current state', async () => {
  await makeRegions();
  // In the second page, and also in the first.
  await world.sql(
    `update $s.region set code = length(name), _tstamp_ = now() where name in ('region 7', 'region 1700')`,
  );
  world.start();
  await expectAtRest(world, {});
  expect(await sent()).toBe(rowCount);
});

test('plans records of the page in flight after its response, in their state at that time', async () => {
  world.journey.faults.set({ mode: 'delay', delayMs: 300, path: 'batch', times: 4 });
  await makeRegions();
  world.start();
  await waitUntil(async () => (await world.sql('select from __portal_sync__.intent')).rowCount !== 0);
  await world.sql(`update $s.region set name = name || ' changed', _tstamp_ = now()`);
  await expectAtRest(world, {});
});

test('discards a page planned ahead when the previous response is lost, and sends nothing twice', async () => {
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

test('sends no record twice when it is stopped and started again and again', async () => {
  await makeRegions();
  for (const records of [1, 1_001, 2_001]) {
    const run = world.start();
    await waitUntil(async () => (await sent()) >= records);
    await run.stop();
  }
  world.start();
  await expectAtRest(world, {});
  expect(await sent()).toBe(rowCount);
});

test('only moves the cursor for pages with nothing to send between pages with changes', async () => {
  const same = `update $s.region set name = name, _tstamp_ = now() where name like 'region %'`;
  world.journey.faults.set({ mode: 'delay', delayMs: 300, path: 'batch', times: 1 });
  await makeRegions();
  await world.sql(same);
  await insertRegion(world, 'between');
  await world.sql(same);
  world.start();
  // The cursor is behind the last entry that repeats a change.
  await expectAtRest(world, {});
  expect(await sent()).toBe(rowCount + 1);
  const { rows } = await world.sql('select last_call::int as calls from __portal_sync__.run');
  // One for the initial record, one for each page of new records, and one for the page between
  // them.
  expect(rows).toEqual([{ calls: 1 + Math.ceil(rowCount / 1_000) + 1 }]);
});

test('treats pages that contain only changes from Journey as no change, and sends what follows them', async () => {
  const run = world.start();
  await world.waitUntilEqual();
  await run.stop();
  // Everything Journey edits in the meantime is appended to the change log.
  world.journey.faults.set({ mode: 'delay', delayMs: 3_000, path: 'batch', times: 1 });
  const heliumId = await insertRegion(world, 'helium');
  const theirs = Array.from({ length: 2_500 }, () => randomUUID());
  for (const part of [theirs.slice(0, 1_000), theirs.slice(1_000, 2_000), theirs.slice(2_000)])
    await world.edit(...part.map((id) => ({ method: 'put' as const, object: { type: 'region', id, name: 'theirs' } })));
  const before = await sent();
  world.start();
  await waitUntil(async () => (await world.sql(`select from $s.region where name = 'theirs'`)).rowCount === 2_500);
  const behind = await insertRegion(world, 'behind');
  await expectAtRest(world, {
    [`region/${heliumId}`]: regionFields('helium'),
    [`region/${behind}`]: regionFields('behind'),
  });
  expect((await sent()) - before).toBe(2);
  expect(await world.conflicts()).toEqual([]);
});

test('plans pages ahead without echoes, and sends them again when a response is lost', async () => {
  const skipped = (config: SyncWorld['integration']['config']) => ({
    ...config,
    journeyToHelium: { ...config.journeyToHelium, oplogSkipObjectTypes: ['region'] },
  });
  const run = world.start(skipped);
  await waitUntil(() => world.figures().heliumSyncStatus === 'Live');
  await run.stop();
  const before = await sent();
  // The second page is planned while the first response is lost.
  world.journey.faults.set({ mode: 'drop', path: 'batch', times: 1 });
  await makeRegions();
  world.start(skipped);
  await expectAtRest(world, {});
  // No one confirmed that the first page was applied.
  expect((await sent()) - before).toBe(rowCount);
  const { rows } = await world.sql(
    'select (select count(*)::int from __portal_sync__.intent) as intents, open_calls as calls from __portal_sync__.run',
  );
  expect(rows).toEqual([{ intents: 0, calls: [] }]);
});

test("syncs Journey's edits of records in flight to Helium, without sending them back", async () => {
  await makeRegions();
  world.start();
  await waitUntil(async () => (await sent()) > 0);
  const ids = Object.keys(await world.journeyRows()).map((key) => key.replace('region/', ''));
  const edits = ids.slice(0, 900).map((id, code) => ({ id, code }));
  await world.edit(...edits.map((edit) => ({ method: 'patch' as const, object: { type: 'region', ...edit } })));
  await expectAtRest(world, Object.fromEntries(edits.map(({ id, code }) => [`region/${id}`, { code }])));
  expect(await world.conflicts()).toEqual([]);
});

test('lets the next engine take over the unanswered pages of a killed engine', async () => {
  world.journey.faults.set({ mode: 'delay', delayMs: 4_000, path: 'batch', times: 1 });
  await makeRegions();
  const first = world.start();
  const calls = async () =>
    (await world.sql('select cardinality(open_calls) as open from __portal_sync__.run')).rows[0]?.open;
  await waitUntil(async () => (await calls()) === 2);
  // It cannot undo anything any more: the next engine has the newer fence.
  world.start();
  await expectReplaced(first);
  await expectAtRest(world, {});
  expect(await calls()).toBe(0);
});
