/** Two engines run one integration, and operators act while records are in flight. */
import type { SyncConfig } from '@portal/contract/sync/config';
import { Unreachable } from '@portal/kit/problems';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LeaseLostError } from '../../../integration/lease-lost-error.ts';
import { getStateKeyPrefix } from '../../../integration/state-key.ts';
import { deleteRuns } from '../../../sync-state/runs.store.ts';
import {
  editBothSides,
  expectAtRest,
  expectReplaced,
  insertRegion,
  regionFields,
  renameRegion,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

test('rejects an engine with an older fence at its next step, and writes nothing twice', async () => {
  const older = world.start();
  const first = await editBothSides(world, 'first');
  await world.waitUntilEqual();
  const { api } = await world.deployment.writes();
  world.start();
  const second = await editBothSides(world, 'second');
  await expectReplaced(older);
  await expectAtRest(world, { ...first, ...second });
  // One is new, one changed, and the deleted one may have been seen in between.
  expect((await world.deployment.writes()).api - api).toBeLessThanOrEqual(5);
  expect(await world.conflicts()).toEqual([]);
});

test("takes another session's lock on the integration's state for an outage, and continues once it ends", async () => {
  const first = world.start();
  await world.waitUntilEqual();
  await first.stop();
  const holder = await world.helium.pool.connect();
  await holder.query('begin');
  await holder.query('select from __portal_sync__.run for update');
  await expect(world.start().ended).rejects.toBeInstanceOf(Unreachable);
  await holder.query('rollback');
  holder.release();
  world.start();
  await expectAtRest(world, await editBothSides(world, 'later'));
});

test('keeps an older engine that resumes in the middle of its batch from changing anything', async () => {
  const older = world.start();
  await world.waitUntilEqual();
  world.journey.faults.set({ mode: 'delay', delayMs: 1_500, path: 'batch', times: 1 });
  const id = await insertRegion(world, 'sent by the older');
  await waitUntil(() => world.journey.faults.list().length === 0);
  world.start();
  await renameRegion(world, id, 'changed since');
  await expectReplaced(older);
  await expectAtRest(world, { [`region/${id}`]: regionFields('changed since') });
});

test('keeps an older engine that is in the middle of its page from changing anything', async () => {
  const older = world.start();
  const id = await insertRegion(world, 'before');
  await world.waitUntilEqual();
  const newer = await world.helium.connect();
  await newer.query('begin; update __portal_sync__.run set fence = fence + 100');
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'by the device' } });
  await waitUntil(
    async () =>
      (
        await world.sql(
          `select from pg_stat_activity where application_name like 'portal-sync%' and wait_event_type = 'Lock'
             and query like 'update __portal_sync__.run set%' and datname = current_database()`,
        )
      ).rowCount,
  );
  await newer.query('commit');
  await expect(older.ended).rejects.toBeInstanceOf(LeaseLostError);
  expect(await world.heliumRows()).toEqual({ [`region/${id}`]: regionFields('before') });
  await newer.end();
});

test('loses nothing when it is disabled and enabled in the middle of a batch, again and again', async () => {
  const modes = ['drop', 'delay', 'refuse'] as const;
  const expected: Record<string, object> = {};
  for (let round = 0; round < 6; round += 1) {
    world.journey.faults.set({ mode: modes[round % 3] ?? 'drop', delayMs: 200, path: 'batch', times: 1 });
    const run = world.start();
    Object.assign(expected, await editBothSides(world, `round ${round}`));
    await waitUntil(() => world.journey.faults.list().length === 0);
    await run.stop();
  }
  world.start();
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject(expected);
  await expectAtRest(world, {});
  expect(await world.conflicts()).toEqual([]);
});

test('continues with the new configuration when it is edited in the middle of a batch', async () => {
  const policy = (conflictPolicy: SyncConfig['conflictPolicy']) => (config: SyncConfig) => ({
    ...config,
    conflictPolicy,
  });
  const run = world.start(policy('journey'));
  await world.waitUntilEqual();
  world.journey.faults.set({ mode: 'drop', path: 'batch', times: 1 });
  const expected = await editBothSides(world, 'edited');
  await waitUntil(() => world.journey.faults.list().length === 0);
  await run.stop();
  world.start(policy('helium'));
  await expectAtRest(world, expected);
});

test('stops when it is deleted in the middle of a batch, and leaves nothing behind', async () => {
  const run = world.start();
  await world.waitUntilEqual();
  world.journey.faults.set({ mode: 'delay', delayMs: 500, path: 'batch', times: 1 });
  await insertRegion(world, 'under way');
  await waitUntil(() => world.journey.faults.list().length === 0);
  await deleteRuns(world.helium.pool, getStateKeyPrefix(world.integration));
  await expect(run.ended).rejects.toBeInstanceOf(LeaseLostError);
  const { rows } = await world.sql(
    `select (select count(*)::int from __portal_sync__.run) as runs, (select count(*)::int from __portal_sync__.intent) as intents,
      (select count(*)::int from __portal_sync__.record) as records`,
  );
  expect(rows).toEqual([{ runs: 0, intents: 0, records: 0 }]);
});

