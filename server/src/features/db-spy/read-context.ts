import type { StatsContext, StatsRange } from '@portal/contract/db-spy';
import type { Pool } from '@portal/kit/postgres/pool';
import { explainRefusal } from '@portal/platforms/helium-database/statistics/explain-statement';
import { findMissing, findObstacle } from '@portal/platforms/helium-database/statistics/missing-statistics';
import { getStoredColumns } from '@portal/platforms/helium-database/statistics/statement-columns';
import {
  readStatisticsServer,
  type StatisticsServer,
} from '@portal/platforms/helium-database/statistics/statistics-server';
import { findRecordedReset } from './reset/resets.store.ts';
import { getRangeBeginning, resolveRangeStart } from './snapshots/range-start.ts';
import { findSnapshot } from './snapshots/snapshots.store.ts';
import { readInfo } from './statistics-state.ts';
import type { StatisticsTarget } from './statistics-target.ts';

/** Describes what the target's statistics cover and what is missing. */
export async function readContext(
  pool: Pool,
  target: StatisticsTarget,
  range: StatsRange,
  now: Date,
): Promise<StatsContext> {
  const { database, dataSource, rule } = target;
  const { hostname, dbName } = dataSource;
  const server = await readStatisticsServer(database);
  const { extension } = server;
  const isAvailable = extension !== null && findObstacle(database.name, server) === undefined;
  const { lastReset, dropped } = isAvailable
    ? await readInfo(pool, database, { extension }, hostname)
    : { lastReset: await findRecordedReset(pool, hostname), dropped: null };
  return {
    dataSource: database.name,
    hostname,
    dbName,
    serverVersion: server.version,
    extensionVersion: extension?.version ?? null,
    rule,
    lastReset: lastReset?.toISOString() ?? null,
    range: await readStart(pool, target, range, { lastReset, startedAt: server.startedAt }, now),
    columns: isAvailable ? getStoredColumns(server, extension) : [],
    missing: findMissing(database.name, server, { dropped }),
    explainRefusal: explainRefusal(server),
  };
}

async function readStart(
  pool: Pool,
  { environment, database }: StatisticsTarget,
  range: StatsRange,
  state: { readonly lastReset: Date | null } & Pick<StatisticsServer, 'startedAt'>,
  now: Date,
): Promise<StatsContext['range']> {
  if (range === 'reset') return { from: null, notes: [] };
  const beginning = getRangeBeginning(range, now);
  const found = await findSnapshot(pool, { environment, dataSource: database.name }, beginning);
  const { from, notes } = resolveRangeStart(beginning, found, state);
  return { from: from?.toISOString() ?? null, notes };
}
