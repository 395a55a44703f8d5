/**
 * Where nothing but a person can help, it halts with a reason, and goes on from there when that is
 * mended.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveCursor } from '../../sync-state/operations.store.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { deleteRegion, editBoth, expectAtRest, insertRegion, regionOf, renameRegion } from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

const fenceOf = async () => (await world.sql('select state_id, fence::text from __portal_sync__.run')).rows[0];

async function moveToZero(direction: 'helium-to-journey' | 'journey-to-helium'): Promise<void> {
  const { state_id, fence } = await fenceOf();
  await moveCursor(world.helium.pool, state_id, { fence, direction, version: '0' });
}

test('a changed password halts and discards nothing; with the right one it goes on', async () => {
  const run = world.start();
  await world.untilEqual();
  const { password } = world.deployment;
  world.deployment.setPassword('changed');
  const expected = await editBoth(world, 'refused');
  expect(await run.ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringContaining('Journey refuses the user name and password'),
  });
  world.deployment.setPassword(password);
  world.start();
  await expectAtRest(world, expected);
  expect(await world.held()).toEqual([]);
});

test('a sequence that gives out numbers in advance halts before anything is read; set back, it goes on', async () => {
  const before = await insertRegion(world, 'before');
  await world.sql('alter sequence $s.__he_sync_change_seq__ cache 20');
  expect(await world.start().ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/__he_sync_change_seq__"? has a cache of 20.*cache 1/i),
  });
  expect(await world.journeyRows()).toEqual({});
  await world.sql('alter sequence $s.__he_sync_change_seq__ cache 1');
  world.start();
  await expectAtRest(world, { [`region/${before}`]: regionOf('before'), ...(await editBoth(world, 'set back')) });
});

test('a sequence that counts down, or begins anew at its end, halts as well', async () => {
  for (const how of ['increment -1 maxvalue 9000', 'increment 1 cycle']) {
    await world.sql(`alter sequence $s.__he_sync_change_seq__ ${how}`);
    expect(await world.start().ended).toMatchObject({
      outcome: 'halted',
      reason: expect.stringContaining('do not always increase'),
    });
  }
});

test('a 401 while it begins halts as well', async () => {
  world.journey.faults.set({ mode: 'unauthorized' });
  expect(await world.start().ended).toMatchObject({ outcome: 'halted', reason: expect.stringContaining('password') });
});

test('an op-log shorter than the downtime halts; from 0 everything is read anew, also what is gone', async () => {
  const first = world.start();
  const [kept, gone, edited] = [
    await insertRegion(world, 'kept'),
    await insertRegion(world, 'gone'),
    await insertRegion(world, 'edited'),
  ];
  await world.untilEqual();
  await first.stop();

  await world.edit(
    { method: 'delete', object: { type: 'region', id: gone } },
    { method: 'patch', object: { type: 'region', id: kept, code: 1 } },
    { method: 'patch', object: { type: 'region', id: kept, code: 2 } },
  );
  await renameRegion(world, edited, 'edited meanwhile');
  await world.deployment.dropOpLog({ keep: 1 });
  const halted = await world.start().ended;
  expect(halted).toMatchObject({ outcome: 'halted', reason: expect.stringContaining('no longer holds entry') });

  await moveToZero('journey-to-helium');
  world.start();
  await expectAtRest(world, {
    [`region/${kept}`]: regionOf('kept', 2),
    [`region/${edited}`]: regionOf('edited meanwhile'),
  });
  expect(Object.keys(await world.heliumRows())).toHaveLength(2);
});

test('a restore that moves the numbers of the change log back halts; from 0 everything is read anew', async () => {
  const run = world.start();
  const [kept, gone] = [await insertRegion(world, 'kept'), await insertRegion(world, 'gone')];
  await renameRegion(world, kept, 'last');
  await world.untilEqual();
  // As it was after the first change, rows and log; the engine's own schema is as it is.
  await world.sql('alter table $s.region disable trigger user');
  await deleteRegion(world, gone);
  await renameRegion(world, kept, 'as it was');
  await world.sql('alter table $s.region enable trigger user');
  await world.sql('delete from $s.__he_sync_obj_change__ where seq > 1');
  await world.sql(`select setval('$s.__he_sync_change_seq__', 1)`);
  run.wake();
  expect(await run.ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringContaining('was restored'),
    position: expect.stringContaining('change log'),
  });

  await moveToZero('helium-to-journey');
  world.start();
  await expectAtRest(world, { [`region/${kept}`]: regionOf('as it was') });
  expect(Object.keys(await world.journeyRows())).toEqual([`region/${kept}`]);
});
