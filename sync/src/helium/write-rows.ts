import { resetAfterUse } from '@portal/kit/postgres/connection-share';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import type { ObjectMap } from '../mapping/object-map.ts';
import { keyText } from '../record/record-key.ts';
import { readBlobColumns } from './blob-columns.ts';
import { canResolveLater, findNulCharacter, foreignKeyViolation } from './content-refusal.ts';
import type { RowLockParts } from './describe-row-locks.ts';
import { findMissingParents, getParents, lockParents } from './find-missing-parents.ts';
import type { Db, HeliumOutcome, HeliumWrite } from './helium-gateway.ts';
import { LockSearch } from './limit-waits.ts';
import { resolveSwaps } from './resolve-swaps.ts';
import { type Failures, runStep } from './run-step.ts';
import { quote } from './sql-names.ts';
import { type IndexedWrite, planSteps, type WriteStep } from './write-steps.ts';

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
    const failures = await runRound(db, schema, planSteps(touched, remainingWrites, blobColumns), search);
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
 * Runs all steps, then retries rows that violated a constraint for as long as at least one of them
 * succeeds, alone or together with those that block it.
 */
async function runRound(db: Db, schema: string, steps: readonly WriteStep[], search: LockSearch): Promise<Failures> {
  const failures = await runSteps(db, schema, steps, search);
  const runRows = (isWanted: (index: number) => boolean) => runSteps(db, schema, filterSteps(steps, isWanted), search);
  do {
    await retryRefused(failures, runRows);
  } while (failures.size > 0 && (await resolveSwaps(db, schema, { steps, failures, runRows })));
  return failures;
}

async function retryRefused(
  failures: Failures,
  runRows: (isWanted: (index: number) => boolean) => Promise<Failures>,
): Promise<void> {
  for (let previousSize = Number.POSITIVE_INFINITY; failures.size < previousSize; ) {
    previousSize = failures.size;
    for (const [index, failure] of [...failures]) {
      if (failure.status === 'waiting' || !canResolveLater(failure)) continue;
      const retryFailures = await runRows((row) => row === index);
      if (retryFailures.size === 0) failures.delete(index);
    }
  }
}

async function runSteps(db: Db, schema: string, steps: readonly WriteStep[], search: LockSearch): Promise<Failures> {
  const failures: Failures = new Map();
  for (const step of steps) {
    const [remaining] = failures.size === 0 ? [step] : filterSteps([step], (index) => !failures.has(index));
    if (!remaining) continue;
    for (const [index, failure] of await runStep(db, schema, remaining, search)) failures.set(index, failure);
  }
  return failures;
}

function filterSteps(steps: readonly WriteStep[], isWanted: (index: number) => boolean): WriteStep[] {
  return steps
    .map((step) => ({ ...step, rows: step.rows.filter(({ index }) => isWanted(index)) }))
    .filter(({ rows }) => rows.length > 0);
}
