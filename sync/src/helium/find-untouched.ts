import type { FieldMap, ObjectMap } from '../mapping/object-map.ts';
import type { Db } from './helium-gateway.ts';
import { qualified, quote } from './sql-names.ts';

/** Returns the columns that PostgreSQL added to older rows with a default. */
function listAddedColumns({ fields }: ObjectMap): FieldMap[] {
  return fields.filter(({ source }) => source?.added !== undefined);
}

/**
 * Returns, by row, the columns that still have the default they were added with, and that no one
 * can have entered: the row was not written after the transaction that added the column.
 */
export async function findUntouched(
  db: Db,
  schema: string,
  map: ObjectMap,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const added = listAddedColumns(map);
  if (added.length === 0 || ids.length === 0) return new Map();
  const columns = added.map(
    ({ column }, index) =>
      `case when ${quote(column)}::text = ($2::text[])[${index + 1}] and age(xmin) >= age(($3::text[])[${index + 1}]::xid)
         then ($4::text[])[${index + 1}] end`,
  );
  const { rows } = await db.query<{ id: string; columns: string[] }>(
    `select _id_::text as id, array_remove(array[${columns.join(', ')}], null) as columns
     from ${qualified(schema, map.table)} where _id_ = any($1::uuid[])`,
    [
      ids,
      added.map(({ source }) => source?.added?.text),
      added.map(({ source }) => source?.added?.txId),
      added.map(({ column }) => column),
    ],
  );
  return new Map(rows.map(({ id, columns }) => [id, columns]));
}
