import { lockTimeoutMs } from '../helium/limit-waits.ts';
import type { CellRow, ColumnType } from './cells.ts';
import { type EnrollmentRound, inAppTransaction, reportRefused } from './enrollment-round.ts';
import { updateChanged } from './write-cells.ts';

/**
 * Writes rows that other sessions may have locked, each in a transaction of its own: it holds no
 * row while it waits for another. Those that are still locked after `lockTimeoutMs` in all are left
 * for the next round and reported. Returns how many were written.
 */
export async function writeOneByOne(
  round: EnrollmentRound,
  { table, columns }: { readonly table: string; readonly columns: readonly ColumnType[] },
  rows: readonly CellRow[],
): Promise<number> {
  const target = { table, columns, onRefused: reportRefused(round, table) };
  const endsAtMs = performance.now() + lockTimeoutMs;
  let written = 0;
  for (const row of rows) {
    // PostgreSQL waits forever if the limit is 0.
    const limitMs = Math.max(1, Math.round(endsAtMs - performance.now()));
    written += await inAppTransaction(round, (db) => updateChanged(db, target, [row], { waits: true }), limitMs);
  }
  return written;
}
