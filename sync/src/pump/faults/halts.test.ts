/**
 * The engine halts with a reason when only an operator can help, and resumes from there once the
 * cause is fixed.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { saveCursor } from '../../sync-state/operations.store.ts';
import { readQuestion, saveAnswer } from '../../sync-state/questions.store.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import {
  deleteRegion,
  editBothSides,
  expectAtRest,
  insertRegion,
  regionFields,
  renameRegion,
  waitForLog,
} from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

const readFence = async () => (await world.sql('select state_id, fence::text from __portal_sync__.run')).rows[0];

async function moveToZero(direction: 'helium-to-journey' | 'journey-to-helium'): Promise<void> {
  const { state_id, fence } = await readFence();
  await saveCursor(world.helium.pool, state_id, { fence, direction, version: '0' });
}

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

test('halts on an op-log shorter than the downtime; from version 0 everything is read again, and nothing is deleted', async () => {
  const first = world.start();
  const [keptId, deletedId, editedId] = [
    await insertRegion(world, 'kept'),
    await insertRegion(world, 'gone'),
    await insertRegion(world, 'edited'),
  ];
  await world.waitUntilEqual();
  await first.stop();

  await world.edit(
    { method: 'delete', object: { type: 'region', id: deletedId } },
    { method: 'patch', object: { type: 'region', id: keptId, code: 1 } },
    { method: 'patch', object: { type: 'region', id: keptId, code: 2 } },
  );
  await renameRegion(world, editedId, 'edited in the meantime');
  await world.deployment.dropOpLog({ keep: 1 });
  const halted = await world.start().ended;
  expect(halted).toMatchObject({ outcome: 'halted', reason: expect.stringContaining('no longer holds entry') });

  await moveToZero('journey-to-helium');
  world.start();
  await expectAtRest(world, {
    [`region/${keptId}`]: regionFields('kept', 2),
    [`region/${editedId}`]: regionFields('edited in the meantime'),
    // Its deletion is in no log any more.
    [`region/${deletedId}`]: regionFields('gone'),
  });
});

test('halts after a restore that moves the change log back, and keeps what either side has', async () => {
  const run = world.start();
  const [keptId, deletedId] = [await insertRegion(world, 'kept'), await insertRegion(world, 'gone')];
  await renameRegion(world, keptId, 'last');
  await world.waitUntilEqual();
  // The rows and the log as after the first change; the engine's schema stays as it is.
  await world.sql('alter table $s.region disable trigger user');
  await deleteRegion(world, deletedId);
  await renameRegion(world, keptId, 'as it was');
  await world.sql('alter table $s.region enable trigger user');
  await world.sql('delete from $s.__he_sync_obj_change__ where seq > 1');
  await world.sql(`select setval('$s.__he_sync_change_seq__', 1)`);
  run.wake();
  expect(await run.ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringContaining('was restored'),
    position: expect.stringContaining('change log'),
  });

  const { rows } = await world.sql('select state_id from __portal_sync__.run');
  const asked = await readQuestion(world.helium.pool, rows[0].state_id);
  await saveAnswer(world.helium.pool, rows[0].state_id, {
    questionId: asked?.question.id ?? '',
    answer: 'keep-both',
    fence: world.nextFence(),
  });
  world.start();
  await waitForLog(world, /an operator chose to keep both sides/);
  await expectAtRest(world, { [`region/${deletedId}`]: regionFields('gone') });
  expect(await world.conflicts()).toMatchObject([{ id: keptId, column: 'name', helium: 'as it was', journey: 'last' }]);
});
