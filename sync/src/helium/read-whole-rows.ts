import type { Db } from './helium-gateway.ts';
import { columnList, qualified } from './sql-names.ts';

/** Columns that say nothing about the record itself. */
const trackingColumns = ['_id_', '_tx_id_', '_change_type_', '_change_seq_'];

/**
 * Returns rows by id with all columns, except the bytes of files, virtual columns and the
 * columns of the change log.
 */
export async function readWholeRows(
  db: Db,
  schema: string,
  table: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, object>> {
  const { rows: columns } = await db.query<{ name: string }>(
    `select a.attname as name from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
       and a.atttypid <> 'bytea'::regtype
       -- What is computed when it is read may not be computable.
       and to_jsonb(a) ->> 'attgenerated' is distinct from 'v' and a.attname <> all($2)
     order by a.attnum`,
    [qualified(schema, table), trackingColumns],
  );
  const names = columnList(
    columns.map(({ name }) => name),
    'r.',
  );
  const { rows } = await db.query<{ id: string; row: object }>(
    `select r._id_::text as id, (select to_jsonb(whole) from (select ${names}) whole) as row
     from ${qualified(schema, table)} r where r._id_ = any($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(({ id, row }) => [id, row]));
}
