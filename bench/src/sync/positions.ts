/**
 * Measures how fast new values of a unique key are written that other rows still have, beside as
 * many values that are free, and how long the app waits for one of these rows.
 */
import type pg from 'pg';
import { atMost, count, type Figure, median } from '../figures.ts';
import { insertVisits } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, type SyncWorld, waitUntil } from './sync-world.ts';

/** How many times as long it may take as with free values. */
const maxRatio = 3;
const maxWaitMs = 1_000;

/** Returns the new position of each row; the first one is 1. */
const moves: Readonly<Record<string, (position: number, rows: number) => number>> = {
  'to free values': (position, rows) => position + 2 * rows,
  'shifted by one': (position) => position + 1,
  'rotated: the last becomes the first': (position, rows) => (position % rows) + 1,
};

export async function measurePositions(
  clusters: Clusters,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'positions' });
  await insertVisits(world.helium, world.table, { rows });
  const { rows: visits } = await world.helium.query<{ id: string }>(
    `update ${world.table} set age = substr(name, 7)::int returning _id_ as id`,
  );
  await world.helium.query(`alter table ${world.table} add unique (age)`);
  const service = await world.startService();
  await waitUntil(async () => (await world.opLogHead()) >= rows, 100);
  await world.waitUntilLive();
  const app = await clusters.connect(clusters.source, world.heliumDatabase);
  const { rows: sorted } = await app.query<{ id: string }>(`select _id_ as id from ${world.table} order by age`);
  const ids = sorted.map(({ id }) => id);
  let ages = visits.map((_, at) => at + 1);
  const times: Record<string, number[]> = {};
  const waits: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [what, move] of Object.entries(moves)) {
      const before = Math.min(...ages) - 1;
      ages = ages.map((age) => before + move(age - before, rows));
      const { ms, waitMs } = await moveTo(world, app, ids, ages);
      times[what] = [...(times[what] ?? []), ms];
      waits[what] = [...(waits[what] ?? []), waitMs];
    }
  }
  await service.stop();
  await world.stop();
  const free = median(times['to free values'] ?? []);
  return Object.entries(times).flatMap(([what, measured]) => {
    const ratio = median(measured) / free;
    return [
      {
        what: `${count(rows)} rows ${what}${median(measured) === free ? '' : '; peer: to free values'}`,
        ours: `${count(median(measured))} ms`,
        ...(median(measured) !== free && {
          peer: `${count(free)} ms`,
          ratio,
          goal: `≤ ${maxRatio}`,
          met: ratio <= maxRatio,
        }),
      },
      atMost('an app waits for one of these rows', Math.max(...(waits[what] ?? [])), 'ms', maxWaitMs),
    ];
  });
}

/** Has a device save these values at once. Measures until Helium has them. */
async function moveTo(
  { helium, table, backend }: SyncWorld,
  app: pg.Client,
  ids: readonly string[],
  ages: readonly number[],
): Promise<{ readonly ms: number; readonly waitMs: number }> {
  await backend.ask({ ages: ids.map((id, at) => [id, ages[at] ?? 0]) });
  const from = performance.now();
  let isDone = false;
  let waitMs = 0;
  const lockRows = async () => {
    while (!isDone) {
      const start = performance.now();
      await app.query(`select from ${table} where _id_ = $1 for update`, [ids[Math.floor(Math.random() * ids.length)]]);
      waitMs = Math.max(waitMs, performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const locking = lockRows();
  await waitUntil(async () => {
    const { rowCount } = await helium.query(
      `select from unnest($1::uuid[], $2::int[]) as wanted (id, age)
       join ${table} t on t._id_ = wanted.id and t.age is distinct from wanted.age limit 1`,
      [ids, ages],
    );
    return rowCount === 0;
  }, 50);
  const ms = performance.now() - from;
  isDone = true;
  await locking;
  return { ms, waitMs };
}
