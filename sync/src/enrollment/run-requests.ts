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

/** How many requests are attempted before new ones may interrupt. */
const minAttempts = 20;

interface RequestKind {
  readonly table: string;
  /** The column that holds the request. */
  readonly flag: ColumnType;
  /** The columns that the result fills. */
  readonly resultColumns: readonly ColumnType[];
  /** For the log: 'Re-enrollment'. */
  readonly name: string;
  /** The column that refers to the user, in a table of sessions. */
  readonly userColumn?: ColumnType | undefined;
  /**
   * Makes the call for a row. Returns the cells of the result columns; null when the call cannot be
   * made yet.
   *
   * @param user the id in `userColumn`
   */
  execute(id: string, user: string | null): Promise<Cells | null>;
}

/**
 * Returns how many requests were executed. When Journey rejects one row, that is logged and the
 * request stays; other failures are thrown. A row that another session has locked waits, so that
 * its result can be written. Returns early when there are new requests, which may be more urgent.
 */
export async function runRequests(round: EnrollmentRound, kind: RequestKind): Promise<number> {
  const { pending, signal } = round;
  let attempts = 0;
  let completed = 0;
  for (const id of await inAppTransaction(round, (db) => readRequests(db, kind))) {
    if (pending.hasNew && attempts >= minAttempts) break;
    signal.throwIfAborted();
    const name = `${kind.name} of ${kind.table} ${id}`;
    if (!pending.isDue(name)) continue;
    attempts += 1;
    const request = await inAppTransaction(round, (db) => readFreeRequest(db, kind, id));
    const cells = request && (await skipRejected(round, name, () => kind.execute(id, request.user)));
    if (cells === null) continue;
    const save = request && cells && ((db: Db) => saveResult(db, kind, { id, ...request, cells }));
    if (save && (await inAppTransaction(round, save, singleRowLockTimeoutMs))) {
      round.log('INFO', `${name}: done.`);
      completed += 1;
    } else pending.postpone(name);
  }
  return completed;
}

/**
 * Attempts all requests of an integration, unless Helium-to-Journey is off. What is left after a
 * failure counts as new.
 */
export async function attemptAll(round: EnrollmentRound, work: () => Promise<number>): Promise<number> {
  const { pending } = round;
  if (!round.heliumToJourneyEnabled) return 0;
  const startedAtMs = pending.start();
  try {
    const completed = await work();
    if (!pending.hasNew) pending.finish(startedAtMs);
    return completed;
  } catch (error) {
    pending.addNew();
    throw error;
  }
}

/**
 * Returns null when the request cannot be executed yet, or its retry is not due. Logs a warning when
 * Journey rejects it for another reason than before.
 */
export async function skipRejected<T>(
  { pending, log }: EnrollmentRound,
  name: string,
  call: () => Promise<T | null>,
): Promise<T | null> {
  if (!pending.isDue(name)) return null;
  try {
    const result = await call();
    if (result === null) pending.reject(name, '');
    else pending.succeed(name);
    return result;
  } catch (error) {
    if (!(error instanceof JourneyProblem) || !concernsOneRow(error)) throw error;
    if (pending.reject(name, error.message)) log('WARNING', `${name} stays pending: ${error.message}`);
    return null;
  }
}

/** Whether the call was rejected for this row only, so that others may still succeed. */
export function concernsOneRow({ failure: { kind } }: JourneyProblem): boolean {
  return kind === 'not-found' || kind === 'invalid-request';
}

async function readRequests(db: Db, { table, flag }: RequestKind): Promise<readonly string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select t._id_ as id from ${pg.escapeIdentifier(table)} t where ${flagSql(flag)} order by t._id_`,
  );
  return rows.map(({ id }) => id);
}

interface FreeRequest {
  /** The flag's value as text. */
  readonly written: string;
  readonly user: string | null;
}

/** Returns undefined when the request was withdrawn, or another session has locked the row. */
async function readFreeRequest(
  db: Db,
  { table, flag, userColumn }: RequestKind,
  id: string,
): Promise<FreeRequest | undefined> {
  const user = userColumn === undefined ? 'null' : `t.${pg.escapeIdentifier(userColumn.name)}`;
  const { rows } = await db.query<FreeRequest>(
    `select t.${pg.escapeIdentifier(flag.name)}::text as written, ${user}::text as user
     from ${pg.escapeIdentifier(table)} t where t._id_ = $1 and ${flagSql(flag)} for no key update skip locked`,
    [id],
  );
  return rows[0];
}

/**
 * Writes the result and unsets the flag. Returns whether the row was written. It waits for a locked
 * row: left for the next round, the request would be executed again.
 */
async function saveResult(
  db: Db,
  { table, flag, resultColumns }: RequestKind,
  { id, written, cells }: { readonly id: string; readonly written: string; readonly cells: Cells },
): Promise<boolean> {
  const unset = isText(flag.type) ? unsetFlag(written) : false;
  const columns = [flag, ...resultColumns];
  return (
    (await updateChanged(db, { table, columns }, [{ id, cells: { ...cells, [flag.name]: unset } }], { waits: true })) >
    0
  );
}
