/** Two engines on one integration, and people's acts while records are under way. */
import type { SyncConfig } from '@portal/contract/sync-config';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LeaseLostError } from '../../integration/lease-lost-error.ts';
import { getStateKeyPrefix } from '../../integration/state-key.ts';
import { dropRuns } from '../../sync-state/runs.store.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml } from '../testing/sync-world.fixture.ts';
import { editBoth, expectAtRest, insertRegion, regionOf, renameRegion, until } from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

test('an engine with the older fence is refused at its next step, and nothing is written twice', async () => {
  const older = world.start();
  const first = await editBoth(world, 'first');
  await world.untilEqual();
  const { api } = await world.deployment.writes();
  world.start();
  const second = await editBoth(world, 'second');
  await expect(older.ended).rejects.toBeInstanceOf(LeaseLostError);
  await expectAtRest(world, { ...first, ...second });
  // One new, one changed, and the one that was gone again may have been seen in between.
  expect((await world.deployment.writes()).api - api).toBeLessThanOrEqual(5);
  expect(await world.conflicts()).toEqual([]);
});

test('an older engine that wakes in the middle of its batch moves nothing', async () => {
  const older = world.start();
  await world.untilEqual();
  world.journey.faults.set({ mode: 'delay', delayMs: 1_500, path: 'batch', times: 1 });
  const id = await insertRegion(world, 'sent by the older');
  await until(() => world.journey.faults.list().length === 0);
  world.start();
  await renameRegion(world, id, 'changed since');
  await expect(older.ended).rejects.toBeInstanceOf(LeaseLostError);
  await expectAtRest(world, { [`region/${id}`]: regionOf('changed since') });
});

test('disabled and enabled in the middle of a batch, again and again', async () => {
  const modes = ['drop', 'delay', 'refuse'] as const;
  const expected: Record<string, object> = {};
  for (let round = 0; round < 6; round += 1) {
    world.journey.faults.set({ mode: modes[round % 3] ?? 'drop', delayMs: 200, path: 'batch', times: 1 });
    const run = world.start();
    Object.assign(expected, await editBoth(world, `round ${round}`));
    await until(() => world.journey.faults.list().length === 0);
    await run.stop();
  }
  world.start();
  await world.untilEqual();
  expect(await world.heliumRows()).toMatchObject(expected);
  await expectAtRest(world, {});
  expect(await world.conflicts()).toEqual([]);
});

test('edited in the middle of a batch: it goes on with what it is now', async () => {
  const policy = (conflictPolicy: SyncConfig['conflictPolicy']) => (config: SyncConfig) => ({
    ...config,
    conflictPolicy,
  });
  const run = world.start(policy('journey'));
  await world.untilEqual();
  world.journey.faults.set({ mode: 'drop', path: 'batch', times: 1 });
  const expected = await editBoth(world, 'edited');
  await until(() => world.journey.faults.list().length === 0);
  await run.stop();
  world.start(policy('helium'));
  await expectAtRest(world, expected);
});

test('deleted in the middle of a batch: it ends, and leaves nothing behind', async () => {
  const run = world.start();
  await world.untilEqual();
  world.journey.faults.set({ mode: 'delay', delayMs: 500, path: 'batch', times: 1 });
  await insertRegion(world, 'under way');
  await until(() => world.journey.faults.list().length === 0);
  await dropRuns(world.helium.pool, getStateKeyPrefix(world.integration));
  await expect(run.ended).rejects.toBeInstanceOf(LeaseLostError);
  const { rows } = await world.sql(
    `select (select count(*)::int from __portal_sync__.run) as runs, (select count(*)::int from __portal_sync__.intent) as intents,
      (select count(*)::int from __portal_sync__.record) as records`,
  );
  expect(rows).toEqual([{ runs: 0, intents: 0, records: 0 }]);
});

test('only to Journey: what Journey edits stays there', async () => {
  const run = world.start((config) => ({ ...config, enableJourneyToHelium: false }));
  const id = await insertRegion(world, 'ours');
  await until(async () => `region/${id}` in (await world.journeyRows()));
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 3 } });
  await renameRegion(world, id, 'ours again');
  await until(async () => (await world.journeyRows())[`region/${id}`]?.name === 'ours again');
  expect(await world.journeyRows()).toEqual({ [`region/${id}`]: regionOf('ours again', 3) });
  expect(await world.heliumRows()).toEqual({ [`region/${id}`]: regionOf('ours again') });
  expect(world.figures().journeySyncStatus).toBe('Off');
  await run.stop();
});

