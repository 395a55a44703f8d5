/** Stores records that Helium → Journey must check in addition to those of the change log. */
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRowsSql } from '../helium/remove-state-rows.ts';
import type { RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

export interface DirtyRecord extends RecordKey {
  readonly mark: string;
}

export async function readDirty(db: Db, stateId: number, limit: number): Promise<DirtyRecord[]> {
  const { rows } = await db.query(
    namedQuery(
      'portal-sync-dirty',
      `select table_name as "table", id::text, mark::text from __portal_sync__.dirty where state_id = $1 order by mark limit $2`,
      [stateId, limit],
    ),
  );
  return rows;
}

export async function markDirty(db: Db, stateId: number, keys: readonly RecordKey[]): Promise<void> {
  if (keys.length === 0) return;
  await db.query(
    namedQuery(
      'portal-sync-mark-dirty',
      `insert into __portal_sync__.dirty (state_id, table_name, id)
       select distinct $1::int, * from unnest($2::text[], $3::uuid[])
       on conflict (state_id, table_name, id) do update set mark = excluded.mark`,
      [stateId, ...keyColumns(keys)],
    ),
  );
}

/**
 * Deletes the marks of records that were not marked again since they were read. Looks up each mark
 * separately, as `readRecords` does.
 */
export async function clearDirty(db: Db, stateId: number, read: readonly DirtyRecord[]): Promise<void> {
  if (read.length === 0) return;
  await db.query(
    namedQuery(
      'portal-sync-clear-dirty',
      removeRowsSql(
        'dirty',
        `select d.ctid from unnest($2::text[], $3::uuid[], $4::bigint[]) as k (table_name, id, mark)
         cross join lateral (
           select d.ctid from __portal_sync__.dirty d
           where d.state_id = $1 and d.table_name = k.table_name and d.id = k.id and d.mark = k.mark offset 0 for update
         ) d`,
      ),
      [stateId, ...keyColumns(read), read.map(({ mark }) => mark)],
    ),
  );
}
