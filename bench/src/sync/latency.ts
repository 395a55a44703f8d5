/**
 * From a commit on one side until it can be seen on the other, one change at a time, beside native
 * replication.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { count, type Figure, percentile } from '../figures.ts';
import { insertVisit } from './app-schema.ts';
import type { Clusters } from './clusters.ts';
import { createNativeReplication } from './native-replication.ts';
import { createSyncWorld } from './sync-world.ts';

interface Goal {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const woken: Goal = { p50Ms: 25, p99Ms: 100 };
/** Journey wants its op-log asked at most once a second. */
const asked: Goal = { p50Ms: 1050, p99Ms: 1050 };

/** So long it rests before each change, at random between the two. */
interface Rest {
  readonly leastMs: number;
  readonly mostMs: number;
}

const busy: Rest = { leastMs: 20, mostMs: 150 };
const seldom: Rest = { leastMs: 1500, mostMs: 2500 };

export async function measureLatency(clusters: Clusters, samples: number): Promise<Figure[]> {
  const few = Math.ceil(samples / 5);
  const native = await createNativeReplication(clusters, 'latency');
  const nativeSeen = await watchFor(native.target, 'visit', '_id_');
  await native.enable();
  const insertPeer = (id: string) => insertVisit(native.source, 'visit', id);
  await sample(nativeSeen, insertPeer, 10, busy);
  const peer = {
    busy: await sample(nativeSeen, insertPeer, samples, busy),
    seldom: await sample(nativeSeen, insertPeer, few, seldom),
  };
  await native.stop();

  const world = await createSyncWorld(clusters, { name: 'latency' });
  const inJourney = await watchFor(world.journey, 'op_log', 'id');
  const inHelium = await watchFor(world.helium, world.table, '_id_');
  const service = await world.startService();
  await world.untilLive();
  const insert = (id: string) => insertVisit(world.helium, world.table, id);
  const edit = async (id: string) => void (await world.backend.ask({ makeId: id }));
  await sample(inJourney, insert, 10, busy);
  const figures = [
    figure(
      'Helium → Journey, a change every 20 to 150 ms',
      await sample(inJourney, insert, samples, busy),
      woken,
      peer.busy,
    ),
    figure('Helium → Journey, after 2 s of rest', await sample(inJourney, insert, few, seldom), woken, peer.seldom),
    figure(
      'Journey → Helium, at any moment of the second',
      await sample(inHelium, edit, few, seldom),
      asked,
      peer.seldom,
    ),
  ];
  await service.stop();
  await world.stop();
  return figures;
}

function figure(what: string, ours: readonly number[], goal: Goal, peer: readonly number[]): Figure {
  const told = (p50: number, p99: number) => `${count(p50)} / ${count(p99)} ms`;
  const of = (values: readonly number[]) => [percentile(values, 50), percentile(values, 99)] as const;
  const [p50, p99] = of(ours);
  return {
    what: `${what}, p50 / p99 of ${ours.length}`,
    ours: told(p50, p99),
    peer: told(...of(peer)),
    goal: `≤ ${told(goal.p50Ms, goal.p99Ms)}`,
    met: p50 <= goal.p50Ms && p99 <= goal.p99Ms,
  };
}

/** Answers what waits for the row of an id to be committed, and gives the moment that was known. */
type Seen = (id: string) => Promise<number>;

/**
 * The server tells at the commit of a row: nobody has to ask again and again, which would take time
 * from what is measured.
 */
async function watchFor(client: pg.Client, table: string, column: string): Promise<Seen> {
  const tell = `bench_tell_${table.replace('.', '_')}`;
  await client.query(
    `create function public.${tell}() returns trigger language plpgsql as
       $$ begin perform pg_notify('bench', new.${column}::text); return null; end $$;
     create trigger ${tell} after insert on ${table} for each row execute function public.${tell}();
     alter table ${table} enable always trigger ${tell}; listen bench`,
  );
  const waiting = new Map<string, (atMs: number) => void>();
  client.on('notification', ({ payload = '' }) => waiting.get(payload)?.(performance.now()));
  return (id) =>
    new Promise((resolve) => {
      waiting.set(id, (atMs) => {
        waiting.delete(id);
        resolve(atMs);
      });
    });
}

/** Milliseconds from each change's commit to its arrival. */
async function sample(seen: Seen, change: (id: string) => Promise<void>, times: number, rest: Rest): Promise<number[]> {
  const took: number[] = [];
  for (let at = 0; at < times; at += 1) {
    await new Promise((go) => setTimeout(go, rest.leastMs + Math.random() * (rest.mostMs - rest.leastMs)));
    const id = randomUUID();
    const arrived = seen(id);
    await change(id);
    const committedMs = performance.now();
    took.push((await arrived) - committedMs);
  }
  return took;
}
