/** Old entries of either log are deleted. That is no restore, and nothing halts. */
import { randomUUID } from 'node:crypto';
import type { SyncConfig } from '@portal/contract/sync-config';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { expectAtRest, insertRegion, regionFields, waitForLog, waitUntil } from './fault-steps.fixture.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

const toHeliumOnly = (config: SyncConfig): SyncConfig => ({ ...config, enableHeliumToJourney: false });

async function put(name: string): Promise<string> {
  const id = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id, name } });
  return id;
}

const fullReads = () => world.log.filter((line) => line.includes('full read complete')).length;
const clearChangeLog = () => world.sql('delete from $s.__he_sync_obj_change__');

test("reads on when all entries of a quiet deployment's op-log expire", async () => {
  const run = world.start();
  const first = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  const before = fullReads();
  await world.deployment.dropOpLog({ keep: 0 });
  await waitForLog(world, /INFO Journey's op-log has expired up to entry 1/);
  const second = await put('second');
  await expectAtRest(world, {
    [`region/${first}`]: regionFields('first'),
    [`region/${second}`]: regionFields('second'),
  });
  // The same after a restart, long after the last entry was seen.
  await run.stop();
  await world.deployment.dropOpLog({ keep: 0 });
  await world.sql(`update __portal_sync__.run set op_log_point = op_log_point || '{"provenAtMs": 0}'`);
  world.start();
  await waitForLog(world, /INFO Journey's op-log has expired up to entry 2/);
  expect(fullReads()).toBe(before);
});

test('reads all objects again when entries expired that were not read', async () => {
  const run = world.start();
  const kept = await insertRegion(world, 'kept');
  await world.waitUntilEqual();
  await run.stop();
  const unread = await put('unread');
  const last = await put('last');
  await world.deployment.dropOpLog({ keep: 1 });
  world.start();
  await expectAtRest(world, {
    [`region/${kept}`]: regionFields('kept'),
    [`region/${unread}`]: regionFields('unread'),
    [`region/${last}`]: regionFields('last'),
  });
});

test('reads all objects again when all entries expired, and some of them were not read', async () => {
  const run = world.start();
  await insertRegion(world, 'kept');
  await world.waitUntilEqual();
  await run.stop();
  const unread = await put('unread');
  await world.deployment.dropOpLog({ keep: 0 });
  world.start();
  await expectAtRest(world, { [`region/${unread}`]: regionFields('unread') });
});

test('reads all objects again when the first entries of a new deployment expired', async () => {
  const run = world.start(toHeliumOnly);
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  await run.stop();
  const ids = [await put('one'), await put('two'), await put('three')];
  await world.deployment.dropOpLog({ keep: 1 });
  world.start(toHeliumOnly);
  await waitUntil(async () => Object.keys(await world.heliumRows()).length === 3);
  expect(Object.keys(await world.heliumRows()).sort()).toEqual(ids.map((id) => `region/${id}`).sort());
});

test('reads on when the change log is cleared, and all rows again when entries may have been unread', async () => {
  let run = world.start();
  const first = await insertRegion(world, 'first');
  await world.waitUntilEqual();
  const before = fullReads();
  await clearChangeLog();
  run.wake();
  await waitForLog(world, /INFO Helium's change log was cleared up to entry 1 /);
  const second = await insertRegion(world, 'second');
  await world.waitUntilEqual();
  expect(fullReads()).toBe(before);

  await run.stop();
  const unread = await insertRegion(world, 'unread');
  await clearChangeLog();
  run = world.start();
  await waitForLog(world, /WARNING Helium's change log was cleared up to entry 2 .*: all rows are read again/);
  await waitUntil(async () => `region/${unread}` in (await world.journeyRows()));
  expect(await world.journeyRows()).toEqual({
    [`region/${first}`]: regionFields('first'),
    [`region/${second}`]: regionFields('second'),
    [`region/${unread}`]: regionFields('unread'),
  });
});

test('names a version that was never reached, or that has expired, as what it is', async () => {
  const from = (changeLog: string, opLog: string) => (config: SyncConfig) => ({
    ...config,
    heliumToJourney: { ...config.heliumToJourney, changeLogMinVersionAsString: changeLog },
    journeyToHelium: { ...config.journeyToHelium, oplogMinVersionAsString: opLog },
  });
  const restart = () => world.sql('truncate __portal_sync__.run cascade');
  await insertRegion(world, 'one');
  expect(await world.start(from('5000', '0')).ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/change log has not reached version 5000 yet: it ends at 1/),
  });
  await restart();
  await put('one');
  await put('two');
  expect(await world.start(from('1', '5000')).ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/op-log has not reached version 5000 yet: it ends at 2/),
  });
  await restart();
  await world.deployment.dropOpLog({ keep: 1 });
  expect(await world.start(from('1', '1')).ended).toMatchObject({
    outcome: 'halted',
    reason: expect.stringMatching(/op-log no longer holds version 1/),
  });
});
