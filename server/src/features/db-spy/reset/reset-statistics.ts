import type { LastReset } from '@portal/contract/db-spy';
import type { Pool } from '@portal/kit/postgres/pool';
import { NotFound, Problem, Unreachable } from '@portal/kit/problems';
import { resetStatistics as resetServer } from '@portal/platforms/helium-database/statistics/statistics-reset';
import type { Noted } from '../../../access/enforcer.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Caller } from '../../../session/caller.ts';
import { takeSnapshot } from '../snapshots/take-snapshot.ts';
import { readInfo, requireStatistics } from '../statistics-state.ts';
import type { DatabaseHost, HostedDatabase } from './database-host.ts';
import { saveReset } from './resets.store.ts';

/** The call that resets the statistics of a server. */
interface ResetCall {
  readonly caller: Caller;
  readonly databaseHost: DatabaseHost;
  readonly noted: Noted;
}

/**
 * Resets the statistics of a whole server after taking a final snapshot of each data source; if a
 * snapshot fails, nothing is reset.
 */
export async function resetStatistics(
  { pool, locks }: Pick<Dependencies, 'pool' | 'locks'>,
  { caller, databaseHost: { hostname, databases }, noted }: ResetCall,
  now: Date,
): Promise<LastReset> {
  noted.description = `Statement statistics of ${hostname} reset`;
  noted.before = { lastReset: null };
  return locks.run(`statistics of ${hostname}`, async () => {
    const source = await findStatisticsSource(databases);
    noted.before = { lastReset: (await readInfo(pool, source.database, source, hostname)).lastReset };
    await archiveCounters(pool, databases, now);
    await resetServer(source.database, source.server, source.extension);
    await saveReset(pool, hostname, new Date(), caller.username);
    const { lastReset } = await readInfo(pool, source.database, source, hostname);
    noted.after = { lastReset };
    return { databaseHost: hostname, lastReset: lastReset?.toISOString() ?? null };
  });
}

/**
 * Finds one database with the extension; its reset function covers the whole server. Throws the
 * first error if there is none.
 */
async function findStatisticsSource(databases: readonly HostedDatabase[]) {
  const results = await Promise.allSettled(
    databases.map(async ({ database, dataSource }) => ({
      database,
      ...(await requireStatistics(database, dataSource)),
    })),
  );
  const source = results.find((result) => result.status === 'fulfilled');
  if (source) return source.value;
  const problem = results.find((result) => result.status === 'rejected')?.reason;
  throw problem ?? new NotFound('There is no data source on this server.');
}

async function archiveCounters(pool: Pool, databases: readonly HostedDatabase[], takenAt: Date): Promise<void> {
  const snapshots = databases.map(async ({ source, database }) => {
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
