import { maxCountedConflicts } from '@portal/contract/sync-records';
import { toStorableText } from '@portal/kit/postgres/storable-text';
import type { Db } from '../helium/helium-gateway.ts';
import type { Conflict } from '../record/merge.ts';
import type { RecordKey } from '../record/record-key.ts';

/** Older conflicts are deleted. */
const retention = `interval '1 year'`;

/** Counts the conflicts of the state $1, up to one more than are counted. */
export const countConflictsSql = `select count(*)::int from (
  select from __portal_sync__.conflict where state_id = $1 limit ${maxCountedConflicts + 1}) counted`;

/** Stores conflicts. Returns how many old ones were deleted. */
export async function addConflicts(
  db: Db,
  stateId: number,
  conflicts: readonly { readonly key: RecordKey; readonly conflict: Conflict }[],
): Promise<number> {
  if (conflicts.length === 0) return 0;
  const rows = conflicts.map(({ key, conflict }) => ({ ...key, ...conflict }));
  await db.query(
    `insert into __portal_sync__.conflict (state_id, table_name, id, column_name, helium, journey, winner)
     select $1, "table", id, "column", helium, journey, winner
     from jsonb_to_recordset($2) as r ("table" text, id uuid, "column" text, helium jsonb, journey jsonb, winner text)`,
    // Fields that are not mapped may contain any text.
    [stateId, JSON.stringify(rows, (_, value) => (typeof value === 'string' ? toStorableText(value) : value))],
  );
  const { rowCount } = await db.query(
    `delete from __portal_sync__.conflict where state_id = $1 and at < now() - ${retention}`,
    [stateId],
  );
  return rowCount ?? 0;
}
