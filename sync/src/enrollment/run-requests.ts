/**
 * Executes the requests to Journey that Helium makes by setting flags. For each flag it makes the
 * call; then one transaction writes the result and the time and unsets the flag. Before a call that
 * signs a person out, Journey's state is saved. After a lost response or a kill, that state is
 * compared with Journey's first: what has happened is not repeated. A result that cannot be written
 * is kept until it can. A code may be created again after a lost response: no one has used it.
 */
import { Invalid, Problem, Unreachable } from '@portal/kit/problems';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import { lockTimeoutMs } from '../helium/limit-waits.ts';
import { type Cells, type ColumnType, isText } from './cells.ts';
import {
  type Attempt,
  readAttempt,
  removeAttempt,
  removeOtherAttempts,
  saveAttempt,
} from './enrollment-requests.store.ts';
import { type EnrollmentRound, inAppTransaction } from './enrollment-round.ts';
import { flagSql, unsetFlag } from './flags.ts';
import { hasTakenEffect, type SignIn } from './sign-ins.ts';
import { updateChanged } from './write-cells.ts';

/** How many requests are attempted before new ones may interrupt. */
const minAttempts = 20;

/** A call that can be made. */
interface PreparedCall {
  /** What Journey shows before the call; null when the call may be repeated. */
  readonly before: readonly SignIn[] | null;
  readonly call: () => Promise<void>;
  /** Returns the cells of the result columns. Called after the call. */
  readonly toResult: () => Cells;
}

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
   * Prepares the call for a row; returns null when it cannot be made yet.
   *
   * @param user the id in `userColumn`
   * @param isRepeated whether the outcome of an earlier call is not known: then Journey is asked
   */
  prepare(
    id: string,
    options: { readonly user: string | null; readonly isRepeated: boolean },
  ): Promise<PreparedCall | null>;
  /** Called after the result for a row was written. */
  readonly onDone?: ((id: string) => Promise<void>) | undefined;
}

/**
 * Returns how many requests were executed. A request that fails stays, and waits for its next
 * attempt. A row that another session has locked waits, so that its result can be written. Requests
 * with the fewest attempts are executed first. Returns early when there are new requests, which may
 * be more urgent. Throws when several requests in a row fail for the same reason.
 */
export async function runRequests(round: EnrollmentRound, kind: RequestKind): Promise<number> {
  const { pending, signal } = round;
  const toName = (id: string) => `${kind.name} of ${kind.table} ${id}`;
  const flag = toFlagName(kind);
  const ids = await inAppTransaction(round, async (db) => {
    const found = await readRequests(db, kind);
    await removeOtherAttempts(db, { stateKey: round.stateKey, flag }, found);
    return found;
  });
  let attempts = 0;
  let completed = 0;
  for (const id of pending.sortByAttempts(ids, toName)) {
    if (pending.hasNew && attempts >= minAttempts) break;
    signal.throwIfAborted();
    const name = toName(id);
    if (!pending.isDue(name)) continue;
    attempts += 1;
    if (!(await runRequest(round, kind, { id, name }))) continue;
    round.log('INFO', `${name}: done.`);
    completed += 1;
    await kind.onDone?.(id);
  }
  return completed;
}

function toFlagName({ table, flag }: RequestKind): string {
  return `${table}.${flag.name}`;
}

/** Returns whether the request is done. */
async function runRequest(
  round: EnrollmentRound,
  kind: RequestKind,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<boolean> {
  const { pending, log } = round;
  const key = { stateKey: round.stateKey, flag: toFlagName(kind), rowId: id };
  const request = await inAppTransaction(round, async (db) => {
    const free = await readFreeRequest(db, kind, id);
    return free && { ...free, attempt: await readAttempt(db, key) };
  });
  if (request === undefined) {
    pending.postpone(name);
    return false;
  }
  const { attempt, written } = request;
  const save = (next: Attempt | null) =>
    inAppTransaction(round, (db) => (next ? saveAttempt(db, key, next) : removeAttempt(db, key)));
  const execute = () => executeOnce(kind, { id, ...request }, save);
  const cells = attempt.result ?? (await skipRejected(round, name, execute));
  if (cells === null) return false;
  try {
    const isWritten = await inAppTransaction(
      round,
      async (db) => {
        await removeAttempt(db, key);
        return saveResult(db, kind, { id, written, cells });
      },
      lockTimeoutMs,
    );
    if (isWritten) pending.succeed(name);
    else pending.postpone(name);
    return isWritten;
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof Unreachable)) throw error;
    await save({ before: attempt.before, result: cells });
    const next = 'It is not executed again; its result is written as soon as that is possible.';
    if (pending.reject(name, error.message)) log('WARNING', `${name} was executed. ${error.message} ${next}`);
    return false;
  }
}

/** Makes the call, unless Journey shows that it has taken effect already. */
async function executeOnce(
  kind: RequestKind,
  { id, user, attempt }: { readonly id: string; readonly user: string | null; readonly attempt: Attempt },
  save: (next: Attempt | null) => Promise<void>,
): Promise<Cells | null> {
  const prepared = await kind.prepare(id, { user, isRepeated: attempt.before !== null });
  if (prepared === null) return null;
  const { before, call, toResult } = prepared;
  if (before !== null) {
    if (attempt.before !== null && hasTakenEffect(attempt.before, before)) return toResult();
    if (attempt.before === null) await save({ before, result: null });
  }
  try {
    await call();
  } catch (error) {
    // Nothing has happened, so what the person does until the next attempt is not its effect.
    if (before !== null && error instanceof JourneyProblem && !error.mayBeApplied) await save(null);
    throw error;
  }
  return toResult();
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
 * Runs requests during a round, which continues when they fail: what Journey lists is written
 * anyway. They count as new, and are retried after the round.
 */
export async function attemptInRound(round: EnrollmentRound, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    round.log('WARNING', `Enrollment requests: ${error.message}`);
    return 0;
  }
}

/** No call was made, or none would be answered: it concerns all requests. */
const outageKinds: ReadonlySet<string> = new Set(['unreachable', 'rate-limited', 'throttled']);

/**
 * Returns null when the request cannot be executed yet, or its retry is not due. Logs a warning
 * when it fails for another reason than before. Throws when Journey cannot be called, or when
 * several requests in a row fail for the same reason: then it is not this user's trouble.
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
    if (!(error instanceof JourneyProblem) || outageKinds.has(error.failure.kind)) throw error;
    if (pending.reject(name, error.message)) log('WARNING', `${name} stays pending: ${error.message}`);
    if (concernsOneRow(error)) pending.endStreak();
    else if (pending.isStreak(name, error.failure.kind)) throw error;
    return null;
  }
}

/** Whether Journey itself has rejected the call, for this row only. */
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
  const onRefused = (_id: string, reason: string) => {
    throw new Invalid(reason);
  };
  const target = { table, columns: [flag, ...resultColumns], onRefused };
  return (await updateChanged(db, target, [{ id, cells: { ...cells, [flag.name]: unset } }], { waits: true })) > 0;
}
