/**
 * Flags that are set in Helium to ask for something of Journey. For each: the call, then in one statement its result, the
 * flag unset and the moment. A crash between the two repeats the call and harms nobody: a second re-enrollment or
 * re-authentication finds what the first left, a second code replaces the first. So calls are made at least once, and
 * never again after their flag is unset.
 */
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import pg from 'pg';
import type { Db } from '../helium/helium-end.ts';
import { type Cells, type ColumnType, isText } from './cells.ts';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { flagSql, unsetFlag } from './flags.ts';
import { updateChanged } from './write-cells.ts';

export interface RequestKind {
  readonly table: string;
  /** The column in which it is asked. */
  readonly flag: ColumnType;
  /** Columns that the answer fills. */
  readonly filled: readonly ColumnType[];
  /** For the log: 'Re-enrollment'. */
  readonly name: string;
  /** Makes the call for the row; answers the cells of the filled columns, or null when it cannot be done yet. */
  carryOut(id: string): Promise<Cells | null>;
}

/** Answers how many were carried out. What Journey refuses for one row is logged and stays asked; other trouble is thrown. */
export async function answerRequests(round: EnrollmentRound, kind: RequestKind): Promise<number> {
  let carriedOut = 0;
  for (const { id, written } of await inAppTransaction(round, (db) => readRequests(db, kind))) {
    round.signal.throwIfAborted();
    const cells = await orPostpone(round, `${kind.name} of ${kind.table} ${id}`, () => kind.carryOut(id));
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

/** Null, and a line in the log, when Journey refuses this one. */
export async function orPostpone<T>(
  round: EnrollmentRound,
  name: string,
  call: () => Promise<T | null>,
): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof JourneyProblem) || !isAboutOne(error)) throw error;
    round.log('WARNING', `${name} stays asked: ${error.message}`);
    return null;
  }
}

export function isAboutOne({ failure: { kind } }: JourneyProblem): boolean {
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
