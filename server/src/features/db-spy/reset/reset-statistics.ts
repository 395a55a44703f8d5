import type { LastReset } from '@portal/contract/db-spy';
import { Invalid, NotFound, Problem, Unreachable } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { resetStatistics as resetServer } from '@portal/platforms/helium-database/statistics/statistics-reset';
import { toOutcome } from '../../../audit/audit-trail.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Caller } from '../../../session/caller.ts';
import type { Source } from '../snapshots/snapshots.store.ts';
import { takeSnapshot } from '../snapshots/take-snapshot.ts';
import { readInfo, requireStatistics } from '../statistics-state.ts';
import type { DataSource } from '../statistics-target.ts';
import { recordReset } from './resets.store.ts';

type ResetDependencies = Pick<
  Dependencies,
  'pool' | 'permissions' | 'audit' | 'locks' | 'environments' | 'appDatabases'
>;

interface ServerDatabase {
  readonly source: Source;
  readonly dataSource: DataSource;
  readonly database: HeliumDatabase;
}

/**
 * Resets the statistics of a whole server after taking a final snapshot of each data source; if a
 * snapshot fails, nothing is reset. Throws Invalid if the server has no data source of the caller's
 * environment.
 */
export async function resetStatistics(
  dependencies: ResetDependencies,
  caller: Caller,
  hostname: string,
  now: Date,
): Promise<LastReset> {
  const { pool, permissions, audit, locks } = dependencies;
  await permissions.require(caller, 'statistics.reset', { resource: hostname });
  if (!caller.environment.dataSources.some((dataSource) => dataSource.hostname === hostname))
    throw new Invalid(`There is no data source on ${shortenValue(hostname)} in ${caller.environment.name}.`);
  const serverDatabases = findServerDatabases(dependencies, hostname);
  const auditEntry = {
    action: 'statistics.reset',
    resource: hostname,
    resourceName: hostname,
    description: `Statement statistics of ${hostname} reset`,
  } as const;
  let before: Date | null = null;
  try {
    return await locks.run(`statistics of ${hostname}`, async () => {
      const source = await findStatisticsSource(serverDatabases);
      before = (await readInfo(pool, source.database, source, hostname)).lastReset;
      await archiveCounters(dependencies, serverDatabases, now);
      await resetServer(source.database, source.server, source.extension);
      await recordReset(pool, hostname, new Date(), caller.username);
      const { lastReset } = await readInfo(pool, source.database, source, hostname);
      await audit.write(caller, {
        ...auditEntry,
        before: { lastReset: before },
        after: { lastReset },
        outcome: 'done',
      });
      return { databaseHost: hostname, lastReset: lastReset?.toISOString() ?? null };
    });
  } catch (error) {
    await audit.write(caller, { ...auditEntry, before: { lastReset: before }, ...toOutcome(error) });
    throw error;
  }
}

/**
 * Covers all environments, because a reset clears the statistics of every database on the server.
 */
function findServerDatabases({ environments, appDatabases }: ResetDependencies, hostname: string): ServerDatabase[] {
  return environments.all.flatMap((environment) =>
    environment.dataSources
      .filter((dataSource) => dataSource.hostname === hostname)
      .map((dataSource) => ({
        source: { environment: environment.name, dataSource: dataSource.heliumDataSourceName },
        dataSource,
        database: appDatabases.require(environment, dataSource.heliumDataSourceName),
      })),
  );
}

/**
 * Finds one database with the extension; its reset function covers the whole server. Throws the
 * first error if there is none.
 */
async function findStatisticsSource(serverDatabases: readonly ServerDatabase[]) {
  const results = await Promise.allSettled(
    serverDatabases.map(async ({ database, dataSource }) => ({
      database,
      ...(await requireStatistics(database, dataSource)),
    })),
  );
  const source = results.find((result) => result.status === 'fulfilled');
  if (source) return source.value;
  const problem = results.find((result) => result.status === 'rejected')?.reason;
  throw problem ?? new NotFound('There is no data source on this server.');
}

async function archiveCounters(
  { pool }: ResetDependencies,
  serverDatabases: readonly ServerDatabase[],
  takenAt: Date,
): Promise<void> {
  const snapshots = serverDatabases.map(async ({ source, database }) => {
    try {
      await takeSnapshot(pool, source, database, { kind: 'before reset', takenAt });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const timedOut = error.status === 504;
      throw new Unreachable(
        `Nothing was reset, because the statistics of ${database.name} could not be saved. ${error.message}`,
        {
          cause: error,
          timedOut,
        },
      );
    }
  });
  // All snapshots settle before the first error is thrown, so that none is still running when the
  // next reset starts.
  const failed = (await Promise.allSettled(snapshots)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
