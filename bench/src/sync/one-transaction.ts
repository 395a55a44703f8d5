/** Measures the memory of the service while it syncs one very large transaction. */
import { getResidentMb } from '@portal/e2e/processes';
import { count, type Figure, median } from '../figures.ts';
import { insertVisits } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, waitUntil } from './sync-world.ts';

const goalMb = 256;
const flat = 1.15;

export async function measureOneTransaction(clusters: Clusters, rows: number): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'one_transaction' });
  const service = await world.startService();
  await world.waitUntilLive();
  const idle = getResidentMb(service.pid);
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(getResidentMb(service.pid)), 250);
  await insertVisits(world.helium, world.table, { rows, perTransaction: rows });
  await waitUntil(async () => (await world.opLogHead()) >= rows, 250);
  clearInterval(sampling);
  await service.stop();
  await world.stop();
  const peak = Math.max(...memory);
  const quarter = Math.ceil(memory.length / 4);
  const [second, last] = [median(memory.slice(quarter, 2 * quarter)), median(memory.slice(-quarter))];
  return [
    {
      what: `peak over idle, during ${count(rows)} rows of one transaction`,
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
