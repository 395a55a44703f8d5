/** Measures the cost of idle integrations: memory, CPU time and connections of one process. */
import { getResidentMb, getTreeUsage } from '@portal/e2e/processes';
import { count, type Figure } from '../figures.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld } from './sync-world.ts';

const goal = { memoryMb: 1000, cores: 0.05, connections: 20 };

export interface IdleOptions {
  /** Number of integrations. */
  readonly apps: number;
  /** Duration of the measurement. */
  readonly seconds: number;
  /** Idle time before the measurement. */
  readonly settleSeconds: number;
}

export async function measureIdle(
  clusters: Clusters,
  { apps, seconds, settleSeconds }: IdleOptions,
): Promise<Figure[]> {
  // The default rate: 20 calls per second to a host, shared by all these deployments.
  const world = await createSyncWorld(clusters, { name: `idle_${apps}`, apps, callsPerSecond: 20 });
  const from = performance.now();
  const service = await world.startService();
  await world.waitUntilLive();
  const liveSeconds = (performance.now() - from) / 1000;
  await pause(settleSeconds);
  const before = getTreeUsage(service.pid).cpuSeconds;
  const began = performance.now();
  await pause(seconds);
  const cores = (getTreeUsage(service.pid).cpuSeconds - before) / ((performance.now() - began) / 1000);
  const memoryMb = getResidentMb(service.pid);
  const { rows } = await world.helium.query(
    `select count(*)::int as connections from pg_stat_activity where application_name like 'portal-sync%' and datname = current_database()`,
  );
  const connections = rows[0]?.connections ?? 0;
  await service.stop();
  await world.stop();
  const named = `${count(apps)} idle ${apps === 1 ? 'integration' : 'integrations'}`;
  return [
    { what: `${named}: live after`, ours: `${liveSeconds.toFixed(1)} s` },
    {
      what: `${named}: memory`,
      ours: `${count(memoryMb)} MB`,
      goal: `< ${count(goal.memoryMb)} MB`,
      met: memoryMb < goal.memoryMb,
    },
    {
      what: `${named}: CPU over ${seconds} s`,
      ours: `${(cores * 100).toFixed(1)} % of a core`,
      goal: `< ${goal.cores * 100} %`,
      met: cores < goal.cores,
    },
    {
      what: `${named}: connections to the apps' server`,
      ours: count(connections),
      goal: `≤ ${goal.connections}`,
      met: connections <= goal.connections,
    },
  ];
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
