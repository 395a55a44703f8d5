/**
 * Kills the service in the middle of a backlog and starts it again: measures when it resumes, and
 * whether anything is lost or duplicated.
 */
import { count, type Figure } from '../figures.ts';
import { insertVisits } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, type SyncWorld, waitUntil } from './sync-world.ts';

const goalMs = 5000;
/** Lets the simulator finish the calls that were in progress at the kill. */
const settleMs = 1000;

export async function measureKill(clusters: Clusters, rows: number): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'kill' });
  const firstRun = await world.startService();
  await world.waitUntilLive();
  await firstRun.stop();
  await insertVisits(world.helium, world.table, { rows });

  const killed = await world.startService();
  await waitUntil(async () => (await world.opLogHead()) >= rows / 10, 5);
  process.kill(killed.pid, 'SIGKILL');
  const fromMs = performance.now();
  // A new start takes longer than this anyway, so the wait does not delay it.
  const restarted = world.startService();
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const before = await world.opLogHead();
  const service = await restarted;
  const servesMs = performance.now() - fromMs;
  await waitUntil(async () => (await world.opLogHead()) > before, 5);
  const firstMs = performance.now() - fromMs;
  await waitUntil(async () => (await world.opLogHead()) >= rows, 100);
  const allMs = performance.now() - fromMs;
  await untilBothRead(world, rows);
  await service.stop();
  const { rows: held } = await world.journey.query(
    `select (select count(*)::int from object) as objects, (select count(*)::int from op_log) as entries`,
  );
  const [{ objects, entries }] = held;
  await world.stop();
  return [
    {
      what: `from kill -9, ${count(before)} of ${count(rows)} done, to the next record`,
      ours: `${count(firstMs)} ms (${count(servesMs)} ms of it until the new process is ready)`,
      goal: `< ${count(goalMs)} ms`,
      met: firstMs < goalMs,
    },
    { what: 'to the last record', ours: `${(allMs / 1000).toFixed(1)} s` },
    {
      what: `lost and duplicated, of ${count(rows)}`,
      ours: `${count(rows - objects)}, ${count(entries - rows)}`,
      goal: '0, 0',
      met: objects === rows && entries === rows,
    },
  ];
}

/**
 * Waits until both logs are read to the end. Calls in progress at the kill stay pending for
 * minutes, in case they arrive late.
 */
async function untilBothRead({ helium, opLogHead }: SyncWorld, rows: number): Promise<void> {
  await waitUntil(async () => {
    const { rows: found } = await helium.query('select change_log_cursor, op_log_cursor from __portal_sync__.run');
    const [at] = found;
    return Number(at?.change_log_cursor) >= rows && Number(at?.op_log_cursor) >= (await opLogHead());
  }, 200);
}
