/**
 * How fast a backlog is carried over, each way, beside native logical replication; and where the
 * time goes.
 */
import { usageOfTree } from '@portal/e2e/processes';
import { count, type Figure, median } from '../figures.ts';
import { insertVisits } from './app-schema.ts';
import { measureBareJourney } from './bare-journey.ts';
import type { Clusters } from './clusters.ts';
import { createNativeReplication } from './native-replication.ts';
import { createSyncWorld, type SyncWorld, until } from './sync-world.ts';

const goal = 0.5;
const fullPage = 1000;
const fullGoal = 0.95;

export interface CatchUpOptions {
  readonly rows: number;
  readonly rounds: number;
  /** For the service's process, e.g. `--cpu-prof`. */
  readonly serviceFlags: readonly string[];
}

/** Of one catch-up. */
interface CaughtUp {
  readonly ms: number;
  /** From the service serving to the first record. */
  readonly firstMs: number;
  /** Processor time by who used it, in seconds. */
  readonly cpu: Readonly<Record<'service' | 'simulator' | 'source' | 'target', number>>;
}

export async function measureCatchUp(clusters: Clusters, options: CatchUpOptions): Promise<Figure[]> {
  const { rows, rounds, serviceFlags } = options;
  const native: number[] = [];
  const ours: Record<'toJourney' | 'toHelium', CaughtUp[]> = { toJourney: [], toHelium: [] };
  const full: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    native.push(await catchUpNatively(clusters, `catch_up_${round}`, rows));
    const world = await createSyncWorld(clusters, { name: `catch_up_${round}` });
    const begun = await world.startService();
    await world.untilLive();
    await begun.stop();
    await insertVisits(world.helium, world.table, { rows });
    ours.toJourney.push(await catchUp(clusters, world, serviceFlags, async () => (await world.opLogHead()) / rows));
    full.push(await fullness(world));
    await world.backend.ask({ make: rows });
    const before = await changeLogHead(world);
    ours.toHelium.push(
      await catchUp(clusters, world, serviceFlags, async () => ((await changeLogHead(world)) - before) / rows),
    );
    await world.stop();
  }
  const bare = await measureBareJourney(clusters, rows);
  const rate = (ms: readonly number[]) => (rows / median(ms)) * 1000;
  const way = (what: string, measured: readonly CaughtUp[]): Figure => {
    const mine = rate(measured.map(({ ms }) => ms));
    const ratio = mine / rate(native);
    return {
      what: `${what}, rows/s`,
      ours: count(mine),
      peer: count(rate(native)),
      ratio,
      goal: `≥ ${goal}`,
      met: ratio >= goal,
    };
  };
  return [
    way('Helium → Journey', ours.toJourney),
    ...cpuFigures('Helium → Journey', ours.toJourney, rows),
    { what: 'operations per batch under backlog', ...ofBatches(full) },
    way('Journey → Helium', ours.toHelium),
    ...cpuFigures('Journey → Helium', ours.toHelium, rows),
    { what: 'simulator alone: batches of 1,000 puts, rows/s', ours: count(bare.putsPerSecond) },
    { what: 'simulator alone: pages of 1,000 op-log entries, rows/s', ours: count(bare.entriesPerSecond) },
  ];
}

function ofBatches(full: readonly number[]): Pick<Figure, 'ours' | 'goal' | 'met'> {
  const share = median(full);
  return { ours: `${(share * 100).toFixed(1)} % full`, goal: `≥ ${fullGoal * 100} %`, met: share >= fullGoal };
}

function cpuFigures(what: string, measured: readonly CaughtUp[], rows: number): Figure[] {
  const micros = (who: keyof CaughtUp['cpu']) => count((median(measured.map(({ cpu }) => cpu[who])) / rows) * 1e6);
  return [
    {
      what: `${what}, first record after the service serves`,
      ours: `${count(median(measured.map((m) => m.firstMs)))} ms`,
    },
    {
      what: `${what}, processor time a row: service, simulator, Helium's PostgreSQL, Journey's PostgreSQL`,
      ours: `${micros('service')}, ${micros('simulator')}, ${micros('source')}, ${micros('target')} µs`,
    },
  ];
}

/** Starts the service and waits until all is there. */
async function catchUp(
  clusters: Clusters,
  world: SyncWorld,
  flags: readonly string[],
  share: () => Promise<number>,
): Promise<CaughtUp> {
  const service = await world.startService(flags);
  const used = async () => ({
    service: usageOfTree(service.pid).cpuSeconds,
    simulator: usageOfTree(world.backend.pid).cpuSeconds,
    source: await clusters.cpuSeconds(clusters.source),
    target: await clusters.cpuSeconds(clusters.target),
  });
  const before = await used();
  const from = performance.now();
  const began = await share();
  await until(async () => (await share()) > began, 10);
  const firstMs = performance.now() - from;
  await until(async () => (await share()) >= 1, 50);
  const ms = performance.now() - from;
  const after = await used();
  await until(async () => {
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
 * One number for each row that is written; to count the rows would take the server more time than
 * to write them.
 */
async function changeLogHead({ helium, table }: SyncWorld): Promise<number> {
  const log = table.replace('visit', '__he_sync_obj_change__');
  const { rows } = await helium.query(`select coalesce(max(seq), 0)::int as head from ${log}`);
  return rows[0]?.head ?? 0;
}

/** A batch is one transaction of the simulator's. */
async function fullness({ journey }: SyncWorld): Promise<number> {
  const { rows } = await journey.query(
    `select count(*) / count(distinct xmin::text)::float8 as each from op_log where origin = 'api'`,
  );
  return (rows[0]?.each ?? 0) / fullPage;
}

/** Milliseconds from enabling the subscription until all rows are there. */
async function catchUpNatively(clusters: Clusters, name: string, rows: number): Promise<number> {
  const native = await createNativeReplication(clusters, name);
  await insertVisits(native.source, 'visit', { rows });
  const from = performance.now();
  await native.enable();
  await until(
    async () => (await native.target.query(`select from visit having count(*) >= ${rows}`)).rowCount === 1,
    10,
  );
  const ms = performance.now() - from;
  await native.stop();
  return ms;
}
