import type { ObjectMap } from '../mapping/object-map.ts';
import { keyText } from '../record/record-key.ts';
import { readBlobColumns } from './blob-columns.ts';
import { foreignKeyViolation, mayResolve, nulProblem } from './content-problem.ts';
import { findMissingParents, findThere, parentsOf } from './find-missing-parents.ts';
import type { Db, HeliumOutcome, HeliumWrite } from './helium-end.ts';
import { quote } from './log-names.ts';
import { type Refusals, runStep } from './run-step.ts';
import { type Numbered, planSteps, type WriteStep } from './write-steps.ts';

/**
 * Writes all that can be written; `db` must be in a transaction, each key may be there once.
 * Deadlocks, lost connections and whatever else is not a record's own fault are thrown.
 *
 * It goes in rounds: when a round finds records that PostgreSQL refuses, it is taken back and made
 * anew without them, so that whoever points at one of them waits for it instead of being written
 * half.
 */
export async function writeRows(
  db: Db,
  schema: string,
  objects: readonly ObjectMap[],
  writes: readonly HeliumWrite[],
): Promise<HeliumOutcome[]> {
  const mapOf = new Map(objects.map((map) => [map.table, map]));
  const outcomes = new Map<number, HeliumOutcome>();
  let open = writes.map((write, no): Numbered => ({ no, write }));
  const touched = objects.filter(({ table }) => writes.some(({ key }) => key.table === table));
  for (const { write, no } of open) {
    if (!mapOf.has(write.key.table)) throw new Error(`No object is mapped to ${keyText(write.key)}.`);
    const problem = nulProblem(write);
    if (problem) outcomes.set(no, problem);
  }
  const settle = () => {
    open = open.filter(({ no }) => !outcomes.has(no));
  };
  settle();

  // The app's triggers and defaults may count on its schema; a constraint that waits for the commit
  // would fail too late.
  await db.query(`set local search_path to ${quote(schema)}, public; set constraints all immediate`);
  const blobColumns = await readBlobColumns(db, schema, touched);
  const parents = open.flatMap((numbered) => {
    const map = mapOf.get(numbered.write.key.table);
    return map ? parentsOf(map, numbered) : [];
  });
  const there = await findThere(db, schema, parents);

  while (open.length > 0) {
    for (const [no, missing] of findMissingParents(mapOf, open, there)) outcomes.set(no, { is: 'parked', missing });
    settle();
    await db.query('savepoint helium_round');
    const refusals = await runRound(db, schema, planSteps(touched, open, blobColumns));
    if (refusals.size === 0) {
      await db.query('release savepoint helium_round');
      break;
    }
    await db.query('rollback to savepoint helium_round; release savepoint helium_round');
    for (const [no, refused] of causesAmong(refusals)) outcomes.set(no, refused);
    settle();
  }
  return writes.map((_, no) => outcomes.get(no) ?? { is: 'written' });
}

/**
 * Without those that were refused for the want of a row that was refused itself: the next round
 * knows better.
 */
function causesAmong(refusals: Refusals): Refusals {
  const causes = new Map([...refusals].filter(([, { kind }]) => kind !== foreignKeyViolation));
  return causes.size > 0 ? causes : refusals;
}

/**
 * Runs all steps; what broke a constraint gets another chance after them, for as long as that helps
 * somebody.
 */
async function runRound(db: Db, schema: string, steps: readonly WriteStep[]): Promise<Refusals> {
  const refusals = await runSteps(db, schema, steps);
  for (let before = Number.POSITIVE_INFINITY; refusals.size < before; ) {
    before = refusals.size;
    for (const [no, refused] of [...refusals]) {
      if (!mayResolve(refused)) continue;
      const again = await runSteps(
        db,
        schema,
        stepsOf(steps, (row) => row === no),
      );
      if (again.size === 0) refusals.delete(no);
    }
  }
  return refusals;
}

async function runSteps(db: Db, schema: string, steps: readonly WriteStep[]): Promise<Refusals> {
  const refusals: Refusals = new Map();
  for (const step of steps) {
    const [stillOpen] = refusals.size === 0 ? [step] : stepsOf([step], (no) => !refusals.has(no));
    if (!stillOpen) continue;
    for (const [no, refused] of await runStep(db, schema, stillOpen)) refusals.set(no, refused);
  }
  return refusals;
}

function stepsOf(steps: readonly WriteStep[], isWanted: (no: number) => boolean): WriteStep[] {
  return steps
    .map((step) => ({ ...step, rows: step.rows.filter(({ no }) => isWanted(no)) }))
    .filter(({ rows }) => rows.length > 0);
}
