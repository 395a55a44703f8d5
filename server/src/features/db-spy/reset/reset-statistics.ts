import type { LastReset } from '@portal/contract/db-spy';
import { Invalid, NotFound, Problem, Unreachable } from '@portal/kit/problems';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { resetStatistics as resetServer } from '@portal/platforms/helium-database/statistics/statistics-reset';
import { outcomeOf } from '../../../audit/audit-trail.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Caller } from '../../../session/caller.ts';
import type { Source } from '../snapshots/snapshots.store.ts';
import { takeSnapshot } from '../snapshots/take-snapshot.ts';
import { readInfo, requireStatistics } from '../statistics-state.ts';
import type { DataSource } from '../statistics-target.ts';
import { recordReset } from './resets.store.ts';

type Needed = Pick<Dependencies, 'pool' | 'permissions' | 'audit' | 'locks' | 'environments' | 'appDatabases'>;

interface OnServer {
  readonly source: Source;
  readonly dataSource: DataSource;
  readonly database: HeliumDatabase;
}

/**
 * Resets the statistics of a whole server, after a last snapshot of each of its data sources: where
 * one cannot be kept, nothing is reset. Throws Invalid for a server that holds no data source of
 * the caller's environment.
 */
export async function resetStatistics(
  dependencies: Needed,
  caller: Caller,
  hostname: string,
  now: Date,
): Promise<LastReset> {
  const { pool, permissions, audit, locks } = dependencies;
  await permissions.require(caller, 'statistics.reset', hostname);
  if (!caller.environment.dataSources.some((dataSource) => dataSource.hostname === hostname))
    throw new Invalid(`There is no data source on ${hostname} in ${caller.environment.name}.`);
  const onServer = findOnServer(dependencies, hostname);
  const deed = {
    action: 'statistics.reset',
    resource: hostname,
    resourceName: hostname,
    description: `Statement statistics of ${hostname} reset`,
  } as const;
  let before: Date | null = null;
  try {
    return await locks.run(`statistics of ${hostname}`, async () => {
      const able = await findAble(onServer);
      before = (await readInfo(pool, able.database, able, hostname)).lastReset;
      await archive(dependencies, onServer, now);
      await resetServer(able.database, able.server, able.extension);
      await recordReset(pool, hostname, new Date(), caller.username);
      const { lastReset } = await readInfo(pool, able.database, able, hostname);
      await audit.write(caller, { ...deed, before: { lastReset: before }, after: { lastReset }, outcome: 'done' });
      return { databaseHost: hostname, lastReset: lastReset?.toISOString() ?? null };
    });
  } catch (error) {
    await audit.write(caller, { ...deed, before: { lastReset: before }, ...outcomeOf(error) });
    throw error;
  }
}

/** Of all environments: a server forgets the statements of every database it has. */
function findOnServer({ environments, appDatabases }: Needed, hostname: string): OnServer[] {
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
 * One that has the extension: its function resets the whole server. Throws what keeps the first
 * when none has it.
 */
async function findAble(onServer: readonly OnServer[]) {
  const answers = await Promise.allSettled(
    onServer.map(async ({ database, dataSource }) => ({
      database,
      ...(await requireStatistics(database, dataSource)),
    })),
  );
  const able = answers.find((answer) => answer.status === 'fulfilled');
  if (able) return able.value;
  const problem = answers.find((answer) => answer.status === 'rejected')?.reason;
  throw problem ?? new NotFound('There is no data source on this server.');
}

async function archive({ pool }: Needed, onServer: readonly OnServer[], takenAt: Date): Promise<void> {
  const taken = onServer.map(async ({ source, database }) => {
    try {
      await takeSnapshot(pool, source, database, { kind: 'before reset', takenAt });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const timedOut = error.status === 504;
      throw new Unreachable(
        `Nothing was reset: what ${database.name} has counted could not be kept. ${error.message}`,
        {
          cause: error,
          timedOut,
        },
      );
    }
  });
  // All of them settle before one is told, so that none is still being kept when the next reset
  // comes.
  const failed = (await Promise.allSettled(taken)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
