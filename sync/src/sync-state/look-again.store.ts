/** Stores the records that an operator wants read again on both sides. */
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

export async function requestLookAgain(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<void> {
  await db.query(
    `insert into __portal_sync__.look_again (state_id, table_name, id)
     select distinct $1::int, * from unnest($2::text[], $3::uuid[]) on conflict do nothing`,
    [stateId, ...keyColumns(keys)],
  );
}

export async function readLookAgain(db: Db, stateId: number, limit: number): Promise<RecordKey[]> {
  const { rows } = await db.query<RecordKey>(
    `select table_name as "table", id::text from __portal_sync__.look_again where state_id = $1
     order by table_name, id limit $2`,
    [stateId, limit],
  );
  return rows;
}

export async function clearLookAgain(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<void> {
  await removeRows(
    db,
    'look_again',
    `select l.ctid from __portal_sync__.look_again l, unnest($2::text[], $3::uuid[]) as k (table_name, id)
     where l.state_id = $1 and l.table_name = k.table_name and l.id = k.id for update of l`,
    [stateId, ...keyColumns(keys)],
  );
}
