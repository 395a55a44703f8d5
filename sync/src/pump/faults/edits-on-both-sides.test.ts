/** Both sides edit, delete and make anew what is the same, by each policy; clocks may differ. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { ConflictPolicy } from '../../record/merge.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { deleteRegion, expectAtRest, insertRegion, regionOf, renameRegion } from './fault-steps.fixture.ts';

let world: SyncWorld;

afterEach(() => world.stop());

/** An object both have, while nothing runs. */
async function begin(policy: ConflictPolicy): Promise<{ id: string; goOn: () => void }> {
  world = await createSyncWorld();
  const change = (config: SyncWorld['integration']['config']) => ({ ...config, conflictPolicy: policy });
  const run = world.start(change);
  const id = await insertRegion(world, 'base', 1);
  await world.untilEqual();
  await run.stop();
  return { id, goOn: () => world.start(change) };
}

const device = (id: string, fields: object) =>
  world.edit({ method: 'patch', object: { type: 'region', id, ...fields } });

/** Helium's row as if it had been written so many seconds from now. */
const renameAt = (id: string, name: string, secs: number) =>
  world.sql(
    `update $s.region set name = $2, _tstamp_ = timezone('UTC', now()) + make_interval(secs => $3) where _id_ = $1`,
    [id, name, secs],
  );

describe.each(['later', 'helium', 'journey'] as const)('policy %s', (policy) => {
  test('different fields merge, the same field goes by the policy and is written down with both values', async () => {
    const { id, goOn } = await begin(policy);
    await renameAt(id, 'from Helium', -3_600);
    await device(id, { code: 2 });
    goOn();
    await expectAtRest(world, { [`region/${id}`]: regionOf('from Helium', 2) });
    expect(await world.conflicts()).toEqual([]);

    await world.stop();
    const second = await begin(policy);
    await renameAt(second.id, 'from Helium', -3_600);
    await device(second.id, { name: 'from Journey' });
    second.goOn();
    const winner = policy === 'helium' ? 'helium' : 'journey';
    const name = winner === 'helium' ? 'from Helium' : 'from Journey';
    await expectAtRest(world, { [`region/${second.id}`]: regionOf(name, 1) });
    expect(await world.conflicts()).toMatchObject([
      { id: second.id, column: 'name', helium: 'from Helium', journey: 'from Journey', winner },
    ]);
  });

  test('deleted in Helium, edited in Journey', async () => {
    const { id, goOn } = await begin(policy);
    await deleteRegion(world, id);
    await device(id, { name: 'still wanted' });
    goOn();
    const isKept = policy === 'journey';
    await expectAtRest(world, isKept ? { [`region/${id}`]: regionOf('still wanted', 1) } : {});
    expect(Object.keys(await world.heliumRows())).toHaveLength(isKept ? 1 : 0);
    expect(await world.conflicts()).toMatchObject([{ id, column: null, helium: null }]);
  });

  test('deleted in Journey, edited in Helium an hour before', async () => {
    const { id, goOn } = await begin(policy);
    await renameAt(id, 'still wanted', -3_600);
    await world.edit({ method: 'delete', object: { type: 'region', id } });
    goOn();
    const isKept = policy === 'helium';
    await expectAtRest(world, isKept ? { [`region/${id}`]: regionOf('still wanted', 1) } : {});
    expect(Object.keys(await world.journeyRows())).toHaveLength(isKept ? 1 : 0);
    expect(await world.conflicts()).toMatchObject([{ id, column: null, journey: null }]);
  });
});

test('deleted and made anew on either side is what it is at last', async () => {
  const { id, goOn } = await begin('later');
  const other = await insertRegion(world, 'other');
  await deleteRegion(world, id);
  await insertRegion(world, 'anew in Helium', 7, id);
  goOn();
  await world.untilEqual();
  await world.edit(
    { method: 'delete', object: { type: 'region', id: other } },
    { method: 'put', object: { type: 'region', id: other, name: 'anew in Journey' } },
  );
  await expectAtRest(world, {
    [`region/${id}`]: regionOf('anew in Helium', 7),
    [`region/${other}`]: regionOf('anew in Journey'),
  });
  await deleteRegion(world, other);
  await world.untilEqual();
  await world.edit({ method: 'put', object: { type: 'region', id: other, name: 'once more' } });
  await expectAtRest(world, { [`region/${other}`]: regionOf('once more') });
});

test('both make the same object at once, while it runs', async () => {
  const { goOn } = await begin('later');
  goOn();
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
  test('both sides still come to say the same, and edits of different fields merge', async () => {
    const { id, goOn } = await begin('later');
    world.deployment.setClockSkew(skewMs);
    const made = randomUUID();
    await world.edit({ method: 'put', object: { type: 'region', id: made, name: 'made there' } });
    goOn();
    await world.untilEqual();
    await renameRegion(world, id, 'named here');
    await device(id, { code: 9 });
    await world.untilEqual();
    await device(made, { name: 'first' });
    await device(made, { name: 'second' });
    await world.untilEqual();
    await world.edit({ method: 'delete', object: { type: 'region', id: made } });
    await world.untilEqual();
    await insertRegion(world, 'here again', null, made);
    await expectAtRest(world, {
      [`region/${id}`]: regionOf('named here', 9),
      [`region/${made}`]: regionOf('here again'),
    });
    expect(await world.conflicts()).toEqual([]);
  });
});

test('Journey’s clock is put right after everything was read: its next edits count', async () => {
  world = await createSyncWorld();
  world.deployment.setClockSkew(3_600_000);
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name: 'read whole' } });
  world.start();
  await expectAtRest(world, { [`region/${id}`]: regionOf('read whole') });
  world.deployment.setClockSkew(0);
  await device(id, { name: 'edited an hour before, by its clock' });
  await expectAtRest(world, { [`region/${id}`]: regionOf('edited an hour before, by its clock') });
});
