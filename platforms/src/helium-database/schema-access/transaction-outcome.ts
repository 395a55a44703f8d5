import type { Asked } from './app-role.ts';

/**
 * `unknown`: too long ago for the server to remember, or another server than the one that drew the
 * number.
 */
export type TransactionOutcome = 'committed' | 'aborted' | 'in progress' | 'unknown';

/** What became of a transaction whose end nobody heard. Throws Unreachable. */
export async function readTransactionOutcome(asked: Asked, xid: string): Promise<TransactionOutcome> {
  const [row] = await asked.query<{ outcome: TransactionOutcome | null }>(
    // Numbers of another server may lie ahead of this one's, which it would take for an error.
    `select case when $1::text::xid8 < pg_current_xact_id() then pg_xact_status($1::text::xid8) end as outcome`,
    [xid],
  );
  return row?.outcome ?? 'unknown';
}
