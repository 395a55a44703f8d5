/**
 * Stores records that differ on a side that is written and whose changes are not read. They are
 * left as they are, and listed for operators until a comparison finds them equal.
 */
import type { DifferentRecord } from '@portal/contract/sync/drift';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

export type FoundDifference = Pick<DifferentRecord, 'id' | 'side' | 'kind'>;

/** Replaces the list of a table. A record that differs as before keeps its time. */
export async function replaceDifferences(
  db: Db,
  { stateId, table }: { readonly stateId: number; readonly table: string },
  found: readonly FoundDifference[],
): Promise<void> {
  const columns = [found.map(({ id }) => id), found.map(({ side }) => side), found.map(({ kind }) => kind)];
  await removeRows(
    db,
    'difference',
    `select d.ctid from __portal_sync__.difference d where d.state_id = $1 and d.table_name = $2 and not exists (
       select from unnest($3::uuid[], $4::text[], $5::text[]) as f (id, side, kind)
       where f.id = d.id and f.side = d.side and f.kind = d.kind) for update`,
    [stateId, table, ...columns],
  );
  await db.query(
    `insert into __portal_sync__.difference (state_id, table_name, id, side, kind)
     select $1, $2, f.* from unnest($3::uuid[], $4::text[], $5::text[]) as f (id, side, kind)
     on conflict (state_id, table_name, id) do nothing`,
    [stateId, table, ...columns],
  );
}

/** Removes the lists of all tables but these. */
export async function removeOtherDifferences(db: Db, stateId: number, tables: readonly string[]): Promise<void> {
  await removeRows(
    db,
    'difference',
    'select ctid from __portal_sync__.difference where state_id = $1 and table_name <> all($2) for update',
    [stateId, tables],
  );
}

/** Returns those of these records that are in the list. */
export async function findDifferences(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<RecordKey[]> {
  const { rows } = await db.query<RecordKey>(
    `select d.table_name as "table", d.id::text from unnest($2::text[], $3::uuid[]) as k (table_name, id)
     join __portal_sync__.difference d on d.state_id = $1 and d.table_name = k.table_name and d.id = k.id`,
    [stateId, ...keyColumns(keys)],
  );
  return rows;
}

/** Lists the records, those that were found last first. */
export async function listDifferences(
  db: Db,
  stateId: number,
  limit: number,
): Promise<{ records: DifferentRecord[]; total: number }> {
  const { rows } = await db.query(
    `select table_name as "table", id::text, side, kind, found_at as "foundAt", (count(*) over ())::int as total
     from __portal_sync__.difference where state_id = $1 order by found_at desc, table_name, id limit $2`,
    [stateId, limit],
  );
  const records = rows.map(({ total: _, foundAt, ...record }) => ({ ...record, foundAt: foundAt.toISOString() }));
  return { records, total: rows[0]?.total ?? 0 };
}
