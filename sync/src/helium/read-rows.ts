import type { FieldMap, ObjectMap } from '../mapping/object-map.ts';
import type { Value } from '../record/fields.ts';
import { type ColumnResult, isRoundedValue, toColumnSql, toFieldValue } from './column-sql.ts';
import type { Db, HeliumRow, LockedRows } from './helium-gateway.ts';
import { preparedQuery } from './prepared-query.ts';
import { readComputed } from './read-computed.ts';
import { requireVisible } from './require-visible.ts';
import { qualified } from './sql-names.ts';

/** Reads the rows that exist. Throws Unreachable when the others may only be hidden. */
export async function readRows(db: Db, schema: string, map: ObjectMap, ids: readonly string[]): Promise<HeliumRow[]> {
  if (ids.length === 0) return [];
  const rows = await selectByIds(db, schema, map, { ids, locking: '' });
  if (rows.length < new Set(ids).size) await requireVisible(db, schema, map.table);
  return rows;
}

/**
 * Locks the rows that no other session has locked, without waiting. The lock is one that a new
 * child of the row does not wait for. The rows of other sessions are read as they are.
 */
export async function lockRows(db: Db, schema: string, map: ObjectMap, ids: readonly string[]): Promise<LockedRows> {
  if (ids.length === 0) return { locked: [], busy: [] };
  const locked = await selectByIds(db, schema, map, { ids, locking: ' for no key update skip locked' });
  const found = new Set(locked.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  // A row may be locked, or was deleted and inserted again by a transaction that has just ended: a
  // new statement sees what is there.
  return { locked, busy: await readRows(db, schema, map, missing) };
}

/** Throws Unreachable when rows between them may be hidden. */
export async function readRowsAfter(
  db: Db,
  schema: string,
  map: ObjectMap,
  afterId: string | null,
  limit: number,
): Promise<HeliumRow[]> {
  await requireVisible(db, schema, map.table);
  const [condition, values] = afterId === null ? ['', [limit]] : ['where _id_ > $2::uuid', [limit, afterId]];
  const page = `${qualified(schema, map.table)} ${condition} order by _id_ limit $1`;
  if (!hasComputed(map)) return select(db, map, `${selectColumns(map)} from ${page}`, values);
  const { rows } = await db.query<{ id: string }>(preparedQuery(db, `select _id_::text as id from ${page}`, values));
  const read = await readRows(
    db,
    schema,
    map,
    rows.map(({ id }) => id),
  );
  const byId = new Map(read.map((row) => [row.id, row]));
  return rows.flatMap(({ id }) => byId.get(id) ?? []);
}

/** Truncates `_tstamp_` to milliseconds first, so that rounding cannot move it to the next one. */
const changedAtMsSql = `round(extract(epoch from date_trunc('milliseconds', _tstamp_)) * 1000)::float8`;

function selectColumns({ fields }: Pick<ObjectMap, 'fields'>, isRead = (_field: FieldMap) => true): string {
  const columns = fields.map((field) => (isRead(field) ? toColumnSql(field) : 'null'));
  return `select ${['_id_::text', changedAtMsSql, '_tx_id_::text', ...columns].join(', ')}`;
}

interface RowsToSelect {
  readonly ids: readonly string[];
  /** A locking clause, or ''. */
  readonly locking: string;
}

/** PostgreSQL computes a virtual column when it is read, and fails for a row it cannot compute. */
function selectByIds(db: Db, schema: string, map: ObjectMap, wanted: RowsToSelect): Promise<HeliumRow[]> {
  const suffix = `from ${qualified(schema, map.table)} where _id_ = any($1::uuid[])${wanted.locking}`;
  const run = (columns: string, ids: readonly string[]) => select(db, map, `${columns} ${suffix}`, [ids]);
  if (!hasComputed(map)) return run(selectColumns(map), wanted.ids);
  const stored = selectColumns(map, ({ isComputed = false }) => !isComputed);
  return readComputed(db, wanted.ids, {
    whole: (ids) => run(selectColumns(map), ids),
    stored: (ids) => run(stored, ids),
  });
}

function hasComputed({ fields }: ObjectMap): boolean {
  return fields.some(({ isComputed }) => isComputed);
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
