/** Stores which of Helium's rows have decimals with more digits than Journey can hold. */
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows, removeRowsSql } from '../helium/remove-state-rows.ts';
import type { RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

interface CheckedRecord {
  readonly key: RecordKey;
  readonly isRounded: boolean;
}

/** Stores the findings for these records, and returns whether any of them is new. */
export async function saveRounded(db: Db, stateId: number, checked: readonly CheckedRecord[]): Promise<boolean> {
  if (checked.length === 0) return false;
  const { rows } = await db.query<{ isChanged: boolean }>(
    namedQuery(
      'portal-sync-save-rounded',
      `with checked as (
         select * from unnest($2::text[], $3::uuid[], $4::boolean[]) as c (table_name, id, is_rounded)
       ), removed as (
         ${removeRowsSql(
           'rounded',
           `select r.ctid from __portal_sync__.rounded r join checked c on r.table_name = c.table_name and r.id = c.id
            where r.state_id = $1 and not c.is_rounded for update of r`,
         )}
       ), added as (
         insert into __portal_sync__.rounded (state_id, table_name, id)
         select $1, table_name, id from checked where is_rounded on conflict do nothing returning 1
       )
       select removed + (select count(*) from added) > 0 as "isChanged" from removed`,
      [stateId, ...keyColumns(checked.map(({ key }) => key)), checked.map(({ isRounded }) => isRounded)],
    ),
  );
  return rows[0]?.isChanged ?? false;
}

/**
 * Deletes the findings for all other tables: none of their synced columns has such decimals any
 * more.
 */
export async function removeOtherRounded(db: Db, stateId: number, tables: readonly string[]): Promise<void> {
  const others = 'select ctid from __portal_sync__.rounded where state_id = $1 and table_name <> all($2) for update';
  await removeRows(db, 'rounded', others, [stateId, tables]);
}
