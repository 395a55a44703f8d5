/**
 * Executes the requests to Journey that Helium makes by setting flags. For each flag it makes the
 * call; then one statement writes the result and the time and unsets the flag. A crash between the
 * two repeats the call. That does no harm: a second re-enrollment or re-authentication changes
 * nothing, and a second code replaces the first. So each call is made at least once, and never
 * again after its flag is unset.
 */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import { type Cells, type ColumnType, isText } from './cells.ts';
import { type EnrollmentRound, inAppTransaction, singleRowLockTimeoutMs } from './enrollment-round.ts';
import { flagSql, unsetFlag } from './flags.ts';
import { updateChanged } from './write-cells.ts';

interface RequestKind {
  readonly table: string;
  /** The column that holds the request. */
  readonly flag: ColumnType;
  /** The columns that the result fills. */
  readonly resultColumns: readonly ColumnType[];
  /** For the log: 'Re-enrollment'. */
  readonly name: string;
  /**
   * Makes the call for a row. Returns the cells of the result columns; null when the call cannot be
   * made yet.
   */
  execute(id: string): Promise<Cells | null>;
}

/**
 * Returns how many requests were executed. When Journey rejects one row, that is logged and the
 * request stays; other failures are thrown.
 */
export async function runRequests(round: EnrollmentRound, kind: RequestKind): Promise<number> {
  let completed = 0;
  for (const { id, written } of await inAppTransaction(round, (db) => readRequests(db, kind))) {
    round.signal.throwIfAborted();
    const cells = await skipRejected(round, `${kind.name} of ${kind.table} ${id}`, () => kind.execute(id));
    if (cells === null) continue;
    const flag = isText(kind.flag.type) ? unsetFlag(written) : false;
    const columns = [kind.flag, ...kind.resultColumns];
    const row = { id, cells: { ...cells, [kind.flag.name]: flag } };
    // Left for the next round, it would be requested again.
    await inAppTransaction(
      round,
      (db) => updateChanged(db, { table: kind.table, columns }, [row], { waits: true }),
      singleRowLockTimeoutMs,
    );
    round.log('INFO', `${kind.name} of ${kind.table} ${id}: done.`);
    completed += 1;
  }
  return completed;
}

/** Returns null, and logs a warning, when Journey rejects this request. */
export async function skipRejected<T>(
  round: EnrollmentRound,
  name: string,
  call: () => Promise<T | null>,
): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof JourneyProblem) || !concernsOneRow(error)) throw error;
    round.log('WARNING', `${name} stays pending: ${error.message}`);
    return null;
  }
}

/** Whether the call was rejected for this row only, so that others may still succeed. */
export function concernsOneRow({ failure: { kind } }: JourneyProblem): boolean {
  return kind === 'not-found' || kind === 'invalid-request';
}

async function readRequests(
  db: Db,
  { table, flag }: RequestKind,
): Promise<readonly { readonly id: string; readonly written: string }[]> {
  const { rows } = await db.query<{ id: string; written: string }>(
    `select t._id_ as id, t.${pg.escapeIdentifier(flag.name)}::text as written
     from ${pg.escapeIdentifier(table)} t where ${flagSql(flag)} order by t._id_ for no key update of t skip locked`,
  );
  return rows;
}
