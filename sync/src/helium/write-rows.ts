import { resetAfterUse } from '@portal/kit/postgres/connection-share';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import type { ObjectMap } from '../mapping/object-map.ts';
import { keyText } from '../record/record-key.ts';
import { readBlobColumns } from './blob-columns.ts';
import { canResolveLater, findNulCharacter, foreignKeyViolation } from './content-refusal.ts';
import type { RowLockParts } from './describe-row-locks.ts';
import { findMissingParents, getParents, lockParents } from './find-missing-parents.ts';
import type { Db, HeliumOutcome, HeliumWrite, WriteOptions } from './helium-gateway.ts';
import { LockSearch } from './limit-waits.ts';
import { type Failures, type RunStep, runStep } from './run-step.ts';
import { quote } from './sql-names.ts';
import { isTaken } from './unique-keys.ts';
import { nameBlockers, type RefusedRound, writeInOrder } from './write-in-order.ts';
import { filterSteps, type IndexedWrite, planSteps, type WriteStep } from './write-steps.ts';

/**
 * Writes everything that can be written. `db` must be in a transaction, and each key may occur
 * once. Throws lost connections and anything else that is not caused by a record or a lock.
 *
 * It works in rounds. A round in which PostgreSQL refuses records, or locks of other sessions keep
 * them from being written, is rolled back and repeated without them. So a record that refers to one
 * of them is parked, or waits with it, instead of being written without its reference.
 */
export async function writeRows(
  parts: RowLockParts,
  objects: readonly ObjectMap[],
  writes: readonly HeliumWrite[],
  { leavesBlocked = false }: WriteOptions = {},
): Promise<HeliumOutcome[]> {
  const { db, schema } = parts;
  const mapByTable = new Map(objects.map((map) => [map.table, map]));
  const outcomes = new Map<number, HeliumOutcome>();
  let remainingWrites = writes.map((write, index): IndexedWrite => ({ index, write }));
  const touched = objects.filter(({ table }) => writes.some(({ key }) => key.table === table));
  for (const { write, index } of remainingWrites) {
    if (!mapByTable.has(write.key.table)) throw new Error(`No object is mapped to ${keyText(write.key)}.`);
    const problem = findNulCharacter(write);
    if (problem) outcomes.set(index, problem);
  }
  const toOutcomes = () => writes.map((_, index): HeliumOutcome => outcomes.get(index) ?? { status: 'written' });
  const dropSettled = () => {
    remainingWrites = remainingWrites.filter(({ index }) => !outcomes.has(index));
  };
  dropSettled();

  resetAfterUse(db);
  // The app's triggers and defaults may rely on its schema being in the search path. A deferred
  // constraint would fail at commit, too late to find the record.
  await db.query(`set local search_path to ${quote(schema)}, public ${portalMark}; set constraints all immediate`);
  // While it receives a large statement, the server counts the transaction as idle.
  if (writes.some(({ blobs = {} }) => Object.keys(blobs).length > 0))
    await db.query(`set local idle_in_transaction_session_timeout = '30s'`);
  const blobColumns = await readBlobColumns(db, schema, touched);
  const parents = remainingWrites.flatMap((indexed) => {
    const map = mapByTable.get(indexed.write.key.table);
    return map ? getParents(map, indexed) : [];
  });
  const { existing, busy } = await lockParents(parts, parents);
  const waiting = new Map(busy);
  const search = new LockSearch();

  while (remainingWrites.length > 0) {
    for (const [index, missing] of findMissingParents(mapByTable, remainingWrites, existing)) {
      const [reason] = missing.flatMap((key) => waiting.get(keyText(key)) ?? []);
      outcomes.set(index, reason === undefined ? { status: 'parked', missing } : { status: 'waiting', reason });
      const key = writes[index]?.key;
      if (reason !== undefined && key) waiting.set(keyText(key), reason);
    }
    dropSettled();
    await db.query('savepoint helium_round');
    const failures = await runRound(db, schema, planSteps(touched, remainingWrites, blobColumns), {
      search,
      maxTried: leavesBlocked ? 0 : maxTriedRows,
    });
    if (failures.size === 0) {
      await db.query(`release savepoint helium_round; ${leaveAppSql}`);
      return toOutcomes();
    }
    await db.query('rollback to savepoint helium_round; release savepoint helium_round');
    for (const [index, failure] of selectRootCauses(failures)) {
      outcomes.set(index, failure);
      const key = writes[index]?.key;
      if (failure.status === 'waiting' && key)
        waiting.set(keyText(key), `${keyText(key)}, which it references, is not written yet: ${failure.reason}`);
    }
    dropSettled();
  }
  await db.query(leaveAppSql);
  return toOutcomes();
}

