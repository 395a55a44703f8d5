/** What PostgreSQL 18 added to tables: temporal keys, and constraints that it does not enforce. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRegion, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

beforeAll(async () => {
  world = await createSyncWorld({
    sql: `create extension btree_gist;
      alter table visit add column valid daterange not null default '[2026-01-01,)';
      alter table visit drop constraint visit_pkey;
      alter table visit add primary key (_id_, valid without overlaps);
      alter table farmer add foreign key (region_fk) references region (_id_) not enforced;
      insert into region (_id_, _tstamp_, name) values ('${randomUUID()}', now(), null);
      alter table region add constraint has_name not null name not valid`,
  });
  world.startWithRestarts();
  await world.waitUntilEqual();
});
afterAll(() => world.stop());

test('writes a record whose parent is missing when Helium does not enforce the foreign key', async () => {
  const [farmer, region] = [randomUUID(), randomUUID()];
  await world.edit({ method: 'put', object: { type: 'farmer', id: farmer, name: 'orphan', region_id: region } });
  const parentOf = async () => (await world.heliumRows())[`farmer/${farmer}`]?.region_fk;
  await waitUntil(async () => (await parentOf()) === region);
  await world.waitUntilEqual();
  expect(await world.held()).toEqual([]);
});

test('holds a record without a value that a NOT NULL constraint requires, though it was never validated', async () => {
  const [empty] = Object.entries(await world.heliumRows()).find(([key]) => key.startsWith('region/')) ?? [];
  expect((await world.journeyRows())[empty ?? '']).toMatchObject({ name: null });
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, code: 1 } });
  await waitUntil(async () => (await world.held()).length > 0);
  expect(await world.held()).toMatchObject([
    { table: 'region', id, kind: '23502', reason: expect.stringContaining('name') },
  ]);
  const other = await insertRegion(world, 'flows');
  await waitUntil(async () => `region/${other}` in (await world.journeyRows()));
});

test('syncs no table whose primary key is temporal, and all others', async () => {
  await world.edit({ method: 'put', object: { type: 'visit', id: randomUUID(), note: 'stays' } });
  const region = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: region, name: 'after it' } });
  await waitUntil(async () => `region/${region}` in (await world.heliumRows()));
  expect((await world.sql('select from $s.visit')).rowCount).toBe(0);
  expect((await world.held()).filter(({ table }) => table === 'visit')).toEqual([]);
});
