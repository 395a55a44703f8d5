import type { LastReset } from '@portal/contract/db-spy';
import type { Pool } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { AppDatabases } from '../../../platform/app-databases.ts';
import type { ServedEnvironment } from '../../../platform/environments.ts';
import { readInfo, requireStatistics } from '../statistics-state.ts';
import type { DataSource } from '../statistics-target.ts';
import { findRecordedReset } from './resets.store.ts';

/**
 * Reads the last reset of each server of the environment in parallel. An unreachable server is
 * reported as such and delays the result by no more than its connection timeout. Ends with the
 * signal.
 */
export async function readLastResets(
  { pool, appDatabases }: { readonly pool: Pool; readonly appDatabases: AppDatabases },
  environment: ServedEnvironment,
  dataSources: readonly DataSource[],
  signal: AbortSignal,
): Promise<LastReset[]> {
  const hostnames = [...new Set(dataSources.map(({ hostname }) => hostname))];
  return Promise.all(
    hostnames.map((hostname) => {
      const onHost = dataSources.filter((dataSource) => dataSource.hostname === hostname);
      const candidates = onHost.map((dataSource) => ({
        dataSource,
        database: appDatabases.require(environment, dataSource.heliumDataSourceName).withSignal(signal),
      }));
      return readLastReset(pool, hostname, candidates);
    }),
  );
}

/** Uses the first of the server's databases that responds. */
async function readLastReset(
  pool: Pool,
  databaseHost: string,
  candidates: readonly { readonly dataSource: DataSource; readonly database: HeliumDatabase }[],
): Promise<LastReset> {
  try {
    const info = await Promise.any(
      candidates.map(async ({ dataSource, database }) =>
        readInfo(pool, database, await requireStatistics(database, dataSource), databaseHost),
      ),
    );
    return { databaseHost, lastReset: info.lastReset?.toISOString() ?? null };
  } catch (error) {
    const [first] = error instanceof AggregateError ? error.errors : [error];
    if (!(first instanceof Problem)) throw first;
    const recorded = await findRecordedReset(pool, databaseHost);
    return { databaseHost, lastReset: recorded?.toISOString() ?? null, problem: first.message };
  }
}
