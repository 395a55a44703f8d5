/** Searches an app's tables for operators. */
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import { Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import pg from 'pg';
import type { FieldMap, ObjectMap } from '../mapping/object-map.ts';
import { toTimestampSql } from './column-sql.ts';
import { qualified, quote } from './sql-names.ts';

/** A statement locks each table it reads, and the number of locks per server is limited. */
const tablesPerStatement = 200;

/** Returns those of these tables that have a row with this id. */
export async function findTablesWithRow(
  pool: Pool,
  schema: string,
  tables: readonly string[],
  id: string,
): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < tables.length; from += tablesPerStatement) {
    const some = tables.slice(from, from + tablesPerStatement);
    const each = some.map(
      (table, index) => `select ${index} as index from ${qualified(schema, table)} where _id_ = $1::uuid`,
    );
    const { rows } = await pool.query<{ index: number }>(each.join(' union all '), [id]);
    for (const { index } of rows) found.push(some[index] ?? '');
  }
  return found;
}

interface ValueSearch {
  readonly map: ObjectMap;
  readonly column: string;
  readonly value: string;
  readonly limit: number;
  readonly timeoutMs: number;
}

/** A value that the column's type does not accept. */
const unfitValue = /^22/;
const statementCanceled = '57014';

/**
 * Returns the ids of rows with this value in a mapped column, in no particular order. Throws
 * Invalid for a column that is not mapped, for a value that it cannot hold, and when the search
 * takes too long.
 */
export async function findIdsByValue(pool: Pool, schema: string, search: ValueSearch): Promise<string[]> {
  const { map, column, value, limit, timeoutMs } = search;
  const field = map.fields.find((one) => one.column === column);
  if (!field || field.kind === 'blob') throw new Invalid(`The column ${column} of ${map.table} cannot be searched.`);
  try {
    return await inTransaction(pool, async (db) => {
      await db.query(`set transaction read only ${portalMark}; set local statement_timeout = ${timeoutMs}`);
      const { rows } = await db.query<{ id: string }>(
        `select _id_::text as id from ${qualified(schema, map.table)} where ${toConditionSql(field)} limit $2`,
        [value, limit],
      );
      return rows.map(({ id }) => id);
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const { code = '' } = error;
    if (unfitValue.test(code)) throw new Invalid(`${shortenValue(value)} is not a value of ${map.table}.${column}.`);
    if (code !== statementCanceled) throw error;
    throw new Invalid(
      `The search was canceled after ${timeoutMs / 1000} s. Search by id, or by a column with an index.`,
    );
  }
}

/** PostgreSQL reads the value as the column's type. Times are compared as the page shows them. */
function toConditionSql(field: FieldMap): string {
  return field.kind === 'datetime'
    ? `date_trunc('second', ${toTimestampSql(field)}) = $1::timestamp`
    : `${quote(field.column)} = $1`;
}
