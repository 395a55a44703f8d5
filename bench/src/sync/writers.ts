/**
 * Measures what the service's reading of the change log costs the clients that write to the app's
 * tables.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { count, type Figure, median, percentile } from '../figures.ts';
import type { Clusters } from './clusters.ts';
import { createSyncWorld, type SyncWorld } from './sync-world.ts';

const writers = 4;
/** Maximum rate of each writer: high for an app, while leaving some CPU capacity free. */
const transactionsPerSecond = 25;
/** With the service ÷ without it. */
const goal = { minRate: 0.9, maxP99: 2 };

interface WriteResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function measureWriters(clusters: Clusters, seconds: number, rounds: number): Promise<Figure[]> {
  const world = await createSyncWorld(clusters, { name: 'writers' });
  const firstRun = await world.startService();
  await world.waitUntilLive();
  await firstRun.stop();
  const before = await countSchemaObjects(world);
  const measured: Record<'paced' | 'flatOut', { readonly on: WriteResult[]; readonly off: WriteResult[] }> = {
    paced: { on: [], off: [] },
    flatOut: { on: [], off: [] },
  };
  const address = clusters.source.urlFor(world.heliumDatabase);
  for (let round = 0; round < rounds; round += 1) {
    for (const [rateLimiter, restMs] of [
      ['paced', 1000 / transactionsPerSecond],
      ['flatOut', 0],
    ] as const) {
      measured[rateLimiter].off.push(await write(address, world.table, seconds, restMs));
      const service = await world.startService();
      await world.waitUntilLive();
      measured[rateLimiter].on.push(await write(address, world.table, seconds, restMs));
      await service.stop();
    }
  }
  const after = await countSchemaObjects(world);
  await world.stop();
  const figures = Object.entries(measured).flatMap(([rateLimiter, { on, off }]): Figure[] => {
    const medianOf = (of: readonly WriteResult[], what: keyof WriteResult) => median(of.map((one) => one[what]));
    const named =
      rateLimiter === 'paced' ? `${writers} writers, ${transactionsPerSecond}/s each` : `${writers} writers, flat out`;
    const times = (of: readonly WriteResult[]) =>
      `${count(medianOf(of, 'p50Ms'))} / ${count(medianOf(of, 'p99Ms'))} ms`;
    const rates = [medianOf(on, 'perSecond'), medianOf(off, 'perSecond')] as const;
    const rateRatio = rates[0] / rates[1];
    const p99Ratio = medianOf(on, 'p99Ms') / medianOf(off, 'p99Ms');
    return [
      {
        what: `${named}: transactions/s`,
        ours: count(rates[0]),
        peer: count(rates[1]),
        ratio: rateRatio,
        goal: `≥ ${goal.minRate}`,
        met: rateRatio >= goal.minRate,
      },
      {
        what: `${named}: transaction duration, p50 / p99`,
        ours: times(on),
        peer: times(off),
        ratio: p99Ratio,
        goal: `p99 ≤ ${goal.maxP99} ×`,
        met: p99Ratio <= goal.maxP99,
      },
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

/** Runs writers that each insert a row and update one of their earlier rows per transaction. */
async function write(address: string, table: string, seconds: number, restMs: number): Promise<WriteResult> {
  const durationsMs: number[] = [];
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
        durationsMs.push(ms);
        if (ms < restMs) await new Promise((resolve) => setTimeout(resolve, restMs - ms));
      }
      await client.end();
    }),
  );
  const perSecond = (durationsMs.length * 1000) / (performance.now() - from);
  return { perSecond, p50Ms: percentile(durationsMs, 50), p99Ms: percentile(durationsMs, 99) };
}

async function countSchemaObjects({ helium, table }: SyncWorld): Promise<{ triggers: number; columns: number }> {
  const { rows } = await helium.query(
    `select (select count(*)::int from pg_trigger where tgrelid = $1::regclass) as triggers,
       (select count(*)::int from pg_attribute where attrelid = $1::regclass and attnum > 0) as columns`,
    [table],
  );
  return rows[0];
}
