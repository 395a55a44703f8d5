/**
 * Writes rows that get values of a unique key which other rows still have. PostgreSQL checks each
 * row as it is written, so their order matters; see `order-rows.ts`. Each table takes a few
 * statements, however many rows there are.
 */
import { createFields } from '../record/fields.ts';
import { keyText } from '../record/record-key.ts';
import { maxFreeValues, type Vacated, vacate } from './free-values.ts';
import type { Db } from './helium-gateway.ts';
import { type BlockedBy, orderRows, WriteOrder } from './order-rows.ts';
import type { Failures, RunStep } from './run-step.ts';
import { qualified } from './sql-names.ts';
import { findBlockers, isTaken, readUniqueKeys, type UniqueKey, type WantedRow } from './unique-keys.ts';
import { filterSteps, type StepRow, type WriteStep } from './write-steps.ts';

/** What PostgreSQL refused in a round, and how its steps are run. */
export interface RefusedRound {
  readonly db: Db;
  readonly schema: string;
  readonly steps: readonly WriteStep[];
  readonly failures: Failures;
  readonly run: RunStep;
  /** Runs the steps in their order; returns the failures. */
  readonly runAll: (steps: readonly WriteStep[]) => Promise<Failures>;
}

/** A row that PostgreSQL refused because another row has its value. */
interface RefusedRow extends WantedRow {
  readonly index: number;
  /** Whether it does not exist yet. */
  readonly isInsert: boolean;
}

interface BlockedRows {
  readonly rows: ReadonlyMap<string, RefusedRow>;
  /** By row. */
  readonly blockedBy: BlockedBy;
  /** By row that has a value: the columns it can give up, one for each key. */
  readonly vacated: ReadonlyMap<string, readonly Vacated[]>;
  /** The rows that have a value which they keep. */
  readonly fixed: ReadonlySet<string>;
}

/**
 * Writes refused rows whose values get free, and removes their failures. Returns whether there were
 * any.
 */
export async function writeInOrder(round: RefusedRound): Promise<boolean> {
  let isWritten = false;
  for (const table of getRefusedTables(round)) {
    const keys = await readUniqueKeys(round.db, round.schema, table);
    const found = await findBlocked(round, table, keys);
    // These do not depend on free values.
    const isChainWritten = await writeChains(round, table, found);
    const left = isChainWritten ? await findBlocked(round, table, keys) : found;
    const isRingWritten = await writeRings(round, table, left);
    isWritten ||= isChainWritten || isRingWritten;
  }
  return isWritten;
}

async function writeChains(round: RefusedRound, table: string, { rows, blockedBy }: BlockedRows): Promise<boolean> {
  const { order } = orderRows(blockedBy, () => false);
  const chosen = order.flatMap((id) => rows.get(id) ?? []);
  const failed = await runInOrder(round, table, chosen, blockedBy);
  for (const [index, failure] of failed) round.failures.set(index, failure);
  const written = chosen.filter(({ index }) => !failed.has(index));
  for (const { index } of written) round.failures.delete(index);
  return written.length > 0;
}

/** Writes rows that wait for each other all together, or none of them. */
async function writeRings(
  round: RefusedRound,
  table: string,
  { rows, blockedBy, vacated, fixed }: BlockedRows,
): Promise<boolean> {
  const { db, schema, failures } = round;
  const isLeft = (id: string) => isTaken(failures.get(rows.get(id)?.index ?? -1));
  const left = new Map([...blockedBy].filter(([id]) => isLeft(id)));
  for (let attempt = 0; attempt < maxFreeValues; ) {
    const plan = orderRows(left, (id) => vacated.has(id) && !fixed.has(id));
    const chosen = plan.order.flatMap((id) => rows.get(id) ?? []);
    if (plan.vacated.size === 0) return false;
    const given = [...plan.vacated].flatMap((id) => vacated.get(id) ?? []);
    await db.query('savepoint helium_ring');
    const isVacated = await vacate(db, qualified(schema, table), { vacated: given, wanted: chosen, attempt });
    const failed = isVacated ? await runInOrder(round, table, chosen, left) : null;
    if (failed?.size === 0) {
      await db.query('release savepoint helium_ring');
      for (const { index } of chosen) failures.delete(index);
      return true;
    }
    await db.query('rollback to savepoint helium_ring; release savepoint helium_ring');
    for (const [index, failure] of failed ?? []) if (failure.status === 'waiting') failures.set(index, failure);
    if (failed) for (const { id } of chosen.filter(({ index }) => failed.has(index))) left.delete(id);
    else attempt += 1;
  }
  return false;
}

/**
 * Adds to the failures that remain which rows have the values. Rows that were not tried wait for
 * these.
 */
