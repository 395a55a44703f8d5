/**
 * Kills or freezes the service that runs the integration while another one stands by and the app
 * writes: measures how long the next record takes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from '../child.ts';
import { count, type Figure, median } from '../figures.ts';
import { insertVisits } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, type SyncWorld, waitUntil } from './sync-world.ts';

/** Lets the simulator finish the calls that were in progress. */
const settleMs = 300;
const goalMs = 7_000;

export async function measureFailOver(clusters: Clusters, rounds: number): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'fail_over' });
  const app = await clusters.connect(clusters.source, world.heliumDatabase);
  let isOver = false;
  const writing = (async () => {
    for (let from = 1; !isOver; from += 20) {
      await insertVisits(app, world.table, { rows: 20, from });
      await pause(10);
    }
  })();
  let running = await world.startService();
  await waitUntil(async () => (await world.opLogHead()) > 0, 5);
  const figures: Figure[] = [];
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const standby = await world.startService();
      // Not always at the same moment of a lease.
      await pause(2_000 + Math.random() * 1_500);
      times.push(await measureOnce(world, running, signal));
      process.kill(running.pid, 'SIGKILL');
      running = standby;
    }
    figures.push({
      what: `from ${signal} to the next record, ${rounds} times`,
      ours: `median ${count(median(times))} ms, longest ${count(Math.max(...times))} ms`,
      goal: `< ${count(goalMs)} ms`,
      met: Math.max(...times) < goalMs,
    });
  }
  isOver = true;
  await writing;
  await running.stop();
  await world.stop();
  return figures;
}

async function measureOnce(
  { opLogHead }: SyncWorld,
  { pid }: Child<unknown>,
  signal: 'SIGKILL' | 'SIGSTOP',
): Promise<number> {
  process.kill(pid, signal);
  const fromMs = performance.now();
  await pause(settleMs);
  const before = await opLogHead();
  await waitUntil(async () => (await opLogHead()) > before, 20);
  return performance.now() - fromMs;
}
