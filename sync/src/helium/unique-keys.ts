/** Reads the unique keys of a table, and which rows have the values that others are to get. */
import type { Value } from '../record/fields.ts';
import type { Db } from './helium-gateway.ts';
import { qualified, quote } from './sql-names.ts';

export interface KeyColumn {
  readonly name: string;
  /** As PostgreSQL writes it. */
  readonly type: string;
  /** `typcategory`: 'N' for numbers, 'S' for texts, 'D' for dates and times. */
  readonly category: string;
  readonly isNullable: boolean;
}

/** A unique index other than the primary key. */
export interface UniqueKey {
  /** The indexed columns and expressions. */
  readonly expressions: readonly string[];
  /** The condition of a partial index; null when all rows are indexed. */
  readonly predicate: string | null;
  /** The columns on which the index depends. */
  readonly columns: readonly KeyColumn[];
}

export async function readUniqueKeys(db: Db, schema: string, table: string): Promise<UniqueKey[]> {
  const { rows } = await db.query<UniqueKey>(
    `select array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n) as expressions,
       pg_get_expr(i.indpred, i.indrelid, true) as predicate,
       (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
            'category', t.typcategory, 'isNullable', not a.attnotnull) order by a.attnotnull, a.attnum)
          from pg_attribute a join pg_type t on t.oid = a.atttypid
          where a.attrelid = i.indrelid and a.attnum > 0 and (a.attnum = any((i.indkey::int2[])[0:i.indnkeyatts - 1])
            or exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
              and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid and d.refobjsubid = a.attnum))) as columns
     from pg_index i
     where i.indrelid = $1::regclass and i.indisunique and i.indisvalid and not i.indisprimary order by i.indexrelid`,
    [qualified(schema, table)],
  );
  return rows;
}

/** A row as it is to be written: the given columns replace those of an existing row. */
export interface WantedRow {
  readonly id: string;
  readonly values: Readonly<Record<string, Value>>;
}

/** A row that has the value of a unique key which another row is to get. */
export interface Blocker {
  readonly id: string;
  /** The id of the row that has the value. */
  readonly blockedBy: string;
}

/** Returns the rows that have the values of this key which these rows are to get. */
export async function findBlockers(
  db: Db,
  target: string,
  { expressions, predicate }: UniqueKey,
  wanted: readonly WantedRow[],
): Promise<Blocker[]> {
  const keys = expressions.map((expression, index) => `(${expression}) as k${index}`).join(', ');
  const where = predicate === null ? '' : `where ${predicate}`;
  const { rows } = await db.query<Blocker>(
    `with wanted as (
       select _id_, ${keys} from (
         select w.* from jsonb_array_elements($1::jsonb) g left join ${target} t on t._id_ = (g->>'_id_')::uuid,
           lateral jsonb_populate_record(t, g) w) written ${where}
     ), present as (select _id_, ${keys} from ${target} ${where})
     select w._id_::text as id, p._id_::text as "blockedBy" from wanted w
     join present p on ${expressions.map((_, index) => `p.k${index} = w.k${index}`).join(' and ')} and p._id_ <> w._id_
     order by 1, 2`,
    [JSON.stringify(wanted.map(({ id, values }) => ({ ...values, _id_: id })))],
  );
  return rows;
}

/**
 * Returns SQL for a value that no row of the table has; null when there is none to try. Each
 * attempt tries another one.
 */
export function toFreeValueSql({ name, type, category, isNullable }: KeyColumn, attempt: number): string | null {
  const column = quote(name);
  const rank = 'row_number() over (order by _id_)';
  const others: Readonly<Record<string, readonly string[]>> = {
    N: [`(min(${column}) over () - ${rank})`, `(max(${column}) over () + ${rank})`],
    S: ['md5(_id_::text || clock_timestamp()::text)', 'upper(md5(_id_::text || clock_timestamp()::text))'],
    D: [
      `(min(${column}) over () - ${rank} * interval '1 day')`,
      `(max(${column}) over () + ${rank} * interval '1 day')`,
    ],
  };
  const values = [...(isNullable ? ['null'] : []), ...(others[category] ?? [])];
  const value = values[Math.min(attempt, values.length - 1)];
  return value === undefined ? null : `cast(${value} as ${type})`;
}

/** How many different values `toFreeValueSql` returns at most. */
export const maxFreeValues = 3;
