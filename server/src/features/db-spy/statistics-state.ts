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

/** A server that can give statistics. */
export interface AbleServer {
  readonly server: StatisticsServer;
  readonly extension: StatisticsExtension;
}

/**
 * Throws NotFound, with what an administrator would run, where a server can give no statistics at
 * all.
 */
export async function requireStatistics(
  database: HeliumDatabase,
  { hostname, dbName }: Pick<DataSource, 'hostname' | 'dbName'>,
): Promise<AbleServer> {
  const server = await readStatisticsServer(database);
  const obstacle = findObstacle(database.name, server);
  if (server.extension && !obstacle) return { server, extension: server.extension };
  const remedy = obstacle?.remedy ? ` What mends it: ${obstacle.remedy}` : '';
  throw new NotFound(
    `No postgres statement stats found on ${hostname}/${dbName}. ${obstacle?.message ?? ''}${remedy}`,
    { title: 'Error getting stats!' },
  );
}

/**
 * What the server says of its statistics, and of the last reset what the portal recorded where the
 * server does not.
 */
export async function readInfo(
  pool: Pool,
  database: HeliumDatabase,
  { extension }: Pick<AbleServer, 'extension'>,
  hostname: string,
): Promise<StatisticsInfo> {
  const info = await readStatisticsInfo(database, extension);
  return info.lastReset ? info : { ...info, lastReset: await findRecordedReset(pool, hostname) };
}
