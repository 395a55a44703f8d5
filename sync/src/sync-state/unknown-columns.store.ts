/**
 * Removes what is known of columns, so that both sides are merged as when a column is synced for
 * the first time: the side without a value takes the other side's, and both values are listed where
 * they differ.
 */
import type { Db } from '../helium/helium-gateway.ts';
import type { UnknownColumn } from '../mapping/compare-mappings.ts';

/** Repeating it changes nothing. Call it before the tables are read in full. */
export async function forgetColumns(db: Db, stateId: number, unknown: readonly UnknownColumn[]): Promise<void> {
  for (const { table, column, values = null } of unknown) {
    const isConcerned = (fields: string) =>
      `${fields}::jsonb ? $3 and ($4::text[] is null or ${fields}::jsonb->>$3 = any($4))`;
    const parameters = [stateId, table, column, values];
    await db.query(
      `update __portal_sync__.record set journey = (journey::jsonb - $3)::json, edits = nullif(edits - $3, '{}')
       where state_id = $1 and table_name = $2 and journey is not null and ${isConcerned('journey')}`,
      parameters,
    );
    await db.query(
      `update __portal_sync__.intent set fields = (fields::jsonb - $3)::json
       where state_id = $1 and table_name = $2 and ${isConcerned('fields')}`,
      parameters,
    );
    await db.query(
      `update __portal_sync__.held set base = base - $3
       where state_id = $1 and table_name = $2 and base is not null and ${isConcerned('base')}`,
      parameters,
    );
  }
}
