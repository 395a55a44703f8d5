/**
 * One side swallows the bytes of all connections without closing any, like a broken firewall, or
 * sends them one by one.
 */
import { randomUUID } from 'node:crypto';
import { type ByteRelay, startByteRelay } from '@portal/kit/byte-relay.fixture';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { HeliumDatabases } from '../../../sync-state/helium-databases.ts';
import { expectAtRest, insertRegion, regionFields, waitUntil } from '../../testing/fault-steps.fixture.ts';
import { runWithRestarts } from '../../testing/restarting-run.fixture.ts';
import { createSyncWorld, openDatabases, type SyncWorld } from '../../testing/sync-world.fixture.ts';

let world: SyncWorld;
let relay: ByteRelay;
let databases: HeliumDatabases;

beforeEach(async () => {
  const probes = { probeAfterMs: 200, probeEveryMs: 50, firstProbeMs: 1_000, probeMs: 1_000, suspectMs: 1_000 };
  world = await createSyncWorld({ timing: { callTimeoutMs: 3_600_000, slowCallMs: 100, silence: probes } });
  relay = await startByteRelay(Number(new URL(world.helium.url).port));
  databases = openThroughRelay({ silence: { noticedMs: 200, deadMs: 1_000 } });
});
afterEach(async () => {
  relay.resume();
  await world.stopRuns();
  await databases.stop();
  await relay.stop();
  await world.stop();
});

function openThroughRelay(limits: Parameters<typeof openDatabases>[2]): HeliumDatabases {
  const url = Object.assign(new URL(world.helium.url), { hostname: '127.0.0.1', port: `${relay.port}` }).href;
  return openDatabases(url, undefined, limits);
}

/** Slow enough that the shortest response takes longer than all limits of these tests. */
const byteEveryMs = 300;
const silences = [
  ['swallows all bytes', (relay: ByteRelay) => relay.swallow()],
  ['sends byte by byte', (relay: ByteRelay) => relay.dribble(byteEveryMs)],
] as const;

test.each(silences)(
  "notices that Helium's database %s, and syncs both directions when it answers again",
  async (_how, fall) => {
    const run = runWithRestarts(() => world.start(undefined, undefined, databases));
    const before = await insertRegion(world, 'before');
    await world.waitUntilEqual();
    fall(relay);
    await waitUntil(() => world.figures().heliumUnansweredSinceMs !== null);
    const during = await insertRegion(world, 'during');
    const device = randomUUID();
    await world.edit({ method: 'put', object: { type: 'region', id: device, name: 'device' } });
    await waitUntil(() => run.interruptions.length > 0);
    relay.resume();
    await expectAtRest(world, {
      [`region/${before}`]: regionFields('before'),
      [`region/${during}`]: regionFields('during'),
      [`region/${device}`]: regionFields('device'),
    });
    await waitUntil(() => world.figures().heliumUnansweredSinceMs === null);
    expect(run.failures).toEqual([]);
    expect(await world.conflicts()).toEqual([]);
    await run.stop();
  },
);

test('syncs both directions on new connections when some to Helium have died, without a silence of all', async () => {
  const never = { noticedMs: 3_600_000, deadMs: 3_600_000 };
  const deadConnections = { checkEveryMs: 50, silentChecks: 3, askMs: 1_000 };
  const alone = openThroughRelay({ silence: never, deadConnections });
  onTestFinished(() => alone.stop());
  const run = runWithRestarts(() => world.start(undefined, undefined, alone));
  const before = await insertRegion(world, 'before');
  await world.waitUntilEqual();
  relay.swallowOpen();
  const after = await insertRegion(world, 'after');
  const device = randomUUID();
  await world.edit({ method: 'put', object: { type: 'region', id: device, name: 'device' } });
  await expectAtRest(world, {
    [`region/${before}`]: regionFields('before'),
    [`region/${after}`]: regionFields('after'),
    [`region/${device}`]: regionFields('device'),
  });
  expect(run.failures).toEqual([]);
  expect(await world.conflicts()).toEqual([]);
  await run.stop();
});

test.each(silences)(
  'notices that Journey %s, and syncs both directions when it answers again, long before a time-out',
  async (_how, fall) => {
    const { origin, pathname, port } = new URL(world.deployment.url);
    const journeyRelay = await startByteRelay(Number(port));
    onTestFinished(() => journeyRelay.stop());
    const baseUrl = `${origin.replace(port, String(journeyRelay.port))}${pathname}`;
    world.start((config) => ({ ...config, journey: { ...config.journey, baseUrl } }));
    await insertRegion(world, 'before');
    await world.waitUntilEqual();
    fall(journeyRelay);
    const during = await insertRegion(world, 'during');
    const device = randomUUID();
    await world.edit({ method: 'put', object: { type: 'region', id: device, name: 'device' } });
    await waitUntil(() => world.figures().unansweredSinceMs !== null);
    // Probes are not answered either.
    const connections = journeyRelay.connectionCount();
    await waitUntil(() => journeyRelay.connectionCount() >= connections + 2);
    journeyRelay.resume();
    await expectAtRest(world, {
      [`region/${during}`]: regionFields('during'),
      [`region/${device}`]: regionFields('device'),
    });
    await waitUntil(() => world.figures().unansweredSinceMs === null);
    expect(await world.conflicts()).toEqual([]);
  },
);
