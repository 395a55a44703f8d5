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
const goalMs = 3_000;

export async function measureFailOver(clusters: Clusters, rounds: number): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'fail_over' });
  const app = await clusters.connect(clusters.source, world.heliumDatabase);
  let isOver = false;
  const writing = (async () => {
    for (let from = 1; !isOver; from += 20) {
      await insertVisits(app, world.table, { rows: 20, from });
      await pause(200);
    }
  })();
  try {
    return await failAgainAndAgain(world, rounds);
  } finally {
    isOver = true;
    await writing;
    await world.stop();
  }
}

async function failAgainAndAgain(world: SyncWorld, rounds: number): Promise<Figure[]> {
  let running = await world.startService();
  await waitUntil(async () => (await world.opLogHead()) > 0, 5);
  const figures: Figure[] = [];
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const times: FailOver[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const standby = await world.startService();
      // Not always at the same moment of a lease.
      await pause(2_000 + Math.random() * 1_500);
      times.push(await measureOnce(world, running, signal));
      if (signal === 'SIGSTOP') process.kill(running.pid, 'SIGKILL');
      running = standby;
    }
    figures.push({
      what: `from ${signal} to the next record, ${rounds} times`,
      ours: `${describe(times.map(({ recordMs }) => recordMs))}; of it the lease: ${describe(times.map(({ leaseMs }) => leaseMs))}`,
      goal: `≤ ${count(goalMs)} ms`,
      met: times.every(({ recordMs }) => recordMs <= goalMs),
    });
  }
  await running.stop();
  return figures;
}

interface FailOver {
  /** From the failure until the other service has acquired the lease. */
  readonly leaseMs: number;
  /** From the failure until the next record is in Journey. */
  readonly recordMs: number;
}

function describe(times: readonly number[]): string {
  return `${count(Math.min(...times))} to ${count(Math.max(...times))} ms, median ${count(median(times))}`;
}

async function measureOnce(
  { opLogHead, portal }: SyncWorld,
  { pid }: Child<unknown>,
  signal: 'SIGKILL' | 'SIGSTOP',
): Promise<FailOver> {
  const readFence = async () => (await portal.query('select fence from sync.lease')).rows[0]?.fence;
  const fence = await readFence();
  process.kill(pid, signal);
  const fromMs = performance.now();
  await pause(settleMs);
  const before = await opLogHead();
  await waitUntil(async () => (await readFence()) !== fence, 5);
  const leaseMs = performance.now() - fromMs;
  await waitUntil(async () => (await opLogHead()) > before, 5);
  return { leaseMs, recordMs: performance.now() - fromMs };
}
