/** Measures the sync in turn with others of its kind, on the same machine, with the same rows. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { count, type Figure, median } from '../figures.ts';
import { insertVisit, insertVisits } from './app-schema.ts';
import { type Bucardo, hasBucardo, startBucardo } from './bucardo.ts';
import { type CatchUpResult, catchUpBothWays, Measured, toRateFigure } from './catch-up.ts';
import type { Clusters } from './clusters.ts';
import { rare, sample, watchFor } from './latency.ts';
import { replicateInPouch } from './pouchdb.ts';
import { createSyncWorld, waitUntil } from './sync-world.ts';

const bucardoGoal = 1.1;
const pouchGoal = 2.5;
/** Of Bucardo's latency. */
const latencyGoal = 1 / 20;

export interface PeersOptions {
  readonly rows: number;
  readonly rounds: number;
  /** Number of latency samples, of which a fifth is taken here. */
  readonly samples: number;
}

/** The result of one backlog of a peer. */
interface PeerResult {
  readonly ms: number;
  /** Of all its processes. */
  readonly cpuSeconds: number;
}

/** In milliseconds, from the commit of a change to its arrival, by direction. */
interface Latencies {
  readonly there: readonly number[];
  readonly back: readonly number[];
}

export async function measurePeers(clusters: Clusters, options: PeersOptions): Promise<Figure[]> {
  const { rows, rounds } = options;
  const samples = Math.ceil(options.samples / 5);
  const isInstalled = hasBucardo();
  const own = new Measured();
  const pouch: PeerResult[] = [];
  const bucardo = { there: [] as PeerResult[], back: [] as PeerResult[] };
  let bucardoLatencies: Latencies | undefined;
  for (let round = 0; round < rounds; round += 1) {
    pouch.push(await replicateInPouch(rows));
    if (isInstalled) {
      const folder = join(clusters.folder, `bucardo_${round}`);
      mkdirSync(folder);
      const peer = await startBucardo(folder);
      const [one, other] = peer.sides;
      bucardo.there.push(await catchUpInBucardo(peer, one, other, { from: 1, rows }));
      bucardo.back.push(await catchUpInBucardo(peer, other, one, { from: rows + 1, rows }));
      if (round === rounds - 1) bucardoLatencies = await sampleBucardo(peer, samples);
      await peer.stop();
    }
    const world = await createSyncWorld(clusters, { name: `peers_${round}`, isInMemory: true });
    await catchUpBothWays(clusters, world, { rows, rounds, serviceFlags: [] }, own);
    await world.stop();
  }
  const ways = [
    { named: 'Helium → Journey in memory', ours: own.toJourney, bucardo: bucardo.there },
    { named: 'Journey in memory → Helium', ours: own.toHelium, bucardo: bucardo.back },
  ];
  return [
    ...ways.flatMap((way) => [
      ...(isInstalled ? compare(way.named, 'Bucardo', way.ours, way.bucardo, rows, bucardoGoal) : []),
      ...compare(way.named, 'PouchDB', way.ours, pouch, rows, pouchGoal),
    ]),
    ...(bucardoLatencies ? compareLatencies(await sampleOwn(clusters, samples), bucardoLatencies) : []),
  ];
}

function compare(
  named: string,
  peer: string,
  ours: readonly CatchUpResult[],
  theirs: readonly PeerResult[],
  rows: number,
  goal: number,
): Figure[] {
  const toMicros = (seconds: readonly number[]) => (median(seconds) / rows) * 1e6;
  const [own, other] = [
    toMicros(ours.map(({ cpu }) => cpu.service + cpu.simulator + cpu.source)),
    toMicros(theirs.map(({ cpuSeconds }) => cpuSeconds)),
  ];
  const peerMs = theirs.map(({ ms }) => ms);
  return [
    toRateFigure(`${named}, beside ${peer}`, ours, peerMs, rows, goal),
    {
      what: `${named}, beside ${peer}: CPU time per row of all processes`,
      ours: `${count(own)} µs`,
      peer: `${count(other)} µs`,
      ratio: own / other,
    },
  ];
}

function compareLatencies(ours: Latencies, theirs: Latencies): Figure[] {
  const ways = [
    { named: 'Helium → Journey', key: 'there' },
    { named: 'Journey → Helium with webhooks', key: 'back' },
  ] as const;
  return ways.map(({ named, key }) => {
    const [own, other] = [median(ours[key]), median(theirs[key])];
    return {
      what: `${named}, beside Bucardo: a change after 2 s of idle time, p50 of ${ours[key].length}`,
      ours: `${count(own)} ms`,
      peer: `${count(other)} ms`,
      ratio: own / other,
      goal: `≤ ${latencyGoal}`,
      met: own / other <= latencyGoal,
    };
  });
}

/** Writes rows on one side, and measures from the start of their replication. */
async function catchUpInBucardo(
  peer: Bucardo,
  side: pg.Client,
  other: pg.Client,
  { from, rows }: { readonly from: number; readonly rows: number },
): Promise<PeerResult> {
  await insertVisits(side, 'visit', { from, rows });
  const cpuBefore = await peer.cpuSeconds();
  const startedAt = performance.now();
  peer.kick();
  await waitUntil(
    async () => (await other.query(`select from visit having count(*) >= ${from - 1 + rows}`)).rowCount === 1,
    50,
  );
  const ms = performance.now() - startedAt;
  return { ms, cpuSeconds: (await peer.cpuSeconds()) - cpuBefore };
}

async function sampleBucardo(peer: Bucardo, samples: number): Promise<Latencies> {
  await peer.kickAtEachChange();
  const [one, other] = peer.sides;
  const [arrivesInOther, arrivesInOne] = [await watchFor(other, 'visit', '_id_'), await watchFor(one, 'visit', '_id_')];
  return {
    there: await sample(arrivesInOther, (id) => insertVisit(one, 'visit', id), samples, rare),
    back: await sample(arrivesInOne, (id) => insertVisit(other, 'visit', id), samples, rare),
  };
}

/** With the simulator, whose database notifies of a change at its commit. */
async function sampleOwn(clusters: Clusters, samples: number): Promise<Latencies> {
  const world = await createSyncWorld(clusters, { name: 'peers_latency' });
  const arrivesInJourney = await watchFor(world.journey, 'op_log', 'id');
  const arrivesInHelium = await watchFor(world.helium, world.table, '_id_');
  const service = await world.startService();
  await world.waitUntilLive();
  const server = await world.startServerForWebhooks(service);
  const insert = (id: string) => insertVisit(world.helium, world.table, id);
  const edit = async (id: string) => void (await world.backend.ask({ makeId: id }));
  await sample(arrivesInJourney, insert, 10, rare);
  await sample(arrivesInHelium, edit, 10, rare);
  const latencies = {
    there: await sample(arrivesInJourney, insert, samples, rare),
    back: await sample(arrivesInHelium, edit, samples, rare),
  };
  await server.stop();
  await service.stop();
  await world.stop();
  return latencies;
}
