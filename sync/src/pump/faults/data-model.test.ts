/**
 * Either data model changes while records are synced. Additions go live; a loss suspends only the
 * object concerned.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { RestartingRun } from '../testing/restarting-run.fixture.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml } from '../testing/sync-world.fixture.ts';
import {
  expectNoEcho,
  insertRegion,
  regionFields,
  renameRegion,
  waitForLog,
  waitUntil,
} from './fault-steps.fixture.ts';

let world: SyncWorld;
let restartingRun: RestartingRun;

beforeEach(async () => {
  world = await createSyncWorld();
  restartingRun = world.startWithRestarts();
  await world.waitUntilEqual();
});
afterEach(() => world.stop());

const ranked = z.object({ rank: z.number().nullable() });

const withRegion = (field: string) =>
  worldSchemaXml.replace(
    '<field name="code" label="Code" type="integer"/>',
    `<field name="code" label="Code" type="integer"/>${field}`,
  );
const rank = '<field name="rank" label="Rank" type="integer"/>';
const withoutCode = worldSchemaXml.replace('<field name="code" label="Code" type="integer"/>', '');

async function journeyHas(key: string, fields: object): Promise<void> {
  await waitUntil(async () => {
    const found = (await world.journeyRows())[key] ?? {};
    return Object.entries(fields).every(([name, value]) => found[name] === value);
  });
}

test('warns of fields that it cannot sync and of columns that it cannot fill, at the start and when a model changes', async () => {
  const [warnings, count] = [
    () => world.log.filter((line) => line.startsWith('WARNING Not everything')),
    () => world.figures().mappingWarnings.count,
  ];
  expect(warnings()).toEqual([]);
  await world.sql('alter table $s.region add column rank jsonb, add column contact text not null');
  await world.deployment.deploy(withRegion(rank));
  await waitUntil(() => count() === 2);
  const text =
    "2 warnings: region.contact: Journey's model has no counterpart for this attribute. Helium requires a value, so it rejects new records from Journey. region.rank: Helium's json cannot be synced.";
  expect(world.figures().mappingWarnings.first).toHaveLength(2);
  expect(warnings().at(-1)).toBe(`WARNING Not everything is synced. ${text}`);
  const logged = warnings().length;
  const id = randomUUID();
  await world.sql(`insert into $s.region (_id_, _tstamp_, name, contact) values ($1, now(), 'goes on', '')`, [id]);
  await journeyHas(`region/${id}`, { name: 'goes on' });
  expect(warnings()).toHaveLength(logged);
  await restartingRun.stop();
  restartingRun = world.startWithRestarts();
  await waitUntil(() => warnings().length === logged + 1);
  await world.sql('alter table $s.region drop column rank, drop column contact');
  await waitUntil(() => count() === 0);
});

test('syncs a field and a column once they are added on both sides, with their current values', async () => {
  const [heliumId, journeyId] = [await insertRegion(world, 'helium'), randomUUID()];
  await world.waitUntilEqual();
  await world.deployment.deploy(withRegion(rank));
  await world.edit({ method: 'put', object: { type: 'region', id: journeyId, name: 'journey', rank: 3 } });
  await waitUntil(async () => `region/${journeyId}` in (await world.heliumRows()));
  await world.sql('alter table $s.region add column rank integer');
  await world.sql('update $s.region set rank = 1 where _id_ = $1', [heliumId]);
  await waitForLog(world, /INFO The data model has changed: region\.rank: It is now synced/);
  await waitUntil(async () => (await world.heliumRows())[`region/${journeyId}`]?.rank === 3);
  const object = async (id: string) =>
    (
      await fetch(`${world.deployment.url}/objects/region/${id}.json`, {
        headers: { authorization: `Basic ${btoa(`${world.deployment.userName}:${world.deployment.password}`)}` },
      })
    ).json();
  await waitUntil(async () => ranked.parse(await object(heliumId)).rank === 1);
  await expectNoEcho(world);
  expect(await world.held()).toEqual([]);
});

test('suspends only the object whose field Journey deleted, clears nothing, and resumes when it is saved', async () => {
  const id = await insertRegion(world, 'region', 5);
  const deletedId = await insertRegion(world, 'gone');
  await world.waitUntilEqual();
  await world.deployment.deploy(withoutCode);
  await waitForLog(world, /SEVERE region is paused until its integration is saved: region\.code/);
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'renamed in Journey' } });
  await world.sql('delete from $s.region where _id_ = $1', [deletedId]);
  const visitId = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id: visitId, note: 'others flow' } });
  await waitUntil(async () => `visit/${visitId}` in (await world.heliumRows()));
  await world.sql(`update $s.visit set note = 'both ways' where _id_ = $1`, [visitId]);
  await journeyHas(`visit/${visitId}`, { note: 'both ways' });
  expect((await world.heliumRows())[`region/${id}`]).toEqual(regionFields('region', 5));

  // The field is back, and an operator saves.
  await restartingRun.stop();
  await world.deployment.deploy(worldSchemaXml);
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 5 } });
  Object.assign(world.integration, { configVersion: 2 });
  restartingRun = world.startWithRestarts();
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject({ [`region/${id}`]: regionFields('renamed in Journey', 5) });
  expect(await world.journeyRows()).not.toHaveProperty(`region/${deletedId}`);
});

test('detects a column deleted in Helium at once, and suspends only its object', async () => {
  const id = await insertRegion(world, 'region', 5);
  await world.waitUntilEqual();
  await world.sql('alter table $s.region drop column code');
  await renameRegion(world, id, 'without');
  const visitId = randomUUID();
  await world.sql(`insert into $s.visit (_id_, _tstamp_, note) values ($1, now(), 'others flow')`, [visitId]);
  await waitForLog(world, /SEVERE region is paused/);
  await journeyHas(`visit/${visitId}`, { note: 'others flow' });
  expect((await world.journeyRows())[`region/${id}`]).toMatchObject({ code: 5 });
});

test('handles a data model that changes during the first full read', async () => {
  await restartingRun.stop();
  await world.stop();
  world = await createSyncWorld();
  const ids = Array.from({ length: 30 }, () => randomUUID());
  await world.edit(
    ...ids.map((id) => ({ method: 'put' as const, object: { type: 'region', id, name: 'r', code: null } })),
  );
  // The mapping is built from the model with the code; the objects are read without it.
  world.journey.faults.set({ mode: 'delay', delayMs: 1_000, path: 'query', times: 1 });
  restartingRun = world.startWithRestarts();
  await waitUntil(() => world.journey.faults.list().length === 0);
  await world.deployment.deploy(withoutCode);
  await waitForLog(world, /SEVERE region is paused/);
  const visitId = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id: visitId, note: 'others flow' } });
  await waitUntil(async () => `visit/${visitId}` in (await world.heliumRows()));
});

test('keeps other records flowing while a record of a suspended object is parked', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await world.edit({ method: 'put', object: { type: 'farmer', id: child, name: 'Child', region_id: parent } });
  await waitUntil(() => world.figures().parked === 1);
  await world.deployment.deploy(worldSchemaXml.replace('<field name="age" label="Age" type="integer"/>', ''));
  await waitForLog(world, /SEVERE farmer is paused/);
  await world.edit({ method: 'put', object: { type: 'region', id: parent, name: 'Parent' } });
  await waitUntil(async () => `region/${parent}` in (await world.heliumRows()));
  const another = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: another, name: 'Another' } });
  await waitUntil(async () => `region/${another}` in (await world.heliumRows()));
});

test('follows a data model change although a lock keeps it from being saved', async () => {
  await waitForLog(world, /Journey → Helium: full read complete/);
  await world.sql('alter table $s.region add column rank integer');
  const session = await world.helium.connect();
  await session.query('begin');
  await session.query('select from __portal_sync__.run for update');
  await world.deployment.deploy(withRegion(rank));
  // Like a timeout that ends a waiting statement.
  const cancelWaiting = () =>
    world.sql(
      `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database()
         and application_name like 'portal-sync%' and wait_event_type = 'Lock'`,
    );
  await waitUntil(async () => {
    await cancelWaiting();
    return world.log.some((line) => line.includes('region.rank: It is now synced'));
  });
  const countInterrupted = () =>
    world.log.filter((line) => line.startsWith('WARNING Journey → Helium: canceling statement'));
  const before = countInterrupted().length;
  await waitUntil(async () => {
    await cancelWaiting();
    return countInterrupted().length > before;
  });
  await session.query('commit');
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'ranked', rank: 8 } });
  await waitUntil(async () => (await world.heliumRows())[`region/${id}`]?.rank === 8);
  expect(restartingRun.failures).toEqual([]);
});
