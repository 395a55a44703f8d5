/**
 * Killed in the middle of a backlog and started again: how soon it goes on, and whether anything is
 * lost or done twice.
 */
import { count, type Figure } from '../figures.ts';
import { insertVisits } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, type SyncWorld, until } from './sync-world.ts';

const goalMs = 5000;
/** For the simulator to finish what was under way when the service was killed. */
const settleMs = 1000;

export async function measureKill(clusters: Clusters, rows: number): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'kill' });
  const begun = await world.startService();
  await world.untilLive();
  await begun.stop();
  await insertVisits(world.helium, world.table, { rows });

  const killed = await world.startService();
  await until(async () => (await world.opLogHead()) >= rows / 10, 5);
  process.kill(killed.pid, 'SIGKILL');
  const fromMs = performance.now();
  // A new start needs some time anyway, so this does not make it later.
  const restarted = world.startService();
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const before = await world.opLogHead();
  const service = await restarted;
  const servesMs = performance.now() - fromMs;
  await until(async () => (await world.opLogHead()) > before, 5);
  const firstMs = performance.now() - fromMs;
  await until(async () => (await world.opLogHead()) >= rows, 100);
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
      ours: `${count(firstMs)} ms (${count(servesMs)} ms of it until the new process serves)`,
      goal: `< ${count(goalMs)} ms`,
      met: firstMs < goalMs,
    },
    { what: 'and to the last', ours: `${(allMs / 1000).toFixed(1)} s` },
    {
      what: `lost, and carried twice, of ${count(rows)}`,
      ours: `${count(rows - objects)}, ${count(entries - rows)}`,
      goal: '0, 0',
      met: objects === rows && entries === rows,
    },
  ];
}

/**
 * Until both logs are read to their ends. What was under way at the kill is kept as such for
 * minutes, in case it comes late.
 */
async function untilBothRead({ helium, opLogHead }: SyncWorld, rows: number): Promise<void> {
  await until(async () => {
    const { rows: found } = await helium.query('select change_log_cursor, op_log_cursor from __portal_sync__.run');
    const [at] = found;
    return Number(at?.change_log_cursor) >= rows && Number(at?.op_log_cursor) >= (await opLogHead());
  }, 200);
}
