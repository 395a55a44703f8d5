/**
 * Reads and wakes held records that wait for the value of a unique key which another row of Helium
 * has. `missing` names those rows.
 */
import type { Db } from '../helium/helium-gateway.ts';
import { findDependents } from '../helium/order-rows.ts';
import { takenKinds } from '../helium/unique-keys.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

const isBlocked = `h.state_id = $1 and h.direction = 'journey-to-helium' and h.state in ('dead', 'waiting')
  and h.kind in (${takenKinds.map((kind) => `'${kind}'`).join(', ')})`;

/**
 * Schedules an immediate retry of the records that wait for one of the changed rows, then of those
 * that wait for these, and so on: together, they can be written in their order.
 */
export async function retryBlocked(
  db: Db,
  stateId: number,
  changed: readonly RecordKey[],
  limit: number,
): Promise<void> {
  if (changed.length === 0) return;
  const ids = changed.map(keyText);
  const { rowCount } = await db.query(
    // Arrays are compared value by value: a thousand keys with thousands of records take seconds.
    `select from (select unnest(h.missing) as key from __portal_sync__.held h where ${isBlocked}) as waiting
     where key = any($2::text[]) limit 1`,
    [stateId, ids],
  );
  if (rowCount === 0) return;
  const { keys, blockedBy } = await readBlocked(db, stateId);
  const found = findDependents(blockedBy, ids, limit).flatMap((key) => keys.get(key) ?? []);
  if (found.length === 0) return;
  await db.query(
    `update __portal_sync__.held set retry_at = now() where number in (
       select h.number from __portal_sync__.held h join unnest($2::text[], $3::uuid[]) as k (table_name, id)
         on h.table_name = k.table_name and h.id = k.id
       where ${isBlocked} order by h.number for update of h)`,
    [stateId, ...keyColumns(found)],
  );
}

/** Returns the records that wait for known rows, and these, as `{table}/{id}`. */
export async function readBlocked(
  db: Db,
  stateId: number,
): Promise<{ readonly keys: ReadonlyMap<string, RecordKey>; readonly blockedBy: Map<string, Set<string>> }> {
  const { rows } = await db.query<RecordKey & { readonly missing: readonly string[] }>(
    // Texts of arrays take long to parse.
    `select h.table_name as "table", h.id::text, to_json(h.missing) as missing from __portal_sync__.held h
     where ${isBlocked} and h.missing <> '{}' order by h.number`,
    [stateId],
  );
  return {
    keys: new Map(rows.map(({ table, id }) => [keyText({ table, id }), { table, id }])),
    blockedBy: new Map(rows.map(({ table, id, missing }) => [keyText({ table, id }), new Set(missing)])),
  };
}

/** Notes that a value for which records wait has moved from one row to another. */
export async function moveBlocked(
  db: Db,
  stateId: number,
  { from, row }: { readonly from: RecordKey; readonly row: RecordKey },
): Promise<void> {
  await db.query(
    `update __portal_sync__.held h set missing = array_replace(h.missing, $2, $3)
     where ${isBlocked} and h.missing && array[$2::text]`,
    [stateId, keyText(from), keyText(row)],
  );
}

/** Schedules an immediate try of those that were not tried yet. Returns how many there are. */
export async function releaseBlocked(db: Db, stateId: number): Promise<number> {
  const { rowCount } = await db.query(
    `update __portal_sync__.held h set retry_at = now() where ${isBlocked} and h.state = 'waiting' and h.retry_at > now()`,
    [stateId],
  );
  return rowCount ?? 0;
}
