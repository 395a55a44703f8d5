/** Reads from Helium's transaction log when transactions changed something. */
import { KeyMap, type RecordKey } from '../record/record-key.ts';
import type { Db } from './helium-gateway.ts';
import { changeLog, qualified, transactionLog } from './sql-names.ts';

const timeSql = `(extract(epoch from date_trunc('milliseconds', t.tx_tstamp)) * 1000)::float8`;

/** Returns the times in milliseconds, without transactions that the log does not have. */
export async function readTransactionTimes(
  db: Db,
  schema: string,
  txIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (txIds.length === 0) return new Map();
  const { rows } = await db.query<{ txId: string; atMs: number }>(
    `select t.tx_id::text as "txId", ${timeSql} as "atMs" from ${qualified(schema, transactionLog)} t
     where t.tx_id = any($1::bigint[])`,
    [[...new Set(txIds)]],
  );
  return new Map(rows.map(({ txId, atMs }) => [txId, atMs]));
}

/**
 * Returns which of these records the change log reports as deleted after the cursor, and when the
 * last deletion of each was, in milliseconds; null when its transaction is not logged.
 *
 * @param after a limit bounds the entries to look at; the log may be long
 */
export async function readDeletionTimes(
  db: Db,
  schema: string,
  keys: readonly RecordKey[],
  after: { readonly cursor: string; readonly limit: number | null },
): Promise<KeyMap<number | null>> {
  const times = new KeyMap<number | null>();
  if (keys.length === 0) return times;
  const { rows } = await db.query<RecordKey & { atMs: number | null }>(
    `select c.object_name as "table", c.object_uuid::text as id, ${timeSql} as "atMs"
     from (
       select seq, change, object_name, object_uuid, tx_id from ${qualified(schema, changeLog)}
       where seq > $1 order by seq limit $2
     ) c
     left join ${qualified(schema, transactionLog)} t on t.tx_id = c.tx_id
     where c.change = 'delete' and c.object_name = any($3) and c.object_uuid = any($4::uuid[])
     order by c.seq`,
    [after.cursor, after.limit, [...new Set(keys.map(({ table }) => table))], keys.map(({ id }) => id)],
  );
  for (const { table, id, atMs } of rows) times.set({ table, id }, atMs);
  return times;
}
