import type { Pool } from '@portal/kit/postgres/pool';
import { isContention } from './database-failures.ts';
import { findLockedLogs } from './locked-logs.ts';
import { changeLog, qualified, transactionLog } from './sql-names.ts';
import { findSequences } from './watch-queries.ts';

/** A statement locks each table it reads, and the number of locks per server is limited. */
const schemasPerStatement = 100;
/** More entries than this are not counted. */
export const maxBacklogEntries = 100_000;

export interface ChangeLogPosition {
  readonly schema: string;
  /** The last processed version, as decimal digits. */
  readonly version: string;
}

export interface ChangeLogBacklog {
  readonly entries: number;
  /** When the oldest one was written; null if none waits, or its transaction is not logged. */
  readonly sinceMs: number | null;
}

/**
 * Counts the entries after each position, in one statement for up to a hundred schemas. Returns one
 * backlog per position; null for a schema without a change log, or with a locked one.
 */
export async function readBacklogs(
  pool: Pool,
  positions: readonly ChangeLogPosition[],
): Promise<(ChangeLogBacklog | null)[]> {
  const existing = await findSequences(
    pool,
    positions.map(({ schema }) => schema),
  );
  const backlogs: (ChangeLogBacklog | null)[] = positions.map(() => null);
  const present = positions.flatMap((position, index) =>
    existing.has(position.schema) ? [{ ...position, index }] : [],
  );
  for (let from = 0; from < present.length; from += schemasPerStatement) {
    const some = present.slice(from, from + schemasPerStatement);
    const rows = await readSome(pool, some).catch(async (error: unknown) => {
      if (!isContention(error)) throw error;
      const schemas = some.map(({ schema }) => schema);
      const locked = await findLockedLogs(pool, schemas);
      const unlocked = some.filter(({ schema }) => !locked.has(schema));
      return readSome(pool, unlocked);
    });
    for (const { index, ...backlog } of rows) backlogs[index] = backlog;
  }
  return backlogs;
}

async function readSome(
  pool: Pool,
  positions: readonly (ChangeLogPosition & { readonly index: number })[],
): Promise<readonly (ChangeLogBacklog & { readonly index: number })[]> {
  if (positions.length === 0) return [];
  const each = positions.map(({ schema, index }, at) => {
    const log = qualified(schema, changeLog);
    return `select ${index} as index,
      (select count(*)::int from (select from ${log} where seq > $${at + 1}::bigint limit ${maxBacklogEntries}) c) as entries,
      (select (extract(epoch from t.tx_tstamp) * 1000)::float8
       from (select tx_id from ${log} where seq > $${at + 1}::bigint order by seq limit 1) c
       join ${qualified(schema, transactionLog)} t on t.tx_id = c.tx_id limit 1) as "sinceMs"`;
  });
  const { rows } = await pool.query<ChangeLogBacklog & { index: number }>(
    each.join(' union all '),
    positions.map(({ version }) => version),
  );
  return rows;
}
