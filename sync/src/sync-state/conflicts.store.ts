import type { Db } from '../helium/helium-gateway.ts';
import type { Conflict } from '../record/merge.ts';
import type { RecordKey } from '../record/record-key.ts';

/** Older conflicts are deleted. */
const maxConflicts = 10_000;

export async function addConflicts(
  db: Db,
  stateId: number,
  conflicts: readonly { readonly key: RecordKey; readonly conflict: Conflict }[],
): Promise<void> {
  if (conflicts.length === 0) return;
  await db.query(
    `insert into __portal_sync__.conflict (state_id, table_name, id, column_name, helium, journey, winner)
     select $1, "table", id, "column", helium, journey, winner
     from jsonb_to_recordset($2) as r ("table" text, id uuid, "column" text, helium jsonb, journey jsonb, winner text)`,
    [stateId, JSON.stringify(conflicts.map(({ key, conflict }) => ({ ...key, ...conflict })))],
  );
  await db.query(
    `delete from __portal_sync__.conflict where state_id = $1 and number <= (
       select number from __portal_sync__.conflict where state_id = $1 order by number desc offset ${maxConflicts} limit 1)`,
    [stateId],
  );
}
