/** Stores what a restore of one side changes in the state of an integration. */
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

/**
 * Deletes what is known of the records of these tables, deletions included; of all tables when it
 * is null, and then also the log entries that the restored side no longer has.
 */
export async function forgetTables(db: Db, stateId: number, tables: readonly string[] | null): Promise<void> {
  for (const table of ['record', 'intent', 'dirty', 'rounded', 'held', 'absence', 'difference'])
    await removeRows(
      db,
      table,
      `select ctid from __portal_sync__.${table}
       where state_id = $1 and ($2::text[] is null or table_name = any($2)) for update`,
      [stateId, tables],
    );
  await db.query(
    `update __portal_sync__.run set
       change_log_point = case when $2::text[] is null then null else change_log_point end,
       sent_point = case when $2::text[] is null then null else sent_point end,
       op_log_point = case when $2::text[] is null then null else op_log_point end,
       complete_tables = array(select t from unnest(complete_tables) as t where $2::text[] is not null and t <> all($2))
     where state_id = $1`,
    [stateId, tables],
  );
}

/** Deletes what is known of these records: both sides are read before anything is written. */
export async function forgetRecords(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<void> {
  if (keys.length === 0) return;
  for (const table of ['record', 'difference'])
    await removeRows(
      db,
      table,
      `select r.ctid from __portal_sync__.${table} r, unnest($2::text[], $3::uuid[]) as k (table_name, id)
       where r.state_id = $1 and r.table_name = k.table_name and r.id = k.id for update of r`,
      [stateId, ...keyColumns(keys)],
    );
  // What is not known of these tables may exist in Journey now.
  await db.query(
    `update __portal_sync__.run set
       complete_tables = array(select t from unnest(complete_tables) as t where t <> all($2))
     where state_id = $1`,
    [stateId, [...new Set(keys.map(({ table }) => table))]],
  );
}

/** Returns how many of these records are known as deleted. */
export async function countDeleted(db: Db, stateId: number, table: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from __portal_sync__.record
     where state_id = $1 and table_name = $2 and id = any($3::uuid[]) and journey is null and deleted_at_ms is not null`,
    [stateId, table, ids],
  );
  return rows[0]?.count ?? 0;
}
