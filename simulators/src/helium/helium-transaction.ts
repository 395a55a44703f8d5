import { inTransaction, type Pool, type PoolClient } from '@portal/kit/postgres/pool';

/**
 * Runs a transaction as Helium does: if it changed tracked objects or removed links, it adds a row
 * to the transaction log. Plain SQL does not.
 */
export async function inHeliumTransaction<T>(
  pool: Pool,
  identityId: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ seq: string }>('select last_value as seq from __he_sync_change_seq__');
    const result = await work(client);
    // By number, because the logs have no index on the transaction. Without a change, it has no id.
    await client.query(
      `insert into __he_sync_transaction_log__ (tx_id, tx_tstamp, seq_before, seq_after, identity_id)
       select txid_current(), now(), $1, last_value, $2 from __he_sync_change_seq__
       where exists (select from __he_sync_obj_change__ where seq >= $1 and tx_id = txid_current_if_assigned())
          or exists (select from __he_sync_many_to_many_unlink__ where seq >= $1 and tx_id = txid_current_if_assigned())`,
      [rows[0]?.seq ?? '0', identityId],
    );
    return result;
  });
}
