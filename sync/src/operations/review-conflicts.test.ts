/** What operators do with conflicts, from the list to both sides. */
import { afterEach, expect, test } from 'vitest';
import { deleteRegion, insertRegion, renameRegion, waitUntil } from '../engine/testing/fault-steps.fixture.ts';
import { quickRateLimiter } from '../engine/testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../engine/testing/sync-world.fixture.ts';
import type { ConflictReview } from '../integration/operator-actions.ts';
import type { ConflictPolicy } from '../record/merge.ts';
import { readCounts } from '../sync-state/counts.store.ts';
import { createOperations } from './operations.ts';

let world: SyncWorld;

afterEach(() => world.stop());

/** Renames regions on both sides before either knows of it, and returns their ids. */
async function disagree(conflictPolicy: ConflictPolicy, count = 1): Promise<string[]> {
  world = await createSyncWorld();
  const run = world.start((config) => ({ ...config, conflictPolicy }));
  const ids: string[] = [];
  for (let code = 1; code <= count; code += 1) ids.push(await insertRegion(world, 'base', code));
  await world.waitUntilEqual();
  await run.stop();
  for (const id of ids) {
    await renameRegion(world, id, 'in Helium');
    await world.edit({ method: 'patch', object: { type: 'region', id, name: 'in Journey' } });
  }
  world.start((config) => ({ ...config, conflictPolicy }));
  await waitUntil(async () => (await world.conflicts()).length === count);
  await world.waitUntilEqual();
  return ids;
}

const operations = () => createOperations(world.databases, quickRateLimiter());
const list = (request = {}) => operations().readConflicts(world.integration, { limit: 1000, ...request });
const review = (some: Partial<ConflictReview>) =>
  operations().reviewConflicts(world.integration, {
    selection: { field: { table: 'region', column: 'name' }, after: null },
    take: 'winner',
    value: null,
    by: 'ann',
    ...some,
  });

const names = async () => Object.values(await world.heliumRows()).map(({ name }) => name);

async function expectBothSides(name: string | null): Promise<void> {
  await waitUntil(async () =>
    Object.values(await world.journeyRows()).every((object) => (object.name ?? null) === name),
  );
  await world.waitUntilEqual();
  expect(await names()).toEqual([name]);
}

test.each([
  ['helium', 'journey'],
  ['journey', 'helium'],
] as const)('writes what lost to both sides, where %s had won', async (winner, take) => {
  const [id] = await disagree(winner);
  expect(await review({ take })).toEqual({ reviewed: 1, refused: [], next: null });
  await expectBothSides(take === 'helium' ? 'in Helium' : 'in Journey');
  const { conflicts } = await list();
  expect(conflicts).toMatchObject([{ id, winner, review: { by: 'ann', value: take } }]);
});

test('acknowledges without a change, and counts only what is left to review', async () => {
  const ids = await disagree('helium', 3);
  const { conflicts, fields } = await list({ isReviewed: false });
  expect(fields).toEqual([{ table: 'region', column: 'name', count: 3 }]);
  const [one] = conflicts;
  expect(await review({ selection: { numbers: [one?.no ?? ''] } })).toMatchObject({ reviewed: 1 });
  expect((await list({ isReviewed: false })).total).toBe(2);
  expect(await list({ isReviewed: true })).toMatchObject({
    conflicts: [{ no: one?.no, review: { by: 'ann', value: 'helium' } }],
    total: 1,
    fields: [{ count: 2 }],
  });
  const { rows } = await world.sql('select state_id from __portal_sync__.run');
  expect((await readCounts(world.helium.pool, rows[0]?.state_id)).conflicts).toBe(2);
  expect(await review({})).toEqual({ reviewed: 2, refused: [], next: null });
  expect(await review({})).toEqual({ reviewed: 0, refused: [], next: null });
  expect(await names()).toEqual(ids.map(() => 'in Helium'));
});

