/**
 * Measures how fast a backlog is synced in each direction, compared with native logical
 * replication, and where the time goes.
 */
import { getTreeUsage } from '@portal/e2e/processes';
import { count, type Figure, median } from '../figures.ts';
import { insertVisits } from './app-schema.ts';
import { measureBaselineJourney } from './baseline-journey.ts';
import type { Clusters } from './clusters.ts';
import { createNativeReplication } from './native-replication.ts';
import { createSyncWorld, type SyncWorld, waitUntil } from './sync-world.ts';

const fullPage = 1000;
const fullGoal = 0.95;

export interface CatchUpOptions {
  readonly rows: number;
  readonly rounds: number;
  /** For the service's process, e.g. `--cpu-prof`. */
  readonly serviceFlags: readonly string[];
}

/** The result of one catch-up. */
export interface CatchUpResult {
  readonly ms: number;
  /** From the start of the service to the first record. */
  readonly firstMs: number;
  /** CPU time per process, in seconds. */
  readonly cpu: Readonly<Record<'service' | 'simulator' | 'source' | 'target', number>>;
}

/** What is measured in each round, by Journey's side. */
const sides = [
  { named: '', databases: 'catch_up', isInMemory: false, goal: 0.5 },
  { named: ', Journey in memory', databases: 'in_memory', isInMemory: true, goal: 0.15 },
] as const;

/** One result per round. */
export class Measured {
  readonly toJourney: CatchUpResult[] = [];
  readonly toHelium: CatchUpResult[] = [];
  /** Operations in a batch. */
  readonly perBatch: number[] = [];
}

export async function measureCatchUp(clusters: Clusters, options: CatchUpOptions): Promise<Figure[]> {
  const { rows, rounds } = options;
  const native: number[] = [];
  const measured = sides.map((side) => ({ ...side, results: new Measured() }));
  for (let round = 0; round < rounds; round += 1) {
    native.push(await catchUpNatively(clusters, `catch_up_${round}`, rows));
    for (const { databases, isInMemory, results } of measured) {
      const name = `${databases}_${round}`;
      const world = await createSyncWorld(clusters, { name, isInMemory });
      await catchUpBothWays(clusters, world, options, results);
      await world.stop();
    }
  }
  const baseline = await measureBaselineJourney(clusters, rows);
  return [
    ...measured.flatMap(({ named, goal, results: { toJourney, toHelium, perBatch } }) => [
      toRateFigure(`Helium → Journey${named}`, toJourney, native, rows, goal),
      ...cpuFigures(`Helium → Journey${named}`, toJourney, rows),
      { what: `operations per batch under backlog${named}`, ...toBatchFigure(perBatch) },
      toRateFigure(`Journey → Helium${named}`, toHelium, native, rows, goal),
      ...cpuFigures(`Journey → Helium${named}`, toHelium, rows),
    ]),
    { what: 'simulator only: batches of 1,000 puts, rows/s', ours: count(baseline.putsPerSecond) },
    { what: 'simulator only: pages of 1,000 op-log entries, rows/s', ours: count(baseline.entriesPerSecond) },
  ];
}

export async function catchUpBothWays(
  clusters: Clusters,
  world: SyncWorld,
  { rows, serviceFlags }: CatchUpOptions,
  { toJourney, toHelium, perBatch }: Measured,
): Promise<void> {
  const firstRun = await world.startService();
  await world.waitUntilLive();
  await firstRun.stop();
  await insertVisits(world.helium, world.table, { rows });
  toJourney.push(await catchUp(clusters, world, serviceFlags, async () => (await world.opLogHead()) / rows));
  perBatch.push(await world.operationsPerBatch());
  await world.backend.ask({ make: rows });
  const before = await changeLogHead(world);
  toHelium.push(
    await catchUp(clusters, world, serviceFlags, async () => ((await changeLogHead(world)) - before) / rows),
  );
}

