import { Refused } from '@portal/kit/problems';
import type pg from 'pg';
import { toRefusal } from './content-refusal.ts';

/**
 * Distinguishes a refused row from a statement that PostgreSQL refuses whatever its rows are: it is
 * run again without any row. So a missing right, a missing table and a read-only database stop the
 * run with the true reason, and whatever a trigger or a check raises for a row concerns that row.
 *
 * @param what the statement and its table, for operators
 * @param runWithoutRows returns PostgreSQL's refusal
 */
export async function probeStatement(
  what: string,
  runWithoutRows: () => Promise<pg.DatabaseError | undefined>,
): Promise<void> {
  const refusal = await runWithoutRows();
  if (!refusal) return;
  if (toRefusal(refusal).isTemporary) throw refusal;
  throw new Refused(`Helium refuses every ${what}: ${refusal.message}.`, { cause: refusal });
}
