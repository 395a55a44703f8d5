/**
 * Our own writes come back late and in a row: none is taken for somebody's edit, and no edit for
 * one of ours.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { expectAtRest, insertRegion, regionOf, renameRegion, until } from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
  world.start();
  await world.untilEqual();
});
afterEach(() => world.stop());

const nameInJourney = async (id: string) => (await world.journeyRows())[`region/${id}`]?.name;

test('quick edits of one field, whose echoes come all at once, are no conflicts', async () => {
  const id = await insertRegion(world, 'first');
  await world.untilEqual();
  world.journey.faults.set({ mode: 'error500', path: 'oplog' });
  for (const name of ['second', 'third', 'second', 'fourth']) {
    await renameRegion(world, id, name);
    await until(async () => (await nameInJourney(id)) === name);
  }
  await renameRegion(world, id, 'fifth');
  world.journey.faults.clear();
  await expectAtRest(world, { [`region/${id}`]: regionOf('fifth') });
  expect(await world.conflicts()).toEqual([]);
});

test('an edit of somebody between two of ours is merged, though all three come at once', async () => {
  const id = await insertRegion(world, 'first');
  await world.untilEqual();
  world.journey.faults.set({ mode: 'error500', path: 'oplog' });
  await renameRegion(world, id, 'second');
  await until(async () => (await nameInJourney(id)) === 'second');
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 9 } });
  await renameRegion(world, id, 'third');
  await until(async () => (await nameInJourney(id)) === 'third');
  world.journey.faults.clear();
  await expectAtRest(world, { [`region/${id}`]: regionOf('third', 9) });
  expect(await world.conflicts()).toEqual([]);
});
