import { Refused } from '@portal/kit/problems';
import pg from 'pg';
import { toUnreachable } from '../connection-errors.ts';
import type { HeliumDatabase } from '../database.ts';
import type { Transaction } from '../transaction.ts';
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
    await database.transaction({ lockTimeoutMs: 1_000 }, async (transaction) => {
      const types = await readResetTypes(transaction);
      await transaction.query(`select ${reset}(${types.map((type) => `'0'::${type}`).join(', ')})`);
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (error.code !== '42501') throw toUnreachable(database.name, error);
    const grant = `GRANT EXECUTE ON FUNCTION ${reset} TO ${pg.escapeIdentifier(user)};`;
    throw new Refused(`The user ${user} cannot reset the statistics of ${database.name}. To allow it, run: ${grant}`, {
      cause: error,
    });
  }
}

/**
 * Returns the types of all parameters of the extension's own function, zeros for which reset
 * everything. A call without them fails when someone else created a function without parameters in
 * the same schema.
 */
async function readResetTypes({ query }: Transaction): Promise<string[]> {
  const [found] = await query<{ types: string[] }>(
    `select array(select format_type(a.type, null) from unnest(p.proargtypes::oid[]) with ordinality as a (type, at)
       order by a.at) as types
     from pg_extension e join pg_depend d on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid and d.deptype = 'e'
     join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
     where e.extname = 'pg_stat_statements' and p.proname = 'pg_stat_statements_reset'`,
  );
  return found?.types ?? [];
}
