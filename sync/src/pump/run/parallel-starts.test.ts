import { setTimeout as pause } from 'node:timers/promises';
import { Secret } from '@portal/kit/secret';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { quickRateLimiter } from '../testing/sync-integration.fixture.ts';
import { createSyncWorld, type SyncWorld } from '../testing/sync-world.fixture.ts';
import { createStartRun } from './start-run.ts';

let world: SyncWorld;

beforeEach(async () => {
  world = await createSyncWorld();
});
afterEach(() => world.stop());

const starts = 40;

test('reads the data models of a few integrations at a time, however many start together', async () => {
  let reading = 0;
  let read = 0;
  let most = 0;
  let isAnswering = false;
  const rateLimiter = {
    ...quickRateLimiter(),
    async run<T>(_: string, call: () => Promise<T>): Promise<T> {
      reading += 1;
      most = Math.max(most, reading);
      while (!isAnswering) await pause(5);
      reading -= 1;
      read += 1;
      return call();
    },
  };
  const startRun = createStartRun({ databases: world.databases, rateLimiter });
  const ending = new AbortController();
  const runs = Array.from({ length: starts }, (_, at) =>
    startRun({
      integration: { ...world.integration, id: String(at + 1) },
      fence: world.nextFence(),
      journeyPassword: new Secret(world.deployment.password),
      signal: ending.signal,
      assertLease: () => undefined,
      log: () => undefined,
      publish: () => undefined,
      withSlot: (work) => work(),
      onWake: () => undefined,
      onWebhook: () => undefined,
      onTryNow: () => undefined,
    }),
  );
  await vi.waitFor(async () => {
    const { rows } = await world.sql('select count(*)::int as claimed from __portal_sync__.run');
    expect(rows).toEqual([{ claimed: starts }]);
    expect(reading).toBeGreaterThanOrEqual(16);
  });
  isAnswering = true;
  await vi.waitFor(() => expect(read).toBeGreaterThanOrEqual(starts));
  ending.abort();
  await Promise.allSettled(runs);
  expect(most).toBe(16);
});
