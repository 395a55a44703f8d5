import { KeyMap, type RecordKey } from '../record/record-key.ts';
import type { HeliumGateway } from './helium-gateway.ts';
import { changeLog, qualified } from './sql-names.ts';

/**
 * Returns which of these records the change log reports as deleted behind the cursor, and when, in
 * milliseconds since 1970; null when the transaction's time is not logged.
 */
export async function readDeletionTimes(
  { pool, schema }: Pick<HeliumGateway, 'pool' | 'schema'>,
  cursor: string,
  keys: readonly RecordKey[],
): Promise<KeyMap<number | null>> {
  const times = new KeyMap<number | null>();
  if (keys.length === 0) return times;
  const { rows } = await pool.query<RecordKey & { readonly atMs: number | null }>(
    `select c.object_name as table, c.object_uuid::text as id, max(extract(epoch from t.tx_tstamp) * 1000)::float8 as "atMs"
     from ${qualified(schema, changeLog)} c left join ${qualified(schema, '__he_sync_transaction_log__')} t using (tx_id)
     where c.seq > $1 and c.change = 'delete' and c.object_uuid = any($2::uuid[]) group by c.object_name, c.object_uuid`,
    [cursor, keys.map(({ id }) => id)],
  );
  for (const { table, id, atMs } of rows) times.set({ table, id }, atMs);
  return times;
}
