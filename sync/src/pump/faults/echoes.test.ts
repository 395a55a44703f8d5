/**
 * Echoes of our writes arrive late and in groups. None is taken for an edit, and no edit for an
 * echo.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { expectAtRest, insertRegion, regionFields, renameRegion, waitUntil } from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
  world.start();
  await world.waitUntilEqual();
});
afterEach(() => world.stop());

const nameInJourney = async (id: string) => (await world.journeyRows())[`region/${id}`]?.name;

test('records no conflict for quick edits of one field whose echoes arrive together', async () => {
  const id = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  world.journey.faults.set({ mode: 'error500', path: 'oplog' });
  for (const name of ['second', 'third', 'second', 'fourth']) {
    await renameRegion(world, id, name);
    await waitUntil(async () => (await nameInJourney(id)) === name);
  }
  await renameRegion(world, id, 'fifth');
  world.journey.faults.clear();
  await expectAtRest(world, { [`region/${id}`]: regionFields('fifth') });
  expect(await world.conflicts()).toEqual([]);
});

test('merges an edit between two of our writes when all three arrive together', async () => {
  const id = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  world.journey.faults.set({ mode: 'error500', path: 'oplog' });
  await renameRegion(world, id, 'second');
  await waitUntil(async () => (await nameInJourney(id)) === 'second');
  await world.edit({ method: 'patch', object: { type: 'region', id, code: 9 } });
  await renameRegion(world, id, 'third');
  await waitUntil(async () => (await nameInJourney(id)) === 'third');
  world.journey.faults.clear();
  await expectAtRest(world, { [`region/${id}`]: regionFields('third', 9) });
  expect(await world.conflicts()).toEqual([]);
});
