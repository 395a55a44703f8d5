/** Reads the files of a row in SQL, so that their bytes need not leave the database. */
import pg from 'pg';
import type { Db } from './helium-gateway.ts';
import { qualified, quote } from './sql-names.ts';

/**
 * Returns a query of the files that the row with the id `$1` has, with the columns `column_name`,
 * `file_name`, `media_type`, `size` and `bytes`. null when the table has no such columns.
 *
 * @param columns null for all columns with bytes, also those that are not mapped
 */
export async function selectRowFiles(
  db: Db,
  schema: string,
  table: string,
  columns: readonly string[] | null,
): Promise<string | null> {
  const { rows } = await db.query<{ name: string; names: string[] }>(
    `select a.attname as name,
       array(select c.attname::text from pg_attribute c where c.attrelid = a.attrelid and c.attnum > 0
         and not c.attisdropped and c.attname in (a.attname || '_fname__', a.attname || '_mtype__')) as names
     from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.atttypid = 'bytea'::regtype
       and ($2::text[] is null or a.attname = any($2))
     order by a.attnum`,
    [qualified(schema, table), columns],
  );
  if (rows.length === 0) return null;
  const files = rows.map(({ name, names }) => {
    const companion = (suffix: string) => {
      const found = names.find((one) => one === `${name}_${suffix}__`);
      return found === undefined ? 'null::text' : `r.${quote(found)}::text`;
    };
    return `(${pg.escapeLiteral(name)}, ${companion('fname')}, ${companion('mtype')}, r.${quote(name)})`;
  });
  return `select v.column_name, v.file_name, v.media_type, octet_length(v.bytes) as size, v.bytes
    from ${qualified(schema, table)} r
    cross join lateral (values ${files.join(', ')}) as v (column_name, file_name, media_type, bytes)
    where r._id_ = $1 and v.bytes is not null`;
}
