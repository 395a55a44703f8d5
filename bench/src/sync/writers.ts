/** What it costs those who write into the app's tables that the service reads its change log. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { count, type Figure, median, percentile } from '../figures.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, type SyncWorld } from './sync-world.ts';

const writers = 4;
/**
 * As many as one of them writes in a second, at most: a great deal for an app, and something is
 * left of the cores.
 */
const transactionsPerSecond = 25;

interface Written {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function measureWriters(clusters: Clusters, seconds: number, rounds: number): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'writers' });
  const begun = await world.startService();
  await world.untilLive();
  await begun.stop();
  const before = await madeInSchema(world);
  const measured: Record<'paced' | 'flatOut', { readonly on: Written[]; readonly off: Written[] }> = {
    paced: { on: [], off: [] },
    flatOut: { on: [], off: [] },
  };
  const address = clusters.source.urlFor(world.heliumDatabase);
  for (let round = 0; round < rounds; round += 1) {
    for (const [pace, restMs] of [
      ['paced', 1000 / transactionsPerSecond],
      ['flatOut', 0],
    ] as const) {
      measured[pace].off.push(await write(address, world.table, seconds, restMs));
      const service = await world.startService();
      await world.untilLive();
      measured[pace].on.push(await write(address, world.table, seconds, restMs));
      await service.stop();
    }
  }
  const after = await madeInSchema(world);
  await world.stop();
  const figures = Object.entries(measured).flatMap(([pace, { on, off }]): Figure[] => {
    const middle = (of: readonly Written[], what: keyof Written) => median(of.map((one) => one[what]));
    const named =
      pace === 'paced' ? `${writers} writers, ${transactionsPerSecond}/s each` : `${writers} writers, flat out`;
    const times = (of: readonly Written[]) => `${count(middle(of, 'p50Ms'))} / ${count(middle(of, 'p99Ms'))} ms`;
    const rates = [middle(on, 'perSecond'), middle(off, 'perSecond')] as const;
    return [
      { what: `${named}: transactions/s`, ours: count(rates[0]), peer: count(rates[1]), ratio: rates[0] / rates[1] },
      { what: `${named}: one takes, p50 / p99`, ours: times(on), peer: times(off) },
    ];
  });
  return [
    ...figures,
    {
      what: 'triggers and columns added to the app',
      ours: `${after.triggers - before.triggers}, ${after.columns - before.columns}`,
      goal: '0, 0',
      met: after.triggers === before.triggers && after.columns === before.columns,
    },
  ];
}

/** Each of them inserts a row and changes one of its earlier ones, in one transaction. */
async function write(address: string, table: string, seconds: number, restMs: number): Promise<Written> {
  const took: number[] = [];
  const from = performance.now();
  const until = from + seconds * 1000;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      const client = new pg.Client(address);
      await client.connect();
      let last = randomUUID();
      while (performance.now() < until) {
        const began = performance.now();
        const id = randomUUID();
        await client.query('begin');
        await client.query({
          name: 'insert',
          text: `insert into ${table} (_id_, _tstamp_, name, age) values ($1, now() at time zone 'UTC', 'One visit', 7)`,
          values: [id],
        });
        await client.query({
          name: 'update',
          text: `update ${table} set age = age + 1 where _id_ = $1`,
          values: [last],
        });
        await client.query('commit');
        last = id;
        const ms = performance.now() - began;
        took.push(ms);
        if (ms < restMs) await new Promise((resolve) => setTimeout(resolve, restMs - ms));
      }
      await client.end();
    }),
  );
  const perSecond = (took.length * 1000) / (performance.now() - from);
  return { perSecond, p50Ms: percentile(took, 50), p99Ms: percentile(took, 99) };
}

async function madeInSchema({ helium, table }: SyncWorld): Promise<{ triggers: number; columns: number }> {
  const { rows } = await helium.query(
    `select (select count(*)::int from pg_trigger where tgrelid = $1::regclass) as triggers,
       (select count(*)::int from pg_attribute where attrelid = $1::regclass and attnum > 0) as columns`,
    [table],
  );
  return rows[0];
}
