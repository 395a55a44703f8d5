import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRegion, renameRegion, waitUntil } from '../engine/testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../engine/testing/sync-world.fixture.ts';
import { findRecordsOf } from './find-records.fixture.ts';

let world: SyncWorld;

beforeAll(async () => {
  world = await createSyncWorld();
});
afterAll(() => world.stop());

async function readTrail(table: string, id: string) {
  const { records } = await findRecordsOf(world, { table, id });
  return records[0]?.trail?.toReversed() ?? [];
}
const readEvents = async (table: string, id: string) => (await readTrail(table, id)).map(({ event }) => event);

test('shows each crossing of a record in both directions with its time and version, and no echo', async () => {
  const id = await insertRegion(world, 'north');
  world.start();
  await world.waitUntilEqual();
  await renameRegion(world, id, 'far north');
  await world.waitUntilEqual();
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'south' } });
  await waitUntil(async () => (await world.heliumRows())[`region/${id}`]?.name === 'south');
  await world.waitUntilEqual();
  await world.edit({ method: 'delete', object: { type: 'region', id } });
  await waitUntil(async () => (await world.heliumRows())[`region/${id}`] === undefined);
  const trail = await readTrail('region', id);
  expect(trail.map(({ event }) => event)).toEqual(['sent', 'sent', 'written', 'deleted in Helium']);
  expect(trail.slice(1).every(({ version }) => BigInt(version ?? 0) > 0n)).toBe(true);
  expect(trail.every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true);
});

test('shows when a record was parked, once, and when it was written', async () => {
  const [farmer, region] = [randomUUID(), randomUUID()];
  await world.edit({ method: 'put', object: { type: 'farmer', id: farmer, name: 'Lerato', region_id: region } });
  await waitUntil(async () => (await world.held()).length === 1);
  await world.edit({ method: 'put', object: { type: 'region', id: region, name: 'east' } });
  await waitUntil(async () => (await world.held()).length === 0);
  expect(await readEvents('farmer', farmer)).toEqual(['parked', 'written']);
});

test('shows that Journey rejected a change', async () => {
  const id = randomUUID();
  await world.sql(`insert into $s.visit (_id_, _tstamp_, note, hectares) values ($1, now(), 'too large', 'infinity')`, [
    id,
  ]);
  await waitUntil(async () => (await world.held()).length === 1);
  expect(await readEvents('visit', id)).toEqual(['rejected by Journey']);
});