export async function nameBlockers(round: RefusedRound): Promise<void> {
  const { db, schema, failures } = round;
  for (const table of getRefusedTables(round)) {
    const { rows, blockedBy } = await findBlocked(round, table, await readUniqueKeys(db, schema, table));
    for (const { id, index } of rows.values()) {
      const failure = failures.get(index);
      const keys = [...(blockedBy.get(id) ?? [])].map((blocker) => ({ table, id: blocker }));
      if (failure?.status !== 'refused') continue;
      const names = keys.map(keyText).join(', ');
      if (failure.isUntried) {
        const reason = `It waits for a value that ${keys.length > 0 ? names : 'another record'} has in Helium.`;
        failures.set(index, { status: 'waiting', reason, blockedBy: keys });
      } else if (keys.length > 0) {
        const reason = `${failure.reason} In Helium, ${names} has this value.`;
        failures.set(index, { ...failure, reason, blockedBy: keys });
      }
    }
  }
}

function getRefusedTables({ steps, failures }: RefusedRound): Set<string> {
  return new Set(filterSteps(steps, (index) => isTaken(failures.get(index))).map(({ table }) => table));
}

/** Returns the refused rows by id, with all values that the steps write. */
function collectRows({ steps, failures }: RefusedRound, table: string): Map<string, RefusedRow> {
  const rows = new Map<string, RefusedRow>();
  const ofTable = steps.filter((step) => step.table === table);
  for (const { kind, rows: stepRows } of filterSteps(ofTable, (index) => isTaken(failures.get(index)))) {
    for (const { index, id, values } of stepRows) {
      const before = rows.get(id);
      const isInsert = kind === 'insert' || before?.isInsert === true;
      rows.set(id, { index, id, values: { ...before?.values, ...values }, isInsert });
    }
  }
  return rows;
}

async function findBlocked(round: RefusedRound, table: string, keys: readonly UniqueKey[]): Promise<BlockedRows> {
  const { db, schema } = round;
  const rows = collectRows(round, table);
  const blockedBy = new Map([...rows.keys()].map((id) => [id, new Set<string>()]));
  const vacated = new Map<string, Vacated[]>();
  const fixed = new Set<string>();
  for (const key of keys) {
    const found = await findBlockers(db, qualified(schema, table), key, [...rows.values()]);
    for (const { id, blockedBy: blocker } of found) blockedBy.get(id)?.add(blocker);
    for (const id of new Set(found.map(({ blockedBy: blocker }) => blocker))) {
      const row = rows.get(id);
      const column = key.columns.find(({ name }) => row && !row.isInsert && name in row.values);
      if (!column) fixed.add(id);
      else {
        // A key that compares nulls may have one already.
        const isNullable = column.isNullable && !key.comparesNulls;
        vacated.set(id, [...(vacated.get(id) ?? []), { id, column: { ...column, isNullable } }]);
      }
    }
  }
  return { rows, blockedBy, vacated, fixed };
}

/**
 * Runs the steps of these rows; returns the failures. Rows that exist are updated in the given
 * order, by one statement, before any are inserted.
 */
async function runInOrder(
  { db, steps, run, runAll }: RefusedRound,
  table: string,
  chosen: readonly RefusedRow[],
  blockedBy: BlockedBy,
): Promise<Failures> {
  const positions = new Map(chosen.map(({ index }, position) => [index, position]));
  const updated = new Set(chosen.flatMap(({ index, isInsert }) => (isInsert ? [] : [index])));
  const isUpdate = (step: WriteStep) => step.kind === 'update' && step.table === table && !step.isDefault;
  const updates = filterSteps(steps.filter(isUpdate), (index) => updated.has(index));
  const rows = updates.flatMap(({ columns = [], rows: own }) =>
    own.map((row) => ({ ...row, values: { ...toEmpty(columns), ...row.values } })),
  );
  rows.sort((one, other) => (positions.get(one.index) ?? 0) - (positions.get(other.index) ?? 0));
  const columns = [...new Set(updates.flatMap((step) => step.columns ?? []))];
  await db.query(keepOrderSql);
  const failed = await run({ kind: 'update', table, columns, rows, order: new WriteOrder(blockedBy) });
  await db.query(leaveOrderSql);
  const others = steps.flatMap((step) =>
    filterSteps(
      [step],
      (index) => positions.has(index) && !failed.has(index) && !(isUpdate(step) && updated.has(index)),
    ),
  );
  for (const [index, failure] of await runAll(others)) failed.set(index, failure);
  return failed;
}

function toEmpty(columns: readonly string[]): StepRow['values'] {
  return Object.assign(createFields(), Object.fromEntries(columns.map((column) => [column, null])));
}

/**
 * PostgreSQL writes the rows in the order in which it finds them. With these settings, it looks up
 * one given row after another; PostgreSQL 18 mostly does without them. In a table of very few rows
 * it may not: then the statement fails, and its halves are run.
 */
const otherPlans = ['enable_hashjoin', 'enable_mergejoin', 'enable_material', 'enable_seqscan'];
const keepOrderSql = ['enable_nestloop = on', ...otherPlans.map((name) => `${name} = off`)]
  .map((setting) => `set local ${setting}`)
  .join('; ');
const leaveOrderSql = ['enable_nestloop', ...otherPlans].map((name) => `set local ${name} to default`).join('; ');
