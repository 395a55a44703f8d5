/**
 * What the service's process holds in memory while one transaction of a great many rows is carried
 * over.
 */
import { residentMb } from '@portal/e2e/processes';
import { count, type Figure, median } from '../figures.ts';
import { insertVisits } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, until } from './sync-world.ts';

const goalMb = 256;
const flat = 1.15;

export async function measureOneTransaction(clusters: Clusters, rows: number): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'one_transaction' });
  const service = await world.startService();
  await world.untilLive();
  const idle = residentMb(service.pid);
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(residentMb(service.pid)), 250);
  await insertVisits(world.helium, world.table, { rows, perTransaction: rows });
  await until(async () => (await world.opLogHead()) >= rows, 250);
  clearInterval(sampling);
  await service.stop();
  await world.stop();
  const peak = Math.max(...memory);
  const quarter = Math.ceil(memory.length / 4);
  const [second, last] = [median(memory.slice(quarter, 2 * quarter)), median(memory.slice(-quarter))];
  return [
    {
      what: `most over idle, during ${count(rows)} rows of one transaction`,
      ours: `${count(peak - idle)} MB over ${count(idle)} MB`,
      goal: `< ${goalMb} MB`,
      met: peak - idle < goalMb,
    },
    {
      what: 'in its second and in its last quarter',
      ours: `${count(second)} → ${count(last)} MB`,
      goal: 'flat',
      met: last < second * flat,
    },
  ];
}
