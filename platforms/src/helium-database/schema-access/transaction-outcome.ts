import type { Queryable } from './app-role.ts';

/** `unknown`: the server no longer remembers the transaction, or it belongs to another server. */
export type TransactionOutcome = 'committed' | 'aborted' | 'in progress' | 'unknown';

/** Returns the outcome of a transaction whose commit was not confirmed. Throws Unreachable. */
export async function readTransactionOutcome(queryable: Queryable, xid: string): Promise<TransactionOutcome> {
  const [row] = await queryable.query<{ outcome: TransactionOutcome | null }>(
    // An id from another server may be ahead of this server's ids, which raises an error.
    `select case when $1::text::xid8 < pg_current_xact_id() then pg_xact_status($1::text::xid8) end as outcome`,
    [xid],
  );
  return row?.outcome ?? 'unknown';
}
