import type { Queryable } from './app-role.ts';

/** `unknown`: the server no longer remembers the transaction, or it belongs to another server. */
export type TransactionOutcome = 'committed' | 'aborted' | 'in progress' | 'unknown';

const maxBigint = 2n ** 63n - 1n;

/** Returns the outcome of a transaction whose commit was not confirmed. Throws Unreachable. */
export async function readTransactionOutcome(queryable: Queryable, xid: string): Promise<TransactionOutcome> {
  // PostgreSQL 11 and 12 have only the functions that take a bigint.
  if (BigInt(xid) > maxBigint) return 'unknown';
  const [row] = await queryable.query<{ outcome: TransactionOutcome | null }>(
    // An id from another server may be ahead of this server's ids, which raises an error.
    `select case when $1::bigint < txid_current() then txid_status($1::bigint) end as outcome`,
    [xid],
  );
  return row?.outcome ?? 'unknown';
}