test('lists the conflicts of one field, and of records that one side deleted', async () => {
  const [id = ''] = await disagree('helium');
  expect((await list({ field: { table: 'region', column: 'name' } })).total).toBe(1);
  expect((await list({ field: { table: 'region', column: 'code' } })).conflicts).toEqual([]);
  expect((await list({ field: { table: 'region', column: null } })).conflicts).toEqual([]);
  await world.stopRuns();
  await deleteRegion(world, id);
  await world.edit({ method: 'patch', object: { type: 'region', id, name: 'still wanted' } });
  world.start((config) => ({ ...config, conflictPolicy: 'helium' }));
  const deleted = { table: 'region', column: null };
  await waitUntil(async () => (await list({ field: deleted })).total === 1);
  expect(await review({ selection: { field: deleted, after: null }, take: 'journey' })).toMatchObject({
    reviewed: 0,
    refused: [{ reason: 'One side deleted the record, so there is no value to take.' }],
  });
  expect(await review({ selection: { field: deleted, after: null } })).toMatchObject({ reviewed: 1 });
});

test('writes another value, and empties a column', async () => {
  await disagree('helium');
  const [conflict] = await world.conflicts();
  const numbers = [conflict?.no ?? ''];
  expect(await review({ selection: { numbers }, take: 'value', value: 'agreed' })).toMatchObject({ reviewed: 1 });
  await expectBothSides('agreed');
  expect((await list()).conflicts).toMatchObject([{ review: { value: 'other' } }]);
  await world.sql(`update __portal_sync__.conflict set reviewed_at = null, helium = '"agreed"'`);
  expect(await review({ selection: { numbers }, take: 'value' })).toMatchObject({ reviewed: 1 });
  await expectBothSides(null);
});

test('changes nothing where the row has changed since, is locked or is gone, or the value does not fit', async () => {
  const [id = ''] = await disagree('helium');
  const expectRefused = async (reason: string, some: Partial<ConflictReview> = { take: 'journey' }) => {
    expect(await review(some)).toEqual({ reviewed: 0, refused: [{ no: expect.any(String), reason }], next: null });
    expect((await list({ isReviewed: false })).total).toBe(1);
  };
  const session = await world.helium.connect();
  await session.query(`begin; select from ${world.integration.config.helium.dbSchema}.region for update`);
  await expectRefused('Another session has locked the record. Try again in a few seconds.');
  await session.query('rollback');
  await world.sql(`update __portal_sync__.conflict set column_name = 'code', helium = '1', journey = '2'`);
  const numbers = (await list()).conflicts.map(({ no }) => no);
  const result = await review({ selection: { numbers }, take: 'value', value: 'seven' });
  expect(result).toMatchObject({
    reviewed: 0,
    refused: [{ reason: expect.stringMatching(/^Helium refused the value: /) }],
  });
  await world.sql(
    `update __portal_sync__.conflict set column_name = 'name', helium = '"in Helium"', journey = '"in Journey"'`,
  );
  await renameRegion(world, id, 'since');
  await expectRefused('Helium has another value by now. Find the record to see it, and edit it there.');
  expect(await names()).toEqual(['since']);
  await deleteRegion(world, id);
  await expectRefused('Helium no longer has the record.');
});

test('reviews a conflict once when two people do it at the same time', async () => {
  await disagree('helium');
  const numbers = (await list()).conflicts.map(({ no }) => no);
  const results = await Promise.all(
    ['ann', 'ben'].map((by) => review({ selection: { numbers }, take: 'journey', by })),
  );
  expect(results.map(({ reviewed }) => reviewed).toSorted()).toEqual([0, 1]);
  expect(await review({ selection: { numbers: ['999999999'] }, take: 'journey' })).toMatchObject({ reviewed: 0 });
});

test('takes one side for all conflicts of a field, 200 in a call', async () => {
  const ids = await disagree('helium', 201);
  const first = await review({ take: 'journey' });
  expect(first).toMatchObject({ reviewed: 200, refused: [] });
  const selection = { field: { table: 'region', column: 'name' }, after: first.next };
  expect(await review({ take: 'journey', selection })).toEqual({ reviewed: 1, refused: [], next: null });
  await world.waitUntilEqual();
  expect(await names()).toEqual(ids.map(() => 'in Journey'));
});
