/** Reads the unique keys of a table, and which rows have the values that others are to get. */
import type { Value } from '../record/fields.ts';
import { uniqueViolation } from './content-refusal.ts';
import type { Db, HeliumOutcome } from './helium-gateway.ts';
import { qualified } from './sql-names.ts';

/** SQLSTATE of rows that PostgreSQL refuses because another one has their value. */
export const takenKinds: readonly string[] = [uniqueViolation, '23P01'];

export function isTaken(outcome: HeliumOutcome | undefined): boolean {
  return outcome?.status === 'refused' && takenKinds.includes(outcome.kind);
}

export interface KeyColumn {
  readonly name: string;
  /** As PostgreSQL writes it. */
  readonly type: string;
  /** `typcategory`: 'N' for numbers, 'S' for texts, 'D' for dates and times, 'R' for ranges. */
  readonly category: string;
  readonly isNullable: boolean;
}

/** A unique index other than the primary key, or an exclusion constraint. */
export interface UniqueKey {
  /** The indexed columns and expressions. */
  readonly expressions: readonly string[];
  /** For each expression, the operator that finds values which exclude each other. */
  readonly operators: readonly string[];
  /** Whether two rows without a value exclude each other, too: `nulls not distinct`. */
  readonly comparesNulls: boolean;
  /** The condition of a partial index; null when all rows are indexed. */
  readonly predicate: string | null;
  /** The columns on which the index depends. */
  readonly columns: readonly KeyColumn[];
}

export async function readUniqueKeys(db: Db, schema: string, table: string): Promise<UniqueKey[]> {
  const { rows } = await db.query<UniqueKey>(
    // PostgreSQL before 15 has no indnullsnotdistinct.
    `select array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n) as expressions,
       array(select format('operator(%I.%s)', s.nspname, o.oprname) from generate_series(1, i.indnkeyatts) n
         join pg_opclass c on c.oid = i.indclass[n - 1]
         left join pg_amop e on e.amopfamily = c.opcfamily and e.amopstrategy = 3
           and e.amoplefttype = c.opcintype and e.amoprighttype = c.opcintype
         join pg_operator o on o.oid = coalesce(k.conexclop[n], e.amopopr)
         join pg_namespace s on s.oid = o.oprnamespace order by n) as operators,
       coalesce((to_jsonb(i)->>'indnullsnotdistinct')::boolean, false) as "comparesNulls",
       pg_get_expr(i.indpred, i.indrelid, true) as predicate,
       (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
            'category', t.typcategory, 'isNullable', not a.attnotnull) order by a.attnotnull, a.attnum)
          from pg_attribute a join pg_type t on t.oid = a.atttypid
          where a.attrelid = i.indrelid and a.attnum > 0 and (a.attnum = any((i.indkey::int2[])[0:i.indnkeyatts - 1])
            or exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
              and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid and d.refobjsubid = a.attnum))) as columns
     from pg_index i left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('u', 'x')
     where i.indrelid = $1::regclass and (i.indisunique or i.indisexclusion) and i.indisvalid and not i.indisprimary
     order by i.indexrelid`,
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
  { expressions, operators, comparesNulls, predicate }: UniqueKey,
  wanted: readonly WantedRow[],
): Promise<Blocker[]> {
  const keys = expressions.map((expression, index) => `(${expression}) as k${index}`).join(', ');
  const where = predicate === null ? '' : `where ${predicate}`;
  const select = (condition: string) =>
    `select w._id_::text as id, p._id_::text as "blockedBy" from wanted w
     join (select _id_, ${keys} from ${target} ${where}) p on ${condition} and p._id_ <> w._id_`;
  const columns = expressions.map((_, index) => `k${index}`);
  const areEqual = columns.map((column, index) => `p.${column} ${operators[index]} w.${column}`);
  const areBothNull = columns.map((column) => `p.${column} is null and w.${column} is null`);
  const hasNull = (row: string) => `(${columns.map((column) => `${row}.${column} is null`).join(' or ')})`;
  const areEqualWithNulls = areEqual.map((condition, index) => `(${condition} or ${areBothNull[index]})`);
  const { rows } = await db.query<Blocker>(
    `with wanted as (
       select _id_, ${keys} from (
         select w.* from jsonb_array_elements($1::jsonb) g left join ${target} t on t._id_ = (g->>'_id_')::uuid,
           lateral jsonb_populate_record(t, g) w) written ${where}
     ) ${select(areEqual.join(' and '))}
     ${comparesNulls ? `union ${select([hasNull('w'), hasNull('p'), ...areEqualWithNulls].join(' and '))}` : ''}
     order by 1, 2`,
    [toRecords(wanted)],
  );
  return rows;
}

/** Returns rows as JSON from which PostgreSQL populates records of the table. */
export function toRecords(rows: readonly WantedRow[]): string {
  return JSON.stringify(rows.map(({ id, values }) => ({ ...values, _id_: id })));
}
