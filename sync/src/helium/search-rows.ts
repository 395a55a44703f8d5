/** Searches an app's tables for operators. */
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import { Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import pg from 'pg';
import type { FieldMap, ObjectMap } from '../mapping/object-map.ts';
import { parseSearchedPart, parseSearchValue } from '../mapping/parse-search-value.ts';
import type { RecordKey } from '../record/record-key.ts';
import { toTimestampSql } from './column-sql.ts';
import type { Db } from './helium-gateway.ts';
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
  readonly maps: readonly ObjectMap[];
  /** null for every column that can hold the value; otherwise there is one map. */
  readonly column: string | null;
  readonly value: string;
  readonly limit: number;
  /** Whether texts that only contain the value are searched, in any letter case. */
  readonly isPart?: boolean;
}

/** A value that the column's type does not accept. */
const unfitValue = /^22/;
const statementCanceled = '57014';

/**
 * Runs queries that only read, each for at most `timeoutMs`. Returns null when one took longer.
 */
export async function searchBriefly<T>(
  pool: Pool,
  timeoutMs: number,
  search: (db: Db) => Promise<T>,
): Promise<T | null> {
  try {
    return await inTransaction(pool, async (db) => {
      await db.query(`set transaction read only ${portalMark}; set local statement_timeout = ${timeoutMs}`);
      return search(db);
    });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === statementCanceled) return null;
    throw error;
  }
}

/**
 * Returns the keys of rows with this value in a mapped column, in no particular order. Throws
 * Invalid for a column that is not mapped and for a value that the requested column cannot hold.
 */
export async function findKeysByValue(db: Db, schema: string, search: ValueSearch): Promise<RecordKey[]> {
  const { maps, value, column, limit } = search;
  const found: RecordKey[] = [];
  for (let from = 0; from < maps.length && found.length < limit; from += tablesPerStatement) {
    const { text, parameters } = toSearchSql(schema, { ...search, maps: maps.slice(from, from + tablesPerStatement) });
    if (text === '') continue;
    try {
      found.push(...(await db.query<RecordKey>(text, parameters)).rows);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && unfitValue.test(error.code ?? ''))) throw error;
      throw new Invalid(`${shortenValue(value)} is not a value of ${maps[0]?.table}.${column}.`);
    }
  }
  return found;
}

/** Returns an empty text when no column can hold the value. */
function toSearchSql(
  schema: string,
  { maps, column, value, limit, isPart = false }: ValueSearch,
): { readonly text: string; readonly parameters: unknown[] } {
  const parameters: unknown[] = [limit];
  const bind = (parameter: string) => `$${parameters.push(parameter)}`;
  const selects: string[] = [];
  for (const map of maps) {
    const conditions = chooseFields(map, column).flatMap((field) => {
      if (isPart) {
        const part = parseSearchedPart(field, value);
        return part === undefined ? [] : [`${quote(field.column)} ilike ${bind(toPattern(part))}`];
      }
      const text = column === null ? parseSearchValue(field, value)?.toString() : value;
      return text === undefined ? [] : [toConditionSql(field, bind(text))];
    });
    if (conditions.length === 0) continue;
    const columns = `${bind(map.table)}::text as "table", _id_::text as id`;
    const rows = `${qualified(schema, map.table)} where ${conditions.join(' or ')}`;
    selects.push(`(select ${columns} from ${rows} limit $1)`);
  }
  const text = selects.length === 0 ? '' : `select * from (${selects.join(' union all ')}) found limit $1`;
  return { text, parameters };
}

/** The pattern of `ilike` for texts that contain this one. */
export function toPattern(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** Half of all rows have the same boolean, so it is only searched in a requested column. */
function chooseFields({ table, fields }: ObjectMap, column: string | null): readonly FieldMap[] {
  if (column === null) return fields.filter(({ kind }) => kind !== 'blob' && kind !== 'boolean');
  const field = fields.find((one) => one.column === column);
  if (!field || field.kind === 'blob') throw new Invalid(`The column ${column} of ${table} cannot be searched.`);
  return [field];
}

/** PostgreSQL reads the value as the column's type. Times are compared as the page shows them. */
function toConditionSql(field: FieldMap, parameter: string): string {
  return field.kind === 'datetime'
    ? `date_trunc('second', ${toTimestampSql(field)}) = ${parameter}::timestamp`
    : `${quote(field.column)} = ${parameter}`;
}