test('only to Journey: its op-log is not asked for, and its data model is followed', async () => {
  world.journey.faults.set({ mode: 'refuse', path: 'oplog' });
  await world.sql('alter table $s.region add column rank integer');
  world.start((config) => ({ ...config, enableJourneyToHelium: false }));
  const id = await insertRegion(world, 'ours');
  await until(async () => `region/${id}` in (await world.journeyRows()));
  const rank = '<field name="rank" label="Rank" type="integer"/><field name="code"';
  await world.deployment.deploy(worldSchemaXml.replace('<field name="code"', rank));
  await until(() => world.log.some((line) => line.includes('region.rank: It is synced from now on')));
  expect(world.log.filter((line) => line.startsWith('WARNING'))).toEqual([]);
  expect(world.figures().journeySyncStatus).toBe('Off');
});

test('only to Helium: what Helium edits stays there', async () => {
  const run = world.start((config) => ({ ...config, enableHeliumToJourney: false }));
  await world.edit({ method: 'put', object: { type: 'region', id: recordId, name: 'theirs' } });
  await until(async () => `region/${recordId}` in (await world.heliumRows()));
  await world.sql(`update $s.region set code = 4, _tstamp_ = now() where _id_ = $1`, [recordId]);
  await world.edit({ method: 'patch', object: { type: 'region', id: recordId, name: 'theirs again' } });
  await until(async () => (await world.heliumRows())[`region/${recordId}`]?.name === 'theirs again');
  expect(await world.heliumRows()).toEqual({ [`region/${recordId}`]: regionOf('theirs again', 4) });
  expect(await world.journeyRows()).toEqual({ [`region/${recordId}`]: regionOf('theirs again') });
  expect(world.figures().heliumSyncStatus).toBe('Off');
  await run.stop();
});

test('skipped tables stay in Helium, skipped types in Journey', async () => {
  world.start((config) => ({
    ...config,
    heliumToJourney: { ...config.heliumToJourney, changeLogSkipTables: ['region'] },
    journeyToHelium: { ...config.journeyToHelium, oplogSkipObjectTypes: ['visit'] },
  }));
  const here = await insertRegion(world, 'stays');
  await world.edit(
    { method: 'put', object: { type: 'region', id: recordId, name: 'comes' } },
    { method: 'put', object: { type: 'visit', id: recordId, note: 'stays there' } },
  );
  await world.sql(`insert into $s.visit (_id_, _tstamp_, note) values ($1, now(), 'goes')`, [here]);
  await until(async () => {
    const [helium, journey] = [await world.heliumRows(), await world.journeyRows()];
    return `region/${recordId}` in helium && `visit/${here}` in journey;
  });
  expect(Object.keys(await world.heliumRows()).sort()).toEqual(
    [`region/${recordId}`, `region/${here}`, `visit/${here}`].sort(),
  );
  expect(Object.keys(await world.journeyRows()).sort()).toEqual(
    [`region/${recordId}`, `visit/${recordId}`, `visit/${here}`].sort(),
  );
});

test('versions to begin from: what came before is left where it is', async () => {
  await insertRegion(world, 'before');
  await world.edit({ method: 'put', object: { type: 'region', id: recordId, name: 'before too' } });
  world.start((config) => ({
    ...config,
    heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: '1' },
    journeyToHelium: { ...config.journeyToHelium, oplogMinVersionAsString: '1' },
  }));
  const after = await insertRegion(world, 'after');
  const there = 'c0000000-0000-4000-8000-000000000002';
  await world.edit({ method: 'put', object: { type: 'region', id: there, name: 'after too' } });
  await until(async () => {
    const [helium, journey] = [await world.heliumRows(), await world.journeyRows()];
    return `region/${there}` in helium && `region/${after}` in journey;
  });
  expect(Object.keys(await world.journeyRows()).sort()).toEqual(
    [`region/${recordId}`, `region/${after}`, `region/${there}`].sort(),
  );
  expect(await world.heliumRows()).not.toHaveProperty(`region/${recordId}`);
});

const recordId = 'b0000000-0000-4000-8000-000000000001';
