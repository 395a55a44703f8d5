/** Journey answers writes while its op-log cannot be read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRegion, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let proxy: ResponseProxy;

beforeAll(async () => {
  world = await createSyncWorld();
  proxy = await startResponseProxy(world);
});
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

test('sends a page after a pause that kept it from being sent, although the op-log cannot be read', async () => {
  const run = world.start(proxy.through);
  const pause = /asked for a pause/;
  await waitUntil(() => world.figures().journeySyncStatus === 'Live');
  world.journey.faults.set({ mode: 'refuse', path: 'oplog' });
  proxy.answerNext((path) => path.includes('oplog'), { status: 429, headers: { 'retry-after': '300' } });
  await waitUntil(() => pause.test(world.figures().journeySyncStatus));
  const id = await insertRegion(world, 'sent after the pause');
  const isSent = async () => `region/${id}` in (await world.journeyRows());
  // On a machine that hangs, the pause may be over before the row is read.
  await waitUntil(async () => pause.test(world.figures().heliumSyncStatus) || (await isSent()));
  run.tryNow();
  await waitUntil(isSent);
  expect(world.log.filter((line) => /^(SEVERE|BUG)/.test(line))).toEqual([]);
});
