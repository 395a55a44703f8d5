/**
 * Either data model changes while records are under way: additions go live, a loss halts the one
 * object it is about.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { KeptRun } from '../testing/kept-run.fixture.ts';
import { createSyncWorld, type SyncWorld, worldSchemaXml } from '../testing/sync-world.fixture.ts';
import { expectNoEcho, insertRegion, regionOf, renameRegion, until, untilTold } from './fault-steps.fixture.ts';

let world: SyncWorld;
let kept: KeptRun;

beforeEach(async () => {
  world = await createSyncWorld();
  kept = world.keep();
  await world.untilEqual();
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
  await until(async () => {
    const found = (await world.journeyRows())[key] ?? {};
    return Object.entries(fields).every(([name, value]) => found[name] === value);
  });
}

test('a field and a column that come are synced once both have them, with what they have by then', async () => {
  const [here, there] = [await insertRegion(world, 'here'), randomUUID()];
  await world.untilEqual();
  await world.deployment.deploy(withRegion(rank));
  await world.edit({ method: 'put', object: { type: 'region', id: there, name: 'there', rank: 3 } });
  await until(async () => `region/${there}` in (await world.heliumRows()));
  await world.sql('alter table $s.region add column rank integer');
  await world.sql('update $s.region set rank = 1 where _id_ = $1', [here]);
  await untilTold(world, /INFO The data model has changed: region\.rank: It is synced from now on/);
  await until(async () => (await world.heliumRows())[`region/${there}`]?.rank === 3);
  const object = async (id: string) =>
    (
      await fetch(`${world.deployment.url}/objects/region/${id}.json`, {
        headers: { authorization: `Basic ${btoa(`${world.deployment.userName}:${world.deployment.password}`)}` },
      })
    ).json();
  await until(async () => ranked.parse(await object(here)).rank === 1);
  await expectNoEcho(world);
  expect(await world.held()).toEqual([]);
});

test('a field that goes in Journey halts its object only, clears nothing, and goes on when it is saved', async () => {
  const id = await insertRegion(world, 'region', 5);
  const gone = await insertRegion(world, 'gone');
  await world.untilEqual();
  await world.deployment.deploy(withoutCode);
  await untilTold(world, /SEVERE region stands still until its integration is saved: region\.code/);
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'renamed there' } });
  await world.sql('delete from $s.region where _id_ = $1', [gone]);
  const visit = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id: visit, note: 'others flow' } });
  await until(async () => `visit/${visit}` in (await world.heliumRows()));
  await world.sql(`update $s.visit set note = 'both ways' where _id_ = $1`, [visit]);
  await journeyHas(`visit/${visit}`, { note: 'both ways' });
  expect((await world.heliumRows())[`region/${id}`]).toEqual(regionOf('region', 5));

  // The field is back, and somebody saves.
  await kept.stop();
  await world.deployment.deploy(worldSchemaXml);
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 5 } });
  Object.assign(world.integration, { configVersion: 2 });
  kept = world.keep();
  await world.untilEqual();
  expect(await world.heliumRows()).toMatchObject({ [`region/${id}`]: regionOf('renamed there', 5) });
  expect(await world.journeyRows()).not.toHaveProperty(`region/${gone}`);
});

test('a column that goes in Helium is found out at once, and halts its object only', async () => {
  const id = await insertRegion(world, 'region', 5);
  await world.untilEqual();
  await world.sql('alter table $s.region drop column code');
  await renameRegion(world, id, 'without');
  const visit = randomUUID();
  await world.sql(`insert into $s.visit (_id_, _tstamp_, note) values ($1, now(), 'others flow')`, [visit]);
  await untilTold(world, /SEVERE region stands still/);
  await journeyHas(`visit/${visit}`, { note: 'others flow' });
  expect((await world.journeyRows())[`region/${id}`]).toMatchObject({ code: 5 });
});

test('a data model that changes while everything is read for the first time', async () => {
  await kept.stop();
  await world.stop();
  world = await createSyncWorld();
  const ids = Array.from({ length: 30 }, () => randomUUID());
  await world.edit(
    ...ids.map((id) => ({ method: 'put' as const, object: { type: 'region', id, name: 'r', code: null } })),
  );
  // The mapping is made from the model with the code; the objects are read without it.
  world.journey.faults.set({ mode: 'delay', delayMs: 1_000, path: 'query', times: 1 });
  kept = world.keep();
  await until(() => world.journey.faults.list().length === 0);
  await world.deployment.deploy(withoutCode);
  await untilTold(world, /SEVERE region stands still/);
  const visit = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id: visit, note: 'others flow' } });
  await until(async () => `visit/${visit}` in (await world.heliumRows()));
});

test('what is parked of an object that stands still keeps nobody else from flowing', async () => {
  const [child, parent] = [randomUUID(), randomUUID()];
  await world.edit({ method: 'put', object: { type: 'farmer', id: child, name: 'Child', region_id: parent } });
  await until(() => world.figures().parked === 1);
  await world.deployment.deploy(worldSchemaXml.replace('<field name="age" label="Age" type="integer"/>', ''));
  await untilTold(world, /SEVERE farmer stands still/);
  await world.edit({ method: 'put', object: { type: 'region', id: parent, name: 'Parent' } });
  await until(async () => `region/${parent}` in (await world.heliumRows()));
  const another = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: another, name: 'Another' } });
  await until(async () => `region/${another}` in (await world.heliumRows()));
});

test('a change of the data model that others keep from being written down is followed all the same', async () => {
  await untilTold(world, /Journey → Helium: everything is read/);
  await world.sql('alter table $s.region add column rank integer');
  const session = await world.helium.connect();
  await session.query('begin');
  await session.query('select from __portal_sync__.run for update');
  await world.deployment.deploy(withRegion(rank));
  // As a time-out ends who waits too long.
  const endWaiting = () =>
    world.sql(
      `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database()
         and application_name = 'portal-sync' and wait_event_type = 'Lock'`,
    );
  await until(async () => {
    await endWaiting();
    return world.log.some((line) => line.includes('region.rank: It is synced from now on'));
  });
  const brokenOff = () => world.log.filter((line) => line.startsWith('WARNING Journey → Helium: canceling statement'));
  const before = brokenOff().length;
  await until(async () => {
    await endWaiting();
    return brokenOff().length > before;
  });
  await session.query('commit');
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'ranked', rank: 8 } });
  await until(async () => (await world.heliumRows())[`region/${id}`]?.rank === 8);
  expect(kept.failures).toEqual([]);
});
