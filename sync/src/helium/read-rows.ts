import type { ObjectMap } from '../mapping/object-map.ts';
import type { Value } from '../record/fields.ts';
import { toColumnSql, toFieldValue } from './column-sql.ts';
import type { Db, HeliumRow } from './helium-gateway.ts';
import { preparedQuery } from './prepared-query.ts';
import { qualified } from './sql-names.ts';

/**
 * Reads the rows that exist. Locks are taken in the order of the ids, which prevents deadlocks
 * between two readers.
 */
export async function readRows(
  db: Db,
  schema: string,
  map: ObjectMap,
  ids: readonly string[],
  lock: boolean,
): Promise<HeliumRow[]> {
  if (ids.length === 0) return [];
  const locking = lock ? ' order by _id_ for update' : '';
  return select(db, map, `${selectFrom(schema, map)} where _id_ = any($1::uuid[])${locking}`, [ids]);
}

export async function readRowsAfter(
  db: Db,
  schema: string,
  map: ObjectMap,
  afterId: string | null,
  limit: number,
): Promise<HeliumRow[]> {
  const from = selectFrom(schema, map);
  return afterId === null
    ? select(db, map, `${from} order by _id_ limit $1`, [limit])
    : select(db, map, `${from} where _id_ > $2::uuid order by _id_ limit $1`, [limit, afterId]);
}

/** Truncates `_tstamp_` to milliseconds first, so that rounding cannot move it to the next one. */
const changedAtMsSql = `round(extract(epoch from date_trunc('milliseconds', _tstamp_)) * 1000)::float8`;

function selectFrom(schema: string, map: ObjectMap): string {
  const columns = ['_id_::text', changedAtMsSql, '_tx_id_::text', ...map.fields.map(toColumnSql)];
  return `select ${columns.join(', ')} from ${qualified(schema, map.table)}`;
}

type ColumnValues = [id: string, changedAtMs: number, txId: string, ...values: (null | boolean | number | string)[]];

async function select(db: Db, map: ObjectMap, text: string, values: unknown[]): Promise<HeliumRow[]> {
  const { rows } = await db.query<ColumnValues>({ ...preparedQuery(db, text, values), rowMode: 'array' });
  return rows.map(([id, changedAtMs, txId, ...values]) => {
    const fields: Record<string, Value> = {};
    for (const [index, { column, kind }] of map.fields.entries()) {
      fields[column] = toFieldValue(kind, values[index] ?? null);
    }
    return { id, fields, changedAtMs, txId };
  });
}
