import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { schema } from '../../../helium/helium-gateway.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});

afterEach(() => world.stop());

const sql = (text: string, values: unknown[] = []) => world.helium.pool.query(text.replaceAll('$s', schema), values);

test('syncs the initial records of both sides', async () => {
  const [heliumId, journeyId] = [randomUUID(), randomUUID()];
  await sql(`insert into $s.region (_id_, _tstamp_, name, code) values ($1, now(), 'North', 1)`, [heliumId]);
  await world.deployment.device.edit({
    method: 'put',
    object: { type: 'region', id: journeyId, name: 'South', code: 2 },
  });
  world.start();
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toEqual({
    [`region/${heliumId}`]: { name: 'North', code: 1 },
    [`region/${journeyId}`]: { name: 'South', code: 2 },
  });
});

test('syncs creates, updates and deletes both ways', async () => {
  world.start();
  await world.waitUntilEqual();
  const [region, farmer, visit] = [randomUUID(), randomUUID(), randomUUID()];
  await sql(`insert into $s.region (_id_, _tstamp_, name) values ($1, now(), 'North')`, [region]);
  await sql(
    `insert into $s.farmer (_id_, _tstamp_, name, age, active, seen_at, region_fk) values ($1, now(), 'Thandi', 41, true, '2026-01-02 03:04:05.678', $2)`,
    [farmer, region],
  );
  await world.waitUntilEqual();
  await expect.poll(world.figures).toMatchObject({ syncedToJourney: 2, syncedToHelium: 0 });
  await world.deployment.device.edit(
    {
      method: 'put',
      object: { type: 'visit', id: visit, note: 'Maize', hectares: 1.5, done_on: '2026-03-04', farmer_id: farmer },
    },
    { method: 'patch', object: { type: 'farmer', id: farmer, age: 42, active: null } },
  );
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject({
    [`visit/${visit}`]: { note: 'Maize', hectares: 1.5, done_on: '2026-03-04', farmer_fk: farmer },
    [`farmer/${farmer}`]: { name: 'Thandi', age: 42, active: null },
  });
  await expect.poll(world.figures).toMatchObject({ syncedToJourney: 2, syncedToHelium: 2 });
  await sql('update $s.visit set note = null where _id_ = $1', [visit]);
  await world.waitUntilEqual();
  await world.deployment.device.edit({ method: 'delete', object: { type: 'region', id: region } });
  await world.waitUntilEqual();
  expect(await world.heliumRows()).toMatchObject({ [`farmer/${farmer}`]: { region_fk: null } });
  await sql('delete from $s.farmer where _id_ = $1', [farmer]);
  await world.waitUntilEqual();
  expect(Object.keys(await world.heliumRows())).toEqual([`visit/${visit}`]);
});