/** What follows in the transaction uses nothing of the app, nor of others in `public`. */
const leaveAppSql = 'set local search_path to pg_catalog';

/**
 * Returns the failures without those that were caused by another failed row: the next round handles
 * them.
 */
function selectRootCauses(failures: Failures): Failures {
  const causes = new Map(
    [...failures].filter(([, failure]) => failure.status === 'waiting' || failure.kind !== foreignKeyViolation),
  );
  return causes.size > 0 ? causes : failures;
}

/**
 * Runs all steps. Then runs those of the refused rows again for as long as at least one of them
 * succeeds: a constraint may hold once the others are written, and a value may be free.
 */
async function runRound(
  db: Db,
  schema: string,
  steps: readonly WriteStep[],
  { search, maxTried }: { readonly search: LockSearch; readonly maxTried: number },
): Promise<Failures> {
  const run: RunStep = (step) => runStep(db, schema, step, search);
  const runAll = (chosen: readonly WriteStep[]) => runSteps(chosen, run);
  const failures = await runAll(steps);
  const round: RefusedRound = { db, schema, steps, failures, run, runAll };
  let left = maxTried;
  while (failures.size > 0) {
    if (await retryRefused(round)) continue;
    if (await writeInOrder(round)) continue;
    const tried = await tryBlocked(round, left);
    if (!tried.isWritten) break;
    left = tried.left;
  }
  if (failures.size > 0) await nameBlockers(round);
  return failures;
}

/** Retries each refused row that does not wait for a value. Returns whether any was written. */
async function retryRefused({ steps, failures, runAll }: RefusedRound): Promise<boolean> {
  let isWritten = false;
  for (const [index, failure] of [...failures]) {
    if (failure.status === 'waiting' || !canResolveLater(failure) || isTaken(failure)) continue;
    const retryFailures = await runAll(filterSteps(steps, (row) => row === index));
    if (retryFailures.size > 0) continue;
    failures.delete(index);
    isWritten = true;
  }
  return isWritten;
}

/** A refused row takes several statements, and sessions of the app may wait for the transaction. */
const maxTriedRows = 50;

/**
 * Tries rows that wait for a value, because only PostgreSQL knows whether it accepts them. Returns
 * whether any was written, and how many more can be tried.
 */
async function tryBlocked(
  { steps, failures, runAll }: RefusedRound,
  maxTried: number,
): Promise<{ readonly isWritten: boolean; readonly left: number }> {
  let [isWritten, left] = [false, maxTried];
  for (const [index, failure] of [...failures]) {
    if (failure.status === 'waiting' || !failure.isUntried) continue;
    if (left === 0) break;
    left -= 1;
    const found = await runAll(filterSteps(steps, (row) => row === index));
    if (found.size === 0) failures.delete(index);
    isWritten ||= found.size === 0;
    for (const [row, one] of found) failures.set(row, one);
  }
  return { isWritten, left };
}

async function runSteps(steps: readonly WriteStep[], run: RunStep): Promise<Failures> {
  const failures: Failures = new Map();
  for (const step of steps) {
    const [remaining] = failures.size === 0 ? [step] : filterSteps([step], (index) => !failures.has(index));
    if (!remaining) continue;
    for (const [index, failure] of await run(remaining)) failures.set(index, failure);
  }
  return failures;
}
