/**
 * Writes rows that exchange the values of a unique key: PostgreSQL checks each row as it is
 * written, so no order works.
 *
 *   a: 1 ─▶ 2 ┐   refused one by one       a: free value ┐                a: 2
 *   b: 2 ─▶ 1 ┘                        ─▶  b: free value ┘ in a savepoint  b: 1
 */
import { keyText } from '../record/record-key.ts';
import { toContentRefusal, uniqueViolation } from './content-refusal.ts';
import type { Db } from './helium-gateway.ts';
import { toWaiting } from './limit-waits.ts';
import type { Failures } from './run-step.ts';
import { qualified, quote } from './sql-names.ts';
import {
  findBlockers,
  type KeyColumn,
  maxFreeValues,
  readUniqueKeys,
  toFreeValueSql,
  type WantedRow,
} from './unique-keys.ts';
import type { StepRow, WriteStep } from './write-steps.ts';

/** Writes these rows and returns the failures; the others are written. */
type RunRows = (isWanted: (index: number) => boolean) => Promise<Failures>;

/** A row that PostgreSQL refused because another row has its value. */
interface RefusedRow extends WantedRow {
  readonly index: number;
  /** Whether it does not exist yet. */
  readonly isInsert: boolean;
  readonly blockedBy: Set<string>;
}

/** A column that a blocking row gives up for a moment. */
interface Vacated {
  readonly id: string;
  readonly column: KeyColumn;
}

/**
 * Writes the refused rows that block only each other, and removes their failures. The others name
 * the rows that block them. Returns whether any row was written.
 */
export async function resolveSwaps(
  db: Db,
  schema: string,
  { steps, failures, runRows }: { steps: readonly WriteStep[]; failures: Failures; runRows: RunRows },
): Promise<boolean> {
  let isWritten = false;
  const refusedSteps = steps.filter(({ rows }) => rows.some(({ index }) => isDuplicate(failures, index)));
  for (const table of new Set(refusedSteps.map((step) => step.table))) {
    const rows = collectRows(
      refusedSteps.filter((step) => step.table === table),
      failures,
    );
    const vacated = await findVacated(db, schema, table, rows);
    const resolved = await writeTogether(db, qualified(schema, table), { rows, vacated, failures, runRows });
    for (const { index } of resolved) failures.delete(index);
    isWritten ||= resolved.length > 0;
    for (const { index, blockedBy } of rows.values()) {
      const failure = failures.get(index);
      const keys = [...blockedBy].map((id) => ({ table, id }));
      if (failure?.status !== 'refused' || keys.length === 0 || failure.blockedBy) continue;
      const reason = `${failure.reason} In Helium, ${keys.map(keyText).join(', ')} has this value.`;
      failures.set(index, { ...failure, reason, blockedBy: keys });
    }
  }
  return isWritten;
}

function isDuplicate(failures: Failures, index: number): boolean {
  const failure = failures.get(index);
  return failure?.status === 'refused' && failure.kind === uniqueViolation;
}

/** Returns the refused rows by id, with all values that the steps write. */
function collectRows(steps: readonly WriteStep[], failures: Failures): Map<string, RefusedRow> {
  const rows = new Map<string, RefusedRow>();
  const isRefused = ({ index }: StepRow) => isDuplicate(failures, index);
  for (const { kind, rows: stepRows } of steps) {
    for (const { index, id, values } of stepRows.filter(isRefused)) {
      const before = rows.get(id);
      rows.set(id, {
        index,
        id,
        values: { ...before?.values, ...values },
        isInsert: kind === 'insert' || before?.isInsert === true,
        blockedBy: before?.blockedBy ?? new Set(),
      });
    }
  }
  return rows;
}

/**
 * Fills in which rows block the refused ones, and returns the values that have to be given up for a
 * moment. A row that keeps its value blocks for good.
 */
async function findVacated(
  db: Db,
  schema: string,
  table: string,
  rows: ReadonlyMap<string, RefusedRow>,
): Promise<Vacated[]> {
  const target = qualified(schema, table);
  const vacated: Vacated[] = [];
  for (const key of await readUniqueKeys(db, schema, table)) {
    for (const { id, blockedBy } of await findBlockers(db, target, key, [...rows.values()])) {
      rows.get(id)?.blockedBy.add(blockedBy);
      const blocking = rows.get(blockedBy);
      const column = key.columns.find(({ name }) => blocking && !blocking.isInsert && name in blocking.values);
      if (column) vacated.push({ id: blockedBy, column });
    }
  }
  return vacated;
}

/** Returns the rows that were written. Those that met a lock wait. */
async function writeTogether(
  db: Db,
  target: string,
  {
    rows,
    vacated,
    failures,
    runRows,
  }: {
    readonly rows: ReadonlyMap<string, RefusedRow>;
    readonly vacated: readonly Vacated[];
    readonly failures: Failures;
    readonly runRows: RunRows;
  },
): Promise<RefusedRow[]> {
  const vacatedIds = new Set(vacated.map(({ id }) => id));
  let chosen = [...rows.values()];
  let attempt = 0;
  for (;;) {
    chosen = selectClosed(chosen, vacatedIds);
    if (chosen.length < 2) return [];
    const [ids, indexes] = [new Set(chosen.map(({ id }) => id)), new Set(chosen.map(({ index }) => index))];
    await db.query('savepoint helium_swap');
    const isVacated = await vacate(db, target, { vacated: vacated.filter(({ id }) => ids.has(id)), attempt });
    const failed = isVacated ? await runRows((index) => indexes.has(index)) : null;
    if (failed?.size === 0) {
      await db.query('release savepoint helium_swap');
      return chosen;
    }
    await db.query('rollback to savepoint helium_swap; release savepoint helium_swap');
    for (const [index, failure] of failed ?? []) if (failure.status === 'waiting') failures.set(index, failure);
    if (failed) chosen = chosen.filter(({ index }) => !failed.has(index));
    else attempt += 1;
    if (attempt === maxFreeValues) return [];
  }
}

/** Returns the rows that are blocked only by each other. */
function selectClosed(rows: readonly RefusedRow[], vacatedIds: ReadonlySet<string>): RefusedRow[] {
  const ids = new Set(rows.map(({ id }) => id));
  const isFreed = (id: string) => ids.has(id) && vacatedIds.has(id);
  const closed = rows.filter(({ blockedBy }) => blockedBy.size > 0 && [...blockedBy].every(isFreed));
  return closed.length === rows.length ? closed : selectClosed(closed, vacatedIds);
}

/** Gives the rows free values. Returns whether PostgreSQL accepted them. */
async function vacate(
  db: Db,
  target: string,
  { vacated, attempt }: { readonly vacated: readonly Vacated[]; readonly attempt: number },
): Promise<boolean> {
  const columns = new Map(vacated.map(({ column }) => [column.name, column]));
  try {
    for (const [name, column] of columns) {
      const value = toFreeValueSql(column, attempt);
      if (value === null) return false;
      const ids = vacated.filter((one) => one.column.name === name).map(({ id }) => id);
      await db.query(
        `update ${target} there set ${quote(name)} = free.value
         from (select _id_, ${value} as value from ${target}) free
         where free._id_ = there._id_ and there._id_ = any($1::uuid[])`,
        [ids],
      );
    }
    return true;
  } catch (error) {
    if (!(toContentRefusal(error) ?? toWaiting(error))) throw error;
    return false;
  }
}
