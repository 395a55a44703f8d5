import { Refused } from '@portal/kit/problems';
import pg from 'pg';
import type { HeliumDatabase } from '../database.ts';
import { unreachable } from '../outage.ts';
import type { StatisticsExtension, StatisticsServer } from './statistics-server.ts';

export interface StatisticsInfo {
  /** null where the server does not keep it. */
  readonly lastReset: Date | null;
  /**
   * How many times the least used statements were dropped to make room; null where the server does
   * not keep it.
   */
  readonly dropped: number | null;
}

/** What the server keeps of its statistics as a whole. */
export async function readStatisticsInfo(
  database: HeliumDatabase,
  { schemaName, hasInfo }: StatisticsExtension,
): Promise<StatisticsInfo> {
  if (!hasInfo) return { lastReset: null, dropped: null };
  const [info] = await database.query<StatisticsInfo & Record<string, unknown>>(
    `select stats_reset as "lastReset", dealloc::float8 as dropped
     from ${pg.escapeIdentifier(schemaName)}.pg_stat_statements_info`,
  );
  return info ?? { lastReset: null, dropped: null };
}

/**
 * Forgets the statements of the whole server. Throws Refused with the GRANT to run where the user
 * may not.
 */
export async function resetStatistics(
  database: HeliumDatabase,
  { user }: StatisticsServer,
  { schemaName }: StatisticsExtension,
): Promise<void> {
  const reset = `${pg.escapeIdentifier(schemaName)}.pg_stat_statements_reset`;
  try {
    await database.transaction({ lockTimeoutMs: 1_000 }, (transaction) => transaction.query(`select ${reset}()`));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (error.code !== '42501') throw unreachable(database.name, error);
    const grant = `GRANT EXECUTE ON FUNCTION ${reset} TO ${pg.escapeIdentifier(user)};`;
    throw new Refused(`The user ${user} may not reset the statistics of ${database.name}. What lets it: ${grant}`, {
      cause: error,
    });
  }
}
