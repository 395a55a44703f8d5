/**
 * Both sides edit, delete and re-create the same records, with each policy and with clock
 * differences.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { ConflictPolicy } from '../../../record/merge.ts';
import {
  deleteRegion,
  expectAtRest,
  insertRegion,
  regionFields,
  renameRegion,
} from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

afterEach(() => world.stop());

/** Creates an object on both sides, and stops the engine. */
async function setUp(policy: ConflictPolicy): Promise<{ id: string; resume: () => void }> {
  world = await createSyncWorld();
  const change = (config: SyncWorld['integration']['config']) => ({ ...config, conflictPolicy: policy });
  const run = world.start(change);
  const id = await insertRegion(world, 'base', 1);
  await world.waitUntilEqual();
  await run.stop();
  return { id, resume: () => world.start(change) };
}

const device = (id: string, fields: object) =>
  world.edit({ method: 'patch', object: { type: 'region', id, ...fields } });

/** Updates Helium's row with a timestamp this many seconds from now. */
const renameAt = (id: string, name: string, secs: number) =>
  world.sql(
    `update $s.region set name = $2, _tstamp_ = timezone('UTC', now()) + make_interval(secs => $3) where _id_ = $1`,
    [id, name, secs],
  );

/** Deletes the row in a transaction of Helium that was made this many seconds from now. */
const deleteRegionAt = (id: string, secs: number) =>
  world.sql(
    `with deleted as (delete from $s.region where _id_ = $1 returning 1)
     insert into $s.__he_sync_transaction_log__ (tx_id, tx_tstamp, seq_before, seq_after)
     select txid_current(), now() + make_interval(secs => $2), 0, 0 from deleted`,
    [id, secs],
  );

describe.each(['later', 'helium', 'journey'] as const)('policy %s', (policy) => {
  test('merges different fields; resolves the same field by policy, and records both values', async () => {
    const { id, resume } = await setUp(policy);
    await renameAt(id, 'from Helium', -3_600);
    await device(id, { code: 2 });
    resume();
    await expectAtRest(world, { [`region/${id}`]: regionFields('from Helium', 2) });
    expect(await world.conflicts()).toEqual([]);

    await world.stop();
    const second = await setUp(policy);
    await renameAt(second.id, 'from Helium', -3_600);
    await device(second.id, { name: 'from Journey' });
    second.resume();
    const winner = policy === 'helium' ? 'helium' : 'journey';
    const name = winner === 'helium' ? 'from Helium' : 'from Journey';
    await expectAtRest(world, { [`region/${second.id}`]: regionFields(name, 1) });
    expect(await world.conflicts()).toMatchObject([
      { id: second.id, column: 'name', helium: 'from Helium', journey: 'from Journey', winner },
    ]);
  });

  test('resolves a record deleted in Helium and edited in Journey an hour later by policy', async () => {
    const { id, resume } = await setUp(policy);
    await deleteRegionAt(id, -3_600);
    await device(id, { name: 'still wanted' });
    resume();
    const isRetained = policy !== 'helium';
    await expectAtRest(world, isRetained ? { [`region/${id}`]: regionFields('still wanted', 1) } : {});
    expect(Object.keys(await world.heliumRows())).toHaveLength(isRetained ? 1 : 0);
    expect(await world.conflicts()).toMatchObject([{ id, column: null, helium: null }]);
  });

  test('resolves a record deleted in Journey and edited in Helium an hour earlier by policy', async () => {
    const { id, resume } = await setUp(policy);
    await renameAt(id, 'still wanted', -3_600);
    await world.edit({ method: 'delete', object: { type: 'region', id } });
    resume();
    const isRetained = policy === 'helium';
    await expectAtRest(world, isRetained ? { [`region/${id}`]: regionFields('still wanted', 1) } : {});
    expect(Object.keys(await world.journeyRows())).toHaveLength(isRetained ? 1 : 0);
    expect(await world.conflicts()).toMatchObject([{ id, column: null, journey: null }]);
  });
});

test('keeps the final state of a record deleted and re-created on either side', async () => {
  const { id, resume } = await setUp('later');
  const other = await insertRegion(world, 'other');
  await deleteRegion(world, id);
  await insertRegion(world, 're-created in Helium', 7, id);
  resume();
  await world.waitUntilEqual();
  await world.edit(
    { method: 'delete', object: { type: 'region', id: other } },
    { method: 'put', object: { type: 'region', id: other, name: 're-created in Journey' } },
  );
  await expectAtRest(world, {
    [`region/${id}`]: regionFields('re-created in Helium', 7),
    [`region/${other}`]: regionFields('re-created in Journey'),
  });
  await deleteRegion(world, other);
  await world.waitUntilEqual();
  await world.edit({ method: 'put', object: { type: 'region', id: other, name: 'created again' } });
  await expectAtRest(world, { [`region/${other}`]: regionFields('created again') });
});

test('syncs records created on both sides at the same time', async () => {
  const { resume } = await setUp('later');
  resume();
  const ids = Array.from({ length: 20 }, () => randomUUID());
  await Promise.all(
    ids.flatMap((id) => [
      insertRegion(world, 'ours', null, id),
      world.edit({ method: 'put', object: { type: 'region', id, name: 'theirs' } }),
    ]),
  );
  await expectAtRest(world, {});
  expect(Object.keys(await world.heliumRows())).toHaveLength(21);
});

describe.each([3_600_000, -3_600_000])('Journey’s clock is off by %i ms', (skewMs) => {
  test('reaches equal sides, and merges edits of different fields', async () => {
    const { id, resume } = await setUp('later');
    world.deployment.setClockSkew(skewMs);
    const createdId = randomUUID();
    await world.edit({ method: 'put', object: { type: 'region', id: createdId, name: 'created in Journey' } });
    resume();
    await world.waitUntilEqual();
    await renameRegion(world, id, 'renamed in Helium');
    await device(id, { code: 9 });
    await world.waitUntilEqual();
    await device(createdId, { name: 'first' });
    await device(createdId, { name: 'second' });
    await world.waitUntilEqual();
    await world.edit({ method: 'delete', object: { type: 'region', id: createdId } });
    await world.waitUntilEqual();
    await insertRegion(world, 'created in Helium again', null, createdId);
    await expectAtRest(world, {
      [`region/${id}`]: regionFields('renamed in Helium', 9),
      [`region/${createdId}`]: regionFields('created in Helium again'),
    });
    expect(await world.conflicts()).toEqual([]);
  });
});

test('counts edits made after Journey’s clock was corrected following a full read', async () => {
  world = await createSyncWorld();
  world.deployment.setClockSkew(3_600_000);
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'read in full' } });
  world.start();
  await expectAtRest(world, { [`region/${id}`]: regionFields('read in full') });
  world.deployment.setClockSkew(0);
  await device(id, { name: 'edited an hour before, by its clock' });
  await expectAtRest(world, { [`region/${id}`]: regionFields('edited an hour before, by its clock') });
});
