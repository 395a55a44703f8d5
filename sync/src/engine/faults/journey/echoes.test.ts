/**
 * Echoes of our writes arrive late and in groups. None is taken for an edit, and no edit for an
 * echo.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Value } from '../../../record/fields.ts';
import {
  expectAtRest,
  insertRegion,
  regionFields,
  renameRegion,
  waitUntil,
} from '../../testing/fault-steps.fixture.ts';
import { startFileProxy } from '../../testing/file-proxy.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  world = await createSyncWorld();
  world.start();
  await world.waitUntilEqual();
});
afterEach(async () => {
  await world.stop();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

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

/** Creates a region in Helium with two puts: the first gets no answer, and may land at any time. */
async function insertWithRepeatedPut(name: string): Promise<string> {
  await world.stopRuns();
  const proxy = await startFileProxy(world);
  cleanUps.push(() => proxy.stop());
  let isCut = false;
  proxy.interrupt((_bytes, path) => {
    if (isCut || !path.includes('batch')) return null;
    isCut = true;
    return 'cut';
  });
  world.start(proxy.through);
  const id = await insertRegion(world, name);
  await world.waitUntilEqual();
  expect(isCut).toBe(true);
  return id;
}

/** A device sets a field of a new region, and then restores it. Returns the expected conflicts. */
async function restoreByDevice(
  { column, first, second }: { readonly column: 'name' | 'code'; readonly first: Value; readonly second: Value },
  restore: (edit: () => Promise<void>) => Promise<void> = (edit) => edit(),
) {
  const id = await insertWithRepeatedPut('first');
  const patch = (value: Value) => world.edit({ method: 'patch', object: { type: 'region', id, [column]: value } });
  await patch(second);
  await waitUntil(async () => (await world.heliumRows())[`region/${id}`]?.[column] === second);
  await restore(() => patch(first));
  await waitUntil(async () => (await world.conflicts()).length > 0);
  await expectAtRest(world, { [`region/${id}`]: { ...regionFields('first'), [column]: second } });
  return [expect.objectContaining({ id, column, helium: second, journey: first, winner: 'helium' })];
}

test.each([
  { column: 'name', first: 'first', second: 'second' },
  { column: 'code', first: null, second: 2 },
] as const)(
  'lists both values of $column when a device restores what a write without an answer may also restore',
  async (field) => {
    const expected = await restoreByDevice(field);
    expect(await world.conflicts()).toEqual(expected);
  },
);

test('lists both values of such a field when its row is locked at that moment', async () => {
  const app = await world.helium.connect();
  const expected = await restoreByDevice({ column: 'name', first: 'first', second: 'second' }, async (edit) => {
    await app.query('begin');
    await app.query('select from region for update');
    await edit();
    await waitUntil(() => world.figures().waiting === 1);
    await app.query('commit');
  });
  expect(await world.conflicts()).toEqual(expected);
});
