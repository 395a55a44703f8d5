import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRegion, waitUntil } from '../engine/testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../engine/testing/sync-world.fixture.ts';
import { findRecordsOf } from './find-records.fixture.ts';

let world: SyncWorld;
let northId: string;
/** A farmer of a region that neither side has. */
const parked = randomUUID();
const missingRegion = randomUUID();

beforeAll(async () => {
  world = await createSyncWorld();
  northId = await insertRegion(world, 'north', 7);
  world.start();
  await world.waitUntilEqual();
  const farmer = { name: 'Lerato', age: 41, active: true, seen_at: '2026-11-23T08:00:00Z', region_id: missingRegion };
  await world.edit({ method: 'put', object: { type: 'farmer', id: parked, ...farmer } });
  await waitUntil(async () => (await world.held()).length === 1);
});
afterAll(() => world.stop());

const find = (search: Readonly<Record<string, string>>) => findRecordsOf(world, search);
const findIds = async (search: Readonly<Record<string, string>>) =>
  (await find(search)).records.map(({ table, id }) => `${table}/${id}`);

test('finds an object that only Journey has by its value, with what it waits for', async () => {
  const found = await find({ table: 'farmer', column: 'name', value: 'Lerato' });
  expect(found).toMatchObject({ isCut: false, notSearched: [] });
  expect(found.records).toMatchObject([
    {
      id: parked,
      helium: { values: null, problem: null },
      journey: { values: { name: 'Lerato' }, problem: null },
      held: [{ state: 'parked', missing: [`region/${missingRegion}`] }],
    },
  ]);
});

test('finds a value in every column and table of both sides, in the form in which the page shows it', async () => {
  for (const value of ['Lerato', '41', '2026-11-23 08:00', '2026-11-23T08:00:00Z', missingRegion])
    expect(await findIds({ value })).toEqual([`farmer/${parked}`]);
  for (const value of ['north', '7', ' 7 ']) expect(await findIds({ value })).toEqual([`region/${northId}`]);
  for (const value of ['nowhere', "' or true --", '2026-02-30', '99999999999999999999', 'a\0b', 'ä\u{d800}'])
    expect(await findIds({ value })).toEqual([]);
  await expect(find({ column: 'name', value: 'north' })).rejects.toThrow('Choose the table of the column.');
});

test('finds three or more characters of a text on both sides, after the records with the whole value', async () => {
  const whole = await insertRegion(world, 'ort', 8);
  expect(await findIds({ value: 'era' })).toEqual([`farmer/${parked}`]);
  expect(await findIds({ value: 'ORTH' })).toEqual([`region/${northId}`]);
  expect(await findIds({ table: 'region', column: 'name', value: 'ort' })).toEqual([
    `region/${whole}`,
    `region/${northId}`,
  ]);
  for (const value of ['or', '4', 'n%h', 'n_rth', 'no\\rth']) expect(await findIds({ value })).toEqual([]);
});

test('shows a parent that neither side has, and the records that wait for it', async () => {
  const [parent] = (await find({ table: 'region', id: missingRegion })).records;
  expect(parent).toMatchObject({
    helium: { values: null },
    journey: { values: null },
    waitedForBy: [{ table: 'farmer', id: parked }],
  });
});

test('finds an object that only Journey has by its id, without a table', async () => {
  await world.stopRuns();
  const late = randomUUID();
  await world.edit({ method: 'put', object: { type: 'visit', id: late, note: 'not read yet' } });
  expect(await findIds({ id: late })).toEqual([`visit/${late}`]);
  expect(await findIds({ id: randomUUID() })).toEqual([]);
});

test('finds held records and Helium’s rows while Journey does not answer, and states what was not searched', async () => {
  world.journey.faults.set({ mode: 'error500', path: 'query' });
  const found = await find({ value: 'Lerato' });
  world.journey.faults.clear();
  expect(found.records).toMatchObject([{ id: parked, journey: { values: null } }]);
  expect(found.notSearched).toEqual([expect.stringMatching(/^Journey’s objects were not searched: .*500/)]);
});
