import type { Pool } from '@portal/kit/postgres/pool';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { readCounters } from '@portal/platforms/helium-database/statistics/counters-snapshot';
import { findObstacle } from '@portal/platforms/helium-database/statistics/missing-statistics';
import { readStatisticsInfo } from '@portal/platforms/helium-database/statistics/statistics-reset';
import { readStatisticsServer } from '@portal/platforms/helium-database/statistics/statistics-server';
import { packNumbers } from './snapshot-numbers.ts';
import { addSnapshot, type NewSnapshot, type Source } from './snapshots.store.ts';

/** Saves the current counters of a data source. Returns false if it collects no statistics. */
export async function takeSnapshot(
  pool: Pool,
  source: Source,
  database: HeliumDatabase,
  { kind, takenAt }: Pick<NewSnapshot, 'kind' | 'takenAt'>,
): Promise<boolean> {
  const server = await readStatisticsServer(database);
  const { extension } = server;
  if (!extension || findObstacle(database.name, server)) return false;
  const [info, counters] = await Promise.all([
    readStatisticsInfo(database, extension),
    readCounters(database, server, extension),
  ]);
  const numbers = await packNumbers(counters);
  const { startedAt: serverStartedAt } = server;
  await addSnapshot(pool, source, { takenAt, kind, statsReset: info.lastReset, serverStartedAt, numbers });
  return true;
}
