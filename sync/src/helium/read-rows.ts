import type { ObjectMap } from '../mapping/object-map.ts';
import type { Value } from '../record/fields.ts';
import { type ColumnResult, isRoundedValue, toColumnSql, toFieldValue } from './column-sql.ts';
import type { Db, HeliumRow, LockedRows } from './helium-gateway.ts';
import { preparedQuery } from './prepared-query.ts';
import { qualified } from './sql-names.ts';

/** Reads the rows that exist. */
export async function readRows(db: Db, schema: string, map: ObjectMap, ids: readonly string[]): Promise<HeliumRow[]> {
  return ids.length === 0 ? [] : select(db, map, selectByIds(schema, map), [ids]);
}

/**
 * Locks the rows that no other session has locked, without waiting. The lock is one that a new
 * child of the row does not wait for. The rows of other sessions are read as they are.
 */
export async function lockRows(db: Db, schema: string, map: ObjectMap, ids: readonly string[]): Promise<LockedRows> {
  if (ids.length === 0) return { locked: [], busy: [] };
  const locked = await select(db, map, `${selectByIds(schema, map)} for no key update skip locked`, [ids]);
  const found = new Set(locked.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  // A row may be locked, or was deleted and inserted again by a transaction that has just ended: a
  // new statement sees what is there.
  return { locked, busy: await readRows(db, schema, map, missing) };
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

function selectByIds(schema: string, map: ObjectMap): string {
  return `${selectFrom(schema, map)} where _id_ = any($1::uuid[])`;
}

type ColumnValues = [id: string, changedAtMs: number, txId: string, ...values: ColumnResult[]];

async function select(db: Db, map: ObjectMap, text: string, values: unknown[]): Promise<HeliumRow[]> {
  const { rows } = await db.query<ColumnValues>({ ...preparedQuery(db, text, values), rowMode: 'array' });
  return rows.map(([id, changedAtMs, txId, ...values]) => {
    const fields: Record<string, Value> = {};
    let isRounded = false;
    for (const [index, field] of map.fields.entries()) {
      const result = values[index] ?? null;
      const value = toFieldValue(field, result);
      fields[field.column] = value;
      isRounded ||= isRoundedValue(field, result, value);
    }
    return isRounded ? { id, fields, changedAtMs, txId, isRounded } : { id, fields, changedAtMs, txId };
  });
}
