import { inTransaction, type Pool, type PoolClient } from '@portal/kit/postgres/pool';

/** Reads the transaction id without assigning one when nothing was changed. */
const currentTransaction = 'pg_current_xact_id_if_assigned()::text::bigint';

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
    await client.query(
      `insert into __he_sync_transaction_log___current__ (tx_id, tx_tstamp, seq_before, seq_after, identity_id)
       select txid_current(), now(), $1, last_value, $2 from __he_sync_change_seq__
       where exists (select from __he_sync_obj_change___current__ where tx_id = ${currentTransaction})
          or exists (select from __he_sync_many_to_many_unlink___current__ where tx_id = ${currentTransaction})`,
      [rows[0]?.seq ?? '0', identityId],
    );
    return result;
  });
}
