/**
 * Carries out what Helium requests of Journey by setting flags. For each flag it makes the call,
 * and then writes the result and the time and unsets the flag in one statement. A crash between the
 * two repeats the call, which does no harm: a second re-enrollment or re-authentication finds what
 * the first left, a second code replaces the first. So calls are made at least once, and never
 * again after their flag is unset.
 */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import { type Cells, type ColumnType, isText } from './cells.ts';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { flagSql, unsetFlag } from './flags.ts';
import { updateChanged } from './write-cells.ts';

interface RequestKind {
  readonly table: string;
  /** The column that holds the request. */
  readonly flag: ColumnType;
  /** Columns that the result fills. */
  readonly filled: readonly ColumnType[];
  /** For the log: 'Re-enrollment'. */
  readonly name: string;
  /**
   * Makes the call for the row; returns the cells of the filled columns, or null when it cannot be
   * made yet.
   */
  carryOut(id: string): Promise<Cells | null>;
}

/**
 * Returns how many were carried out. What Journey refuses for one row is logged and stays
 * requested; other failures are thrown.
 */
export async function runRequests(round: EnrollmentRound, kind: RequestKind): Promise<number> {
  let carriedOut = 0;
  for (const { id, written } of await inAppTransaction(round, (db) => readRequests(db, kind))) {
    round.signal.throwIfAborted();
    const cells = await callOrPostpone(round, `${kind.name} of ${kind.table} ${id}`, () => kind.carryOut(id));
    if (cells === null) continue;
    const flag = isText(kind.flag.type) ? unsetFlag(written) : false;
    const columns = [kind.flag, ...kind.filled];
    await inAppTransaction(round, (db) =>
      updateChanged(db, { table: kind.table, columns }, [{ id, cells: { ...cells, [kind.flag.name]: flag } }]),
    );
    round.log('INFO', `${kind.name} of ${kind.table} ${id}: done.`);
    carriedOut += 1;
  }
  return carriedOut;
}

/** Returns null, and logs a line, when Journey refuses this one. */
export async function callOrPostpone<T>(
  round: EnrollmentRound,
  name: string,
  call: () => Promise<T | null>,
): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof JourneyProblem) || !concernsOneRow(error)) throw error;
    round.log('WARNING', `${name} stays asked: ${error.message}`);
    return null;
  }
}

/** Whether the call was refused for this row, so that others may still succeed. */
export function concernsOneRow({ failure: { kind } }: JourneyProblem): boolean {
  return kind === 'not-found' || kind === 'invalid-request';
}

async function readRequests(
  db: Db,
  { table, flag }: RequestKind,
): Promise<readonly { readonly id: string; readonly written: string }[]> {
  const { rows } = await db.query<{ id: string; written: string }>(
    `select t._id_ as id, t.${pg.escapeIdentifier(flag.name)}::text as written
     from ${pg.escapeIdentifier(table)} t where ${flagSql(flag)} order by t._id_`,
  );
  return rows;
}
