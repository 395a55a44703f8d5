import type { Pool } from '@portal/kit/postgres/pool';
import { NotFound } from '@portal/kit/problems';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { findObstacle } from '@portal/platforms/helium-database/statistics/missing-statistics';
import { readStatisticsInfo, type StatisticsInfo } from '@portal/platforms/helium-database/statistics/statistics-reset';
import {
  readStatisticsServer,
  type StatisticsExtension,
  type StatisticsServer,
} from '@portal/platforms/helium-database/statistics/statistics-server';
import { findRecordedReset } from './reset/resets.store.ts';
import type { DataSource } from './statistics-target.ts';

/** A server that can provide statistics. */
export interface StatisticsSource {
  readonly server: StatisticsServer;
  readonly extension: StatisticsExtension;
}

/**
 * Throws NotFound, with the command an administrator would run, if the server cannot provide
 * statistics.
 */
export async function requireStatistics(
  database: HeliumDatabase,
  { hostname, dbName }: Pick<DataSource, 'hostname' | 'dbName'>,
): Promise<StatisticsSource> {
  const server = await readStatisticsServer(database);
  const obstacle = findObstacle(database.name, server);
  if (server.extension && !obstacle) return { server, extension: server.extension };
  const remedy = obstacle?.remedy ? ` To fix it: ${obstacle.remedy}` : '';
  throw new NotFound(
    `No postgres statement stats found on ${hostname}/${dbName}. ${obstacle?.message ?? ''}${remedy}`,
    { title: 'Error getting stats!' },
  );
}

/**
 * Reads the server's statistics information. The last reset falls back to the portal's own record.
 */
export async function readInfo(
  pool: Pool,
  database: HeliumDatabase,
  { extension }: Pick<StatisticsSource, 'extension'>,
  hostname: string,
): Promise<StatisticsInfo> {
  const info = await readStatisticsInfo(database, extension);
  return info.lastReset ? info : { ...info, lastReset: await findRecordedReset(pool, hostname) };
}