export function toRateFigure(
  what: string,
  measured: readonly CatchUpResult[],
  peerMs: readonly number[],
  rows: number,
  goal: number,
): Figure {
  const toRate = (ms: number) => (rows / ms) * 1000;
  const rates = measured.map(({ ms }) => toRate(ms));
  const portalRate = median(rates);
  const peerRate = median(peerMs.map(toRate));
  const ratio = portalRate / peerRate;
  return {
    what: `${what}, rows/s (slowest, fastest round)`,
    ours: `${count(portalRate)} (${count(Math.min(...rates))}, ${count(Math.max(...rates))})`,
    peer: count(peerRate),
    ratio,
    goal: `≥ ${goal}`,
    met: ratio >= goal,
  };
}

function toBatchFigure(perBatch: readonly number[]): Pick<Figure, 'ours' | 'goal' | 'met'> {
  const share = median(perBatch) / fullPage;
  return { ours: `${(share * 100).toFixed(1)} % full`, goal: `≥ ${fullGoal * 100} %`, met: share >= fullGoal };
}

function cpuFigures(what: string, measured: readonly CatchUpResult[], rows: number): Figure[] {
  const micros = (processName: keyof CatchUpResult['cpu']) =>
    count((median(measured.map(({ cpu }) => cpu[processName])) / rows) * 1e6);
  return [
    {
      what: `${what}, first record after the service is ready`,
      ours: `${count(median(measured.map((m) => m.firstMs)))} ms`,
    },
    {
      what: `${what}, CPU time per row: service, Journey, Helium's PostgreSQL, Journey's PostgreSQL`,
      ours: `${micros('service')}, ${micros('simulator')}, ${micros('source')}, ${micros('target')} µs`,
    },
  ];
}

/** Starts the service and waits until all records have arrived. */
async function catchUp(
  clusters: Clusters,
  world: SyncWorld,
  flags: readonly string[],
  share: () => Promise<number>,
): Promise<CatchUpResult> {
  const service = await world.startService(flags);
  const readCpuSeconds = async () => ({
    service: getTreeUsage(service.pid).cpuSeconds,
    simulator: getTreeUsage(world.backend.pid).cpuSeconds,
    source: await clusters.cpuSeconds(clusters.source),
    target: await clusters.cpuSeconds(clusters.target),
  });
  const before = await readCpuSeconds();
  const from = performance.now();
  const began = await share();
  await waitUntil(async () => (await share()) > began, 10);
  const firstMs = performance.now() - from;
  await waitUntil(async () => (await share()) >= 1, 50);
  const ms = performance.now() - from;
  const after = await readCpuSeconds();
  await waitUntil(async () => {
    const { rows } = await world.helium.query(
      `select not exists (select from __portal_sync__.intent) and change_log_cursor >=
         (select max(seq) from ${world.table.replace('visit', '__he_sync_obj_change__')}) as done from __portal_sync__.run`,
    );
    return rows[0]?.done === true;
  }, 200);
  await service.stop();
  return {
    ms,
    firstMs,
    cpu: {
      service: after.service - before.service,
      simulator: after.simulator - before.simulator,
      source: after.source - before.source,
      target: after.target - before.target,
    },
  };
}

/**
 * The sequence grows by one per written row; counting the rows would take the server longer than
 * writing them.
 */
async function changeLogHead({ helium, table }: SyncWorld): Promise<number> {
  const log = table.replace('visit', '__he_sync_obj_change__');
  const { rows } = await helium.query(`select coalesce(max(seq), 0)::int as head from ${log}`);
  return rows[0]?.head ?? 0;
}

/** Returns the milliseconds from enabling the subscription until all rows have arrived. */
async function catchUpNatively(clusters: Clusters, name: string, rows: number): Promise<number> {
  const native = await createNativeReplication(clusters, name);
  await insertVisits(native.source, 'visit', { rows });
  const from = performance.now();
  await native.enable();
  await waitUntil(
    async () => (await native.target.query(`select from visit having count(*) >= ${rows}`)).rowCount === 1,
    10,
  );
  const ms = performance.now() - from;
  await native.stop();
  return ms;
}
