/** Journey's webhooks wake the integration, which polls the op-log less often while they arrive. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { insertRegion, renameRegion, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { type ResponseProxy, startResponseProxy } from '../../testing/response-proxy.fixture.ts';
import { quickTiming } from '../../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../../testing/sync-world.fixture.ts';

const hour = 3_600_000;

let world: SyncWorld;
let proxy: ResponseProxy;

beforeEach(async () => {
  world = await createSyncWorld({ timing: { announced: { activePollMs: hour, idlePollMs: hour } } });
  proxy = await startResponseProxy(world);
});
afterEach(async () => {
  await world.stop();
  await proxy.stop();
});

const countPolls = () => proxy.calls.filter((call) => call === 'GET oplog.json').length;
const inHelium = async (id: string) => (await world.heliumRows())[`region/${id}`]?.name;
const rename = (id: string, name: string) => world.edit({ method: 'patch', object: { type: 'region', id, name } });

test('reads what devices change when a webhook arrives, which is hours before the next poll', async () => {
  const run = world.start((config) => proxy.through(config));
  const id = await insertRegion(world, 'A');
  await world.waitUntilEqual();
  await rename(id, 'first');
  run.receiveWebhook();
  await waitUntil(async () => (await inHelium(id)) === 'first');
  for (let round = 1; round <= 10; round += 1) {
    await rename(id, `round ${round}`);
    run.receiveWebhook();
    await waitUntil(async () => (await inHelium(id)) === `round ${round}`);
  }
  expect(world.figures()).toMatchObject({ webhookReceivedMs: expect.any(Number), webhookMissedMs: null });
});

test('writes a record at once that waits for its parent when the webhook of the parent arrives', async () => {
  const run = world.start((config) => proxy.through(config));
  const id = await insertRegion(world, 'A');
  await world.waitUntilEqual();
  // Until the echo of the insert is settled, the op-log is polled anyway.
  for (let round = 1; round <= 6; round += 1) {
    await rename(id, `round ${round}`);
    run.receiveWebhook();
    await waitUntil(async () => (await inHelium(id)) === `round ${round}`);
  }
  const [parent, child] = [randomUUID(), randomUUID()];
  await world.edit({ method: 'put', object: { type: 'visit', id: child, note: 'early', farmer_id: parent } });
  run.receiveWebhook();
  await waitUntil(async () => (await world.held()).length === 1);
  await world.edit({ method: 'put', object: { type: 'farmer', id: parent, name: 'late' } });
  run.receiveWebhook();
  await waitUntil(async () => Object.hasOwn(await world.heliumRows(), `visit/${child}`));
});

test('repeated and false webhooks cost nothing but polls, within the rate that Journey allows', async () => {
  const run = world.start((config) => proxy.through(config));
  const id = await insertRegion(world, 'A');
  await world.waitUntilEqual();
  const [before, fromMs] = [countPolls(), performance.now()];
  for (let nth = 0; nth < 10_000; nth += 1) run.receiveWebhook();
  await renameRegion(world, id, 'B');
  await world.waitUntilEqual();
  // Some follow another at once: those that read what is left, and those after a change.
  expect(countPolls() - before).toBeLessThanOrEqual((performance.now() - fromMs) / (quickTiming.pollMs - 1) + 20);
  expect(await world.conflicts()).toEqual([]);
});

test('syncs both ways while no webhook arrives for a change of Helium', async () => {
  const run = world.start((config) => proxy.through(config));
  const id = await insertRegion(world, 'A');
  await world.waitUntilEqual();
  await rename(id, 'device');
  run.receiveWebhook();
  await waitUntil(async () => (await inHelium(id)) === 'device');
  await renameRegion(world, id, 'Helium');
  await world.waitUntilEqual();
  expect(await inHelium(id)).toBe('Helium');
});
