/**
 * Measures the time from a commit on one side until it is visible on the other, one change at a
 * time, compared with native replication.
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

const pushGoal: Goal = { p50Ms: 25, p99Ms: 100 };
/** Journey allows polling its op-log at most once per second. */
const pollGoal: Goal = { p50Ms: 1050, p99Ms: 1050 };

const webhookGoal: Goal = { p50Ms: 60, p99Ms: 200 };

/** The random pause before each change. */
interface PauseRange {
  readonly minMs: number;
  readonly maxMs: number;
}

const busy: PauseRange = { minMs: 20, maxMs: 150 };
export const rare: PauseRange = { minMs: 1500, maxMs: 2500 };

export async function measureLatency(clusters: Clusters, samples: number): Promise<Figure[]> {
  const few = Math.ceil(samples / 5);
  const native = await createNativeReplication(clusters, 'latency');
  const waitInNative = await watchFor(native.target, 'visit', '_id_');
  await native.enable();
  const insertPeer = (id: string) => insertVisit(native.source, 'visit', id);
  await sample(waitInNative, insertPeer, 10, busy);
  const peer = {
    busy: await sample(waitInNative, insertPeer, samples, busy),
    rare: await sample(waitInNative, insertPeer, few, rare),
  };
  await native.stop();

  const world = await createSyncWorld(clusters, { name: 'latency' });
  const waitInJourney = await watchFor(world.journey, 'op_log', 'id');
  const waitInHelium = await watchFor(world.helium, world.table, '_id_');
  const service = await world.startService();
  await world.waitUntilLive();
  const insert = (id: string) => insertVisit(world.helium, world.table, id);
  const edit = async (id: string) => void (await world.backend.ask({ makeId: id }));
  await sample(waitInJourney, insert, 10, busy);
  const figures = [
    figure(
      'Helium → Journey, a change every 20 to 150 ms',
      await sample(waitInJourney, insert, samples, busy),
      pushGoal,
      peer.busy,
    ),
    figure(
      'Helium → Journey, after 2 s of idle time',
      await sample(waitInJourney, insert, few, rare),
      pushGoal,
      peer.rare,
    ),
    figure(
      'Journey → Helium, at any moment of the second',
      await sample(waitInHelium, edit, few, rare),
      pollGoal,
      peer.rare,
    ),
  ];
  const server = await world.startServerForWebhooks(service);
  await sample(waitInHelium, edit, 10, rare);
  figures.push(
    figure(
      'Journey → Helium with webhooks, after 2 s of idle time',
      await sample(waitInHelium, edit, few, rare),
      webhookGoal,
      peer.rare,
    ),
  );
  await server.stop();
  await service.stop();
  await world.stop();
  return figures;
}

function figure(what: string, ours: readonly number[], goal: Goal, peer: readonly number[]): Figure {
  const formatPair = (p50: number, p99: number) => `${count(p50)} / ${count(p99)} ms`;
  const getPercentiles = (values: readonly number[]) => [percentile(values, 50), percentile(values, 99)] as const;
  const [p50, p99] = getPercentiles(ours);
  return {
    what: `${what}, p50 / p99 of ${ours.length}`,
    ours: formatPair(p50, p99),
    peer: formatPair(...getPercentiles(peer)),
    goal: `≤ ${formatPair(goal.p50Ms, goal.p99Ms)}`,
    met: p50 <= goal.p50Ms && p99 <= goal.p99Ms,
  };
}

/** Resolves when the row with this id is committed, with the time of the notification. */
type WaitForRow = (id: string) => Promise<number>;

/** The server notifies at the commit of a row, because polling would add to the measured time. */
export async function watchFor(client: pg.Client, table: string, column: string): Promise<WaitForRow> {
  const functionName = `bench_notify_${table.replace('.', '_')}`;
  await client.query(
    `create function public.${functionName}() returns trigger language plpgsql as
       $$ begin perform pg_notify('bench', new.${column}::text); return null; end $$;
     create trigger ${functionName} after insert on ${table} for each row execute function public.${functionName}();
     alter table ${table} enable always trigger ${functionName}; listen bench`,
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

/** Returns the milliseconds from each change's commit to its arrival. */
export async function sample(
  waitForRow: WaitForRow,
  change: (id: string) => Promise<void>,
  times: number,
  pause: PauseRange,
): Promise<number[]> {
  const durationsMs: number[] = [];
  for (let at = 0; at < times; at += 1) {
    await new Promise((go) => setTimeout(go, pause.minMs + Math.random() * (pause.maxMs - pause.minMs)));
    const id = randomUUID();
    const arrived = waitForRow(id);
    await change(id);
    const committedMs = performance.now();
    durationsMs.push((await arrived) - committedMs);
  }
  return durationsMs;
}
