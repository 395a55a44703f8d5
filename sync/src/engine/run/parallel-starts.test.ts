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
const parallelStarts = 16;
/** Busy machines take long. */
const wait = { timeout: 60_000 };

/** Starts as many integrations. Their calls to Journey are answered after `answer` was called. */
async function startAll() {
  const calls = { underWay: 0, most: 0, made: 0 };
  let isAnswering = false;
  const rateLimiter = {
    ...quickRateLimiter(),
    async run<T>(_: string, call: () => Promise<T>): Promise<T> {
      calls.underWay += 1;
      calls.most = Math.max(calls.most, calls.underWay);
      while (!isAnswering) await pause(5);
      calls.underWay -= 1;
      calls.made += 1;
      return call();
    },
  };
  const startRun = createStartRun({ databases: world.databases, rateLimiter });
  const runs = Array.from({ length: starts }, (_, at) => {
    const ending = new AbortController();
    const ended = startRun({
      integration: { ...world.integration, id: String(at + 1) },
      fence: world.nextFence(),
      journeyPassword: new Secret(world.deployment.password),
      signal: ending.signal,
      assertLease: () => undefined,
      log: () => undefined,
      publish: () => undefined,
      reportBug: () => undefined,
      withSlot: (work) => work(),
      onWake: () => undefined,
      onWebhook: () => undefined,
      onTryNow: () => undefined,
    });
    ended.catch(() => undefined);
    return { ended, stop: () => ending.abort() };
  });
  await vi.waitFor(async () => {
    const { rows } = await world.sql('select count(*)::int as claimed from __portal_sync__.run');
    expect(rows).toEqual([{ claimed: parallelStarts }]);
    expect(calls.underWay).toBe(parallelStarts);
  }, wait);
  const answer = () => {
    isAnswering = true;
  };
  const stopAll = async () => {
    for (const run of runs) run.stop();
    await Promise.allSettled(runs.map(({ ended }) => ended));
  };
  return { calls, runs, answer, stopAll };
}

test('opens a few integrations at a time, however many start together', async () => {
  const { calls, answer, stopAll } = await startAll();
  answer();
  await vi.waitFor(() => expect(calls.made).toBeGreaterThanOrEqual(starts), wait);
  await stopAll();
  expect(calls.most).toBe(parallelStarts);
});

test('stops an integration that waits for the start of others', async () => {
  const { calls, runs, answer, stopAll } = await startAll();
  for (const run of runs) run.stop();
  expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual(runs.map(() => ({ outcome: 'stopped' })));
  answer();
  await stopAll();
  expect(calls.most).toBe(parallelStarts);
});
