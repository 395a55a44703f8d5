import type { ObjectMap } from '../mapping/object-map.ts';
import { keyText } from '../record/record-key.ts';
import { readBlobColumns } from './blob-columns.ts';
import { canResolveLater, findNulCharacter, foreignKeyViolation } from './content-refusal.ts';
import { findMissingParents, getParents, lockExistingRows } from './find-missing-parents.ts';
import type { Db, HeliumOutcome, HeliumWrite } from './helium-gateway.ts';
import { resolveSwaps } from './resolve-swaps.ts';
import { type Refusals, runStep } from './run-step.ts';
import { quote } from './sql-names.ts';
import { type IndexedWrite, planSteps, type WriteStep } from './write-steps.ts';

/**
 * Writes everything that can be written. `db` must be in a transaction, and each key may occur
 * once. Throws deadlocks, lost connections and anything else that is not caused by a record.
 *
 * It works in rounds. A round in which PostgreSQL refuses records is rolled back and repeated
 * without them, so that a record that refers to one of them is parked instead of being written
 * without its reference.
 */
export async function writeRows(
  db: Db,
  schema: string,
  objects: readonly ObjectMap[],
  writes: readonly HeliumWrite[],
): Promise<HeliumOutcome[]> {
  const mapByTable = new Map(objects.map((map) => [map.table, map]));
  const outcomes = new Map<number, HeliumOutcome>();
  let remainingWrites = writes.map((write, index): IndexedWrite => ({ index, write }));
  const touched = objects.filter(({ table }) => writes.some(({ key }) => key.table === table));
  for (const { write, index } of remainingWrites) {
    if (!mapByTable.has(write.key.table)) throw new Error(`No object is mapped to ${keyText(write.key)}.`);
    const problem = findNulCharacter(write);
    if (problem) outcomes.set(index, problem);
  }
  const dropSettled = () => {
    remainingWrites = remainingWrites.filter(({ index }) => !outcomes.has(index));
  };
  dropSettled();

  // The app's triggers and defaults may rely on its schema being in the search path. A deferred
  // constraint would fail at commit, too late to find the record.
  await db.query(`set local search_path to ${quote(schema)}, public; set constraints all immediate`);
  // While it receives a large statement, the server counts the transaction as idle.
  if (writes.some(({ blobs = {} }) => Object.keys(blobs).length > 0))
    await db.query(`set local idle_in_transaction_session_timeout = '30s'`);
  const blobColumns = await readBlobColumns(db, schema, touched);
  const parents = remainingWrites.flatMap((indexed) => {
    const map = mapByTable.get(indexed.write.key.table);
    return map ? getParents(map, indexed) : [];
  });
  const existing = await lockExistingRows(db, schema, parents);

  while (remainingWrites.length > 0) {
    for (const [index, missing] of findMissingParents(mapByTable, remainingWrites, existing))
      outcomes.set(index, { status: 'parked', missing });
    dropSettled();
    await db.query('savepoint helium_round');
    const refusals = await runRound(db, schema, planSteps(touched, remainingWrites, blobColumns));
    if (refusals.size === 0) {
      await db.query('release savepoint helium_round');
      break;
    }
    await db.query('rollback to savepoint helium_round; release savepoint helium_round');
    for (const [index, refusal] of selectRootCauses(refusals)) outcomes.set(index, refusal);
    dropSettled();
  }
  return writes.map((_, index) => outcomes.get(index) ?? { status: 'written' });
}

/**
 * Returns the refusals without those that were caused by another refused row: the next round
 * handles them.
 */
function selectRootCauses(refusals: Refusals): Refusals {
  const causes = new Map([...refusals].filter(([, { kind }]) => kind !== foreignKeyViolation));
  return causes.size > 0 ? causes : refusals;
}

/**
 * Runs all steps, then retries rows that violated a constraint for as long as at least one of them
 * succeeds, alone or together with those that block it.
 */
async function runRound(db: Db, schema: string, steps: readonly WriteStep[]): Promise<Refusals> {
  const refusals = await runSteps(db, schema, steps);
  const runRows = (isWanted: (index: number) => boolean) => runSteps(db, schema, filterSteps(steps, isWanted));
  do {
    await retryRefused(refusals, runRows);
  } while (refusals.size > 0 && (await resolveSwaps(db, schema, { steps, refusals, runRows })));
  return refusals;
}

async function retryRefused(
  refusals: Refusals,
  runRows: (isWanted: (index: number) => boolean) => Promise<Refusals>,
): Promise<void> {
  for (let previousSize = Number.POSITIVE_INFINITY; refusals.size < previousSize; ) {
    previousSize = refusals.size;
    for (const [index, refusal] of [...refusals]) {
      if (!canResolveLater(refusal)) continue;
      const retryRefusals = await runRows((row) => row === index);
      if (retryRefusals.size === 0) refusals.delete(index);
    }
  }
}

async function runSteps(db: Db, schema: string, steps: readonly WriteStep[]): Promise<Refusals> {
  const refusals: Refusals = new Map();
  for (const step of steps) {
    const [remaining] = refusals.size === 0 ? [step] : filterSteps([step], (index) => !refusals.has(index));
    if (!remaining) continue;
    for (const [index, refusal] of await runStep(db, schema, remaining)) refusals.set(index, refusal);
  }
  return refusals;
}

function filterSteps(steps: readonly WriteStep[], isWanted: (index: number) => boolean): WriteStep[] {
  return steps
    .map((step) => ({ ...step, rows: step.rows.filter(({ index }) => isWanted(index)) }))
    .filter(({ rows }) => rows.length > 0);
}
