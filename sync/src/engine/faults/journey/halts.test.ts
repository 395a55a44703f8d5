/**
 * The engine halts with a reason when only an operator can help, and resumes from there once the
 * cause is fixed.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { editBothSides, expectAtRest, insertRegion, regionFields } from '../../testing/fault-steps.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

test('halts on a changed password without losing anything, and resumes with the right one', async () => {
  const run = world.start();
  await world.waitUntilEqual();
  const { password } = world.deployment;
  world.deployment.setPassword('changed');
  const expected = await editBothSides(world, 'refused');
  expect(await run.ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringContaining('Journey refuses the user name and password'),
  });
  world.deployment.setPassword(password);
  world.start();
  await expectAtRest(world, expected);
  expect(await world.held()).toEqual([]);
});

test('halts before reading anything when a sequence caches numbers, and resumes once it is fixed', async () => {
  const before = await insertRegion(world, 'before');
  await world.sql('alter sequence $s.__he_sync_change_seq__ cache 20');
  expect(await world.start().ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/__he_sync_change_seq__"? has a cache of 20.*cache 1/i),
  });
  expect(await world.journeyRows()).toEqual({});
  await world.sql('alter sequence $s.__he_sync_change_seq__ cache 1');
  world.start();
  await expectAtRest(world, {
    [`region/${before}`]: regionFields('before'),
    ...(await editBothSides(world, 'set back')),
  });
});

test('halts on a sequence that counts down or cycles', async () => {
  for (const options of ['increment -1 maxvalue 9000', 'increment 1 cycle']) {
    await world.sql(`alter sequence $s.__he_sync_change_seq__ ${options}`);
    expect(await world.start().ended).toMatchObject({
      outcome: 'halted',
      reason: expect.stringContaining('do not always increase'),
    });
  }
});

test('halts on a 401 during startup', async () => {
  world.journey.faults.set({ mode: 'unauthorized' });
  expect(await world.start().ended).toMatchObject({ outcome: 'halted', reason: expect.stringContaining('password') });
});
