/**
 * Measures many idle integrations in one service: how soon they are live, what they cost, and how
 * soon a device's change arrives, without and with webhooks.
 */
import { randomUUID } from 'node:crypto';
import { getResidentMb, getTreeUsage } from '@portal/e2e/processes';
import type { Child } from '../child.ts';
import { atMost, count, type Figure, percentile } from '../figures.ts';
import { getSchemaName } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, type ServiceReady, type SyncWorld, waitUntil } from './sync-world.ts';

const usualGoal = { liveSeconds: 60, corePercent: 5, memoryMb: 1000 };
/** By number of integrations. */
const goals = new Map([
  [1000, { liveSeconds: 60, corePercent: 3, memoryMb: 250 }],
  [5000, { liveSeconds: 300, corePercent: 10, memoryMb: 600 }],
]);
const maxConnections = 20;
/** Without webhooks, up to 1,000 integrations: they take turns within the host's rate. */
const unannouncedGoalMs = 10_000;
/** How many changes of devices are timed: the fewest without webhooks, where each takes seconds. */
const samples = { min: 30, max: 200 };

export interface IdleOptions {
  /** Number of integrations. */
  readonly apps: number;
  /** Duration of the measurement. */
  readonly seconds: number;
  /** Idle time before the measurement without webhooks. */
  readonly settleSeconds: number;
  /**
   * Idle time between the first webhooks and the measurement with webhooks. For a minute after a
   * change, an op-log is polled more often.
   */
  readonly restSeconds: number;
}

export async function measureIdle(
  clusters: Clusters,
  { apps, seconds, settleSeconds, restSeconds }: IdleOptions,
): Promise<Figure[]> {
  const goal = goals.get(apps) ?? usualGoal;
  const world = await createSyncWorld(clusters, { name: `idle_${apps}`, apps, hasDefaultRates: true });
  const first = await startLive(world);
  await first.service.stop();
  await world.portal.query('delete from sync.figures');
  const { service, liveSeconds, opened } = await startLive(world);

  await pause(settleSeconds);
  const polled = await measureCost(service, seconds);
  const polledMs = await timeChanges(world, apps, samples.min);
  const server = await world.startServerForWebhooks(service);
  // The first webhook of each integration shows that it has some.
  for (let app = 0; app < apps; app += 1) await world.backend.ask({ makeId: randomUUID(), app });
  await pause(restSeconds);
  const announced = await measureCost(service, seconds);
  const announcedMs = await timeChanges(world, apps, Math.max(samples.min, Math.min(apps, samples.max)));
  const { rows } = await world.helium.query(
    `select count(*)::int as connections from pg_stat_activity where application_name like 'portal-sync%' and datname = current_database()`,
  );
  await server.stop();
  await service.stop();
  await world.stop();

  const named = `${count(apps)} idle ${apps === 1 ? 'integration' : 'integrations'}`;
  const slowestMs = Math.max(...polledMs);
  const [p50, p99] = [percentile(announcedMs, 50), percentile(announcedMs, 99)];
  return [
    { what: `${named}: live after the very first start`, ours: `${first.liveSeconds.toFixed(1)} s` },
    atMost(`${named}: live after a restart`, liveSeconds, 's', goal.liveSeconds),
    {
      what: `${named}: connections opened for each until live, after the very first start, after a restart`,
      ours: `${(first.opened / apps).toFixed(1)}, ${(opened / apps).toFixed(1)}`,
    },
    { what: `${named}: CPU without webhooks, over ${seconds} s`, ours: `${polled.corePercent.toFixed(1)} % of a core` },
    { what: `${named}: memory without webhooks`, ours: `${count(polled.memoryMb)} MB` },
    {
      what: `${named}: a device's change without webhooks, slowest of ${polledMs.length}`,
      ours: `${count(slowestMs)} ms`,
      ...(apps <= 1000 && { goal: `≤ ${count(unannouncedGoalMs)} ms`, met: slowestMs <= unannouncedGoalMs }),
    },
    {
      what: `${named}: CPU with webhooks, over ${seconds} s`,
      ours: `${announced.corePercent.toFixed(1)} % of a core`,
      goal: `≤ ${goal.corePercent} %`,
      met: announced.corePercent <= goal.corePercent,
    },
    atMost(`${named}: memory with webhooks`, announced.memoryMb, 'MB', goal.memoryMb),
    {
      what: `${named}: a device's change with webhooks after ${count(restSeconds)} s, p50 / p99 of ${announcedMs.length}`,
      ours: `${count(p50)} / ${count(p99)} ms`,
      goal: '≤ 60 / 200 ms',
      met: p50 <= 60 && p99 <= 200,
    },
    atMost(`${named}: connections to the apps' server`, rows[0]?.connections ?? Number.NaN, '', maxConnections),
  ];
}

async function startLive(world: SyncWorld) {
  const from = performance.now();
  const before = await countOpened(world);
  const service = await world.startService();
  await world.waitUntilLive();
  const liveSeconds = (performance.now() - from) / 1000;
  return { service, liveSeconds, opened: (await countOpened(world)) - before };
}

/** Returns how many connections to the apps' database were opened so far. */
async function countOpened({ helium }: SyncWorld): Promise<number> {
  const { rows } = await helium.query(
    'select sessions::int as opened from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.opened ?? Number.NaN;
}

async function measureCost(
  { pid }: Child<ServiceReady>,
  seconds: number,
): Promise<{ corePercent: number; memoryMb: number }> {
  const before = getTreeUsage(pid).cpuSeconds;
  const began = performance.now();
  await pause(seconds);
  const cores = (getTreeUsage(pid).cpuSeconds - before) / ((performance.now() - began) / 1000);
  return { corePercent: cores * 100, memoryMb: getResidentMb(pid) };
}

/** Returns the milliseconds from a device's change until it is in Helium, each of another app. */
async function timeChanges({ backend, helium }: SyncWorld, apps: number, changes: number): Promise<number[]> {
  const times: number[] = [];
  for (let sample = 0; sample < changes; sample += 1) {
    const app = Math.floor((sample * apps) / changes);
    const id = randomUUID();
    await backend.ask({ makeId: id, app });
    const from = performance.now();
    await waitUntil(async () => {
      const { rowCount } = await helium.query(`select from ${getSchemaName(app)}.visit where _id_ = $1`, [id]);
      return rowCount === 1;
    }, 5);
    times.push(performance.now() - from);
    // Journey allows one poll of an op-log per second.
    if (apps < changes) await pause(1.2);
  }
  return times;
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