test("leaves Journey's edits in Journey when only Helium to Journey is enabled", async () => {
  const run = world.start((config) => ({ ...config, enableJourneyToHelium: false }));
  const id = await insertRegion(world, 'ours');
  await waitUntil(async () => `region/${id}` in (await world.journeyRows()));
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 3 } });
  await renameRegion(world, id, 'ours again');
  await waitUntil(async () => (await world.journeyRows())[`region/${id}`]?.name === 'ours again');
  expect(await world.journeyRows()).toEqual({ [`region/${id}`]: regionFields('ours again', 3) });
  expect(await world.heliumRows()).toEqual({ [`region/${id}`]: regionFields('ours again') });
  expect(world.figures().journeySyncStatus).toBe('Off');
  await run.stop();
});

test("follows Journey's data model and leaves its edits there when only Helium to Journey is enabled", async () => {
  await world.sql('alter table $s.region add column rank integer');
  world.start((config) => ({ ...config, enableJourneyToHelium: false }));
  const id = await insertRegion(world, 'ours');
  await waitUntil(async () => `region/${id}` in (await world.journeyRows()));
  await world.edit({ method: 'put', object: { type: 'region', id: recordId, name: 'theirs' } });
  const rank = '<field name="rank" label="Rank" type="integer"/><field name="code"';
  await world.deployment.deploy(worldSchemaXml.replace('<field name="code"', rank));
  await waitUntil(() => world.log.some((line) => line.includes('region.rank: It is now synced')));
  expect(world.log.filter((line) => line.startsWith('WARNING'))).toEqual([]);
  expect(world.figures().journeySyncStatus).toBe('Off');
  expect(Object.keys(await world.heliumRows())).toEqual([`region/${id}`]);
});

test("leaves Helium's edits in Helium when only Journey to Helium is enabled", async () => {
  const run = world.start((config) => ({ ...config, enableHeliumToJourney: false }));
  await world.edit({ method: 'put', object: { type: 'region', id: recordId, name: 'theirs' } });
  await waitUntil(async () => `region/${recordId}` in (await world.heliumRows()));
  await world.sql(`update $s.region set code = 4, _tstamp_ = now() where _id_ = $1`, [recordId]);
  await world.edit({ method: 'patch', object: { type: 'region', id: recordId, name: 'theirs again' } });
  await waitUntil(async () => (await world.heliumRows())[`region/${recordId}`]?.name === 'theirs again');
  expect(await world.heliumRows()).toEqual({ [`region/${recordId}`]: regionFields('theirs again', 4) });
  expect(await world.journeyRows()).toEqual({ [`region/${recordId}`]: regionFields('theirs again') });
  expect(world.figures().heliumSyncStatus).toBe('Off');
  await run.stop();
});

test('leaves skipped tables in Helium and skipped types in Journey', async () => {
  world.start((config) => ({
    ...config,
    heliumToJourney: { ...config.heliumToJourney, changeLogSkipTables: ['region'] },
    journeyToHelium: { ...config.journeyToHelium, oplogSkipObjectTypes: ['visit'] },
  }));
  const heliumId = await insertRegion(world, 'stays');
  await world.edit(
    { method: 'put', object: { type: 'region', id: recordId, name: 'comes' } },
    { method: 'put', object: { type: 'visit', id: recordId, note: 'stays there' } },
  );
  await world.sql(`insert into $s.visit (_id_, _tstamp_, note) values ($1, now(), 'goes')`, [heliumId]);
  await waitUntil(async () => {
    const [helium, journey] = [await world.heliumRows(), await world.journeyRows()];
    return `region/${recordId}` in helium && `visit/${heliumId}` in journey;
  });
  expect(Object.keys(await world.heliumRows()).sort()).toEqual(
    [`region/${recordId}`, `region/${heliumId}`, `visit/${heliumId}`].sort(),
  );
  expect(Object.keys(await world.journeyRows()).sort()).toEqual(
    [`region/${recordId}`, `visit/${recordId}`, `visit/${heliumId}`].sort(),
  );
});

test('leaves changes before the start versions where they are', async () => {
  await insertRegion(world, 'before');
  await world.edit({ method: 'put', object: { type: 'region', id: recordId, name: 'before too' } });
  world.start((config) => ({
    ...config,
    heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: '1' },
    journeyToHelium: { ...config.journeyToHelium, oplogMinVersionAsString: '1' },
  }));
  const after = await insertRegion(world, 'after');
  const journeyId = 'c0000000-0000-4000-8000-000000000002';
  await world.edit({ method: 'put', object: { type: 'region', id: journeyId, name: 'after too' } });
  await waitUntil(async () => {
    const [helium, journey] = [await world.heliumRows(), await world.journeyRows()];
    return `region/${journeyId}` in helium && `region/${after}` in journey;
  });
  expect(Object.keys(await world.journeyRows()).sort()).toEqual(
    [`region/${recordId}`, `region/${after}`, `region/${journeyId}`].sort(),
  );
  expect(await world.heliumRows()).not.toHaveProperty(`region/${recordId}`);
});

const recordId = 'b0000000-0000-4000-8000-000000000001';
