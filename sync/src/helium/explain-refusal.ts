/**
 * Explains why PostgreSQL refused a row, by column, value and limit. PostgreSQL's own words name no
 * column where a value is too long, and its details contain whole rows.
 */
import { shortenValue } from '@portal/kit/shorten-value';
import type pg from 'pg';
import type { Value } from '../record/fields.ts';
import { checkViolation, foreignKeyViolation, notNullViolation, uniqueViolation } from './content-refusal.ts';
import type { Db } from './helium-gateway.ts';
import { qualified } from './sql-names.ts';
import { describeMisfit, type TypedColumn } from './value-limits.ts';

export interface RefusedRow {
  readonly schema: string;
  readonly table: string;
  /** The values that were to be written, by column. */
  readonly values: Readonly<Record<string, Value>>;
  /** False for values that must not be in a log. */
  readonly showsValues: boolean;
}

/**
 * SQLSTATE of values that are too long, of numbers that are too large, and of fractions in whole
 * numbers.
 */
const misfits: ReadonlySet<string> = new Set(['22001', '22003', '22P02']);

/** Returns one sentence. The transaction must accept queries. */
export async function explainRefusal(db: Db, row: RefusedRow, error: pg.DatabaseError): Promise<string> {
  const { code = '', table, column, constraint } = error;
  const isOfRow = table === row.table && error.schema === row.schema;
  if (code === notNullViolation && column !== undefined)
    return `${isOfRow ? column : `${table}.${column}`} is empty; Helium requires a value.`;
  if (misfits.has(code)) return (await findMisfit(db, row)) ?? shortenValue(error.message);
  if (!isOfRow || constraint === undefined) return shortenValue(error.message);
  const columns = await readConstraintColumns(db, row, constraint);
  return columns.length === 0 ? shortenValue(error.message) : describeViolation(code, constraint, row, columns);
}

async function findMisfit(db: Db, { schema, table, values, showsValues }: RefusedRow): Promise<string | null> {
  const { rows } = await db.query<TypedColumn>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and attname = any($2) order by attnum`,
    [qualified(schema, table), Object.keys(values)],
  );
  const found = rows.flatMap((column) => describeMisfit(column, values[column.name] ?? null, showsValues) ?? []);
  return found.length === 0 ? null : found.join(' ');
}

/** Returns the columns of a constraint or unique index; the columns of its expressions included. */
async function readConstraintColumns(db: Db, { schema, table }: RefusedRow, constraint: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select a.attname as name from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and (
       a.attnum = any(array(select unnest(k.conkey) from pg_constraint k where k.conrelid = a.attrelid and k.conname = $2))
       or a.attnum = any(array(select unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) from pg_index i
         join pg_class c on c.oid = i.indexrelid where i.indrelid = a.attrelid and c.relname = $2))
       or exists (select from pg_depend d join pg_class c on c.oid = d.objid
         where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and c.relkind = 'i'
           and c.relname = $2 and d.refobjid = a.attrelid and d.refobjsubid = a.attnum))
     order by a.attnum`,
    [qualified(schema, table), constraint],
  );
  return rows.map(({ name }) => name);
}

function describeViolation(
  code: string,
  constraint: string,
  { values, showsValues }: RefusedRow,
  columns: readonly string[],
): string {
  const named = columns
    .map((name) => (showsValues && name in values ? `${name}: ${showValue(values[name] ?? null)}` : name))
    .join(', ');
  switch (code) {
    case uniqueViolation:
      return `${named} must be unique${columns.length > 1 ? ' together' : ''}; another record has the same.`;
    case foreignKeyViolation:
      return `${named} references a record that Helium does not have.`;
    case checkViolation:
      return `${named} violates Helium's check ${constraint}.`;
    default:
      return `${named} violates Helium's constraint ${constraint}.`;
  }
}

function showValue(value: Value): string {
  return typeof value === 'string' ? `'${shortenValue(value)}'` : String(value);
}
