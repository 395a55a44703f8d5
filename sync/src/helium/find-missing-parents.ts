import type { ObjectMap } from '../mapping/object-map.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { describeRowLocks, type RowLockParts } from './describe-row-locks.ts';
import { preparedQuery } from './prepared-query.ts';
import { qualified } from './sql-names.ts';
import { type IndexedWrite, isInsert } from './write-steps.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the rows a write refers to. Values that are not ids are left for PostgreSQL to refuse.
 */
export function getParents(map: ObjectMap, { write }: IndexedWrite): RecordKey[] {
  const parents: RecordKey[] = [];
  for (const { column, references, isComputed } of map.fields) {
    const id = write.fields?.[column];
    if (references === undefined || isComputed || typeof id !== 'string' || !uuid.test(id)) continue;
    parents.push({ table: references, id: id.toLowerCase() });
  }
  return parents;
}

export interface LockedParents {
  /** The keys of the rows that exist, as text. */
  readonly existing: ReadonlySet<string>;
  /** Why rows that exist could not be locked, by key as text. */
  readonly busy: ReadonlyMap<string, string>;
}

/**
 * Locks parents without waiting for other sessions. They cannot be deleted until the transaction
 * ends: they have the lock a foreign key would take.
 */
export async function lockParents(parts: RowLockParts, keys: readonly RecordKey[]): Promise<LockedParents> {
  const { db, schema } = parts;
  const idsByTable = new Map<string, Set<string>>();
  for (const { table, id } of keys) idsByTable.set(table, (idsByTable.get(table) ?? new Set()).add(id));
  const existing = new Set<string>();
  const busy = new Map<string, string>();
  for (const [table, ids] of idsByTable) {
    const select = `select _id_::text as id from ${qualified(schema, table)} where _id_ = any($1::uuid[])`;
    const read = async (locking: string, wanted: readonly string[]) => {
      const { rows } = await db.query<{ id: string }>(preparedQuery(db, `${select} ${locking}`, [wanted]));
      return rows.map(({ id }) => id);
    };
    for (const id of await read('for key share skip locked', [...ids])) existing.add(keyText({ table, id }));
    const missing = [...ids].filter((id) => !existing.has(keyText({ table, id })));
    const busyIds = missing.length === 0 ? [] : await read('', missing);
    if (busyIds.length === 0) continue;
    const holders = await describeRowLocks(parts, table, busyIds);
    for (const id of busyIds) {
      const key = keyText({ table, id });
      busy.set(
        key,
        `${key}, which it references, is locked: ${holders.get(id) ?? 'by a session that has just ended'}.`,
      );
    }
  }
  return { existing, busy };
}

/**
 * Returns the writes whose parents neither exist nor are inserted with them, with the missing
 * parents. Writes that depend on one of these are included.
 */
export function findMissingParents(
  mapByTable: ReadonlyMap<string, ObjectMap>,
  writes: readonly IndexedWrite[],
  existing: ReadonlySet<string>,
): Map<number, RecordKey[]> {
  const missing = new Map<number, RecordKey[]>();
  const pending = new Set(writes.filter(({ write }) => isInsert(write)).map(({ write }) => keyText(write.key)));
  for (let previousSize = -1; previousSize !== missing.size; ) {
    previousSize = missing.size;
    for (const indexed of writes) {
      const map = mapByTable.get(indexed.write.key.table);
      if (!map || missing.has(indexed.index)) continue;
      const missingParents = getParents(map, indexed).filter(
        (key) => !existing.has(keyText(key)) && !pending.has(keyText(key)),
      );
      if (missingParents.length === 0) continue;
      missing.set(indexed.index, missingParents);
      pending.delete(keyText(indexed.write.key));
    }
  }
  return missing;
}
