import { Refused } from '@portal/kit/problems';
import pg from 'pg';
import { toUnreachable } from '../connection-errors.ts';
import type { HeliumDatabase } from '../database.ts';
import type { StatisticsExtension, StatisticsServer } from './statistics-server.ts';

export interface StatisticsInfo {
  /** Null when the server does not record it. */
  readonly lastReset: Date | null;
  /**
   * How often the least used statements were dropped to make room; null when the server does not
   * record it.
   */
  readonly dropped: number | null;
}

/** Returns what the server records about its statistics as a whole. */
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
 * Resets the statements of the whole server. Throws Refused with the required GRANT when the user
 * lacks permission.
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
    if (error.code !== '42501') throw toUnreachable(database.name, error);
    const grant = `GRANT EXECUTE ON FUNCTION ${reset} TO ${pg.escapeIdentifier(user)};`;
    throw new Refused(`The user ${user} cannot reset the statistics of ${database.name}. To allow it, run: ${grant}`, {
      cause: error,
    });
  }
}
