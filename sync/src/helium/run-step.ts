import pg from 'pg';
import { keyText } from '../record/record-key.ts';
import { getBlobCells } from './blob-columns.ts';
import { isContentError, type Refusal, toRefusal, uniqueViolation } from './content-refusal.ts';
import { explainRefusal } from './explain-refusal.ts';
import { explainUnwritten } from './explain-unwritten.ts';
import type { Db } from './helium-gateway.ts';
import { type LockSearch, limitSearchSql, toWaiting, type Waiting } from './limit-waits.ts';
import { preparedQuery } from './prepared-query.ts';
import { probeStatement } from './probe-statement.ts';
import { columnList, qualified, quote } from './sql-names.ts';
import { findBlockers, isTaken, readUniqueKeys, toRecords } from './unique-keys.ts';
import { filterSteps, type StepRow, type WriteStep } from './write-steps.ts';

/** A write that was not made. One that waits for a value need not have been tried alone. */
type Failure = (Refusal & { readonly isUntried?: boolean }) | Waiting;

/** Failures by the index of the write. */
export type Failures = Map<number, Failure>;

export type RunStep = (step: WriteStep) => Promise<Failures>;

/**
 * Runs one step. When PostgreSQL refuses a row of it, for whatever reason, or it meets the lock of
 * another session, the step is bisected until the rows that cause it are found; all others are
 * written. Rows that get values which others still have are left to `write-in-order.ts`. Throws
 * when PostgreSQL would refuse the statement without any row too, and any error after which the
 * connection does not work.
 */
export function runStep(db: Db, schema: string, step: WriteStep, search: LockSearch): Promise<Failures> {
  return runPart(db, schema, { step, search, isWhole: true });
}

interface Part {
  readonly step: WriteStep;
  readonly search: LockSearch;
  /** Whether it is no part of a step that was refused. */
  readonly isWhole: boolean;
}

async function runPart(db: Db, schema: string, { step: given, search, isWhole }: Part): Promise<Failures> {
  const blocked = findBlocked(given);
  const [step] = blocked.size === 0 ? [given] : filterSteps([given], (index) => !blocked.has(index));
  if (!step || step.rows.length === 0) return blocked;
  const { failed, cause } = await tryStep(db, schema, step);
  if (isWhole && cause !== undefined && toWaiting(cause) === null) {
    const what = `${step.kind === 'blob' ? 'update' : step.kind} of ${step.table}`;
    await probeStatement(what, async () => (await tryStep(db, schema, { ...step, rows: [] })).cause);
  }
  const failures = cause === undefined ? failed : await bisect(db, schema, { step, cause, search });
  if (given.order) {
    for (const { index, id } of given.rows) {
      const failure = failures.get(index) ?? blocked.get(index);
      if (failure) given.order.recordFailure(id, failure);
    }
  }
  return blocked.size === 0 ? failures : new Map([...blocked, ...failures]);
}

interface Tried {
  readonly failed: Failures;
  /** Why the statement was rolled back. */
  readonly cause?: pg.DatabaseError;
}

/** Runs the statement in a savepoint, and leaves a transaction that accepts queries. */
async function tryStep(db: Db, schema: string, step: WriteStep): Promise<Tried> {
  await db.query('savepoint helium_step');
  try {
    const failed = await explainUnwritten(db, schema, step, await runStatement(db, schema, step));
    await db.query('release savepoint helium_step');
    return { failed };
  } catch (error) {
    if (!isContentError(error)) throw error;
    await db.query('rollback to savepoint helium_step; release savepoint helium_step').catch(() => {
      throw error;
    });
    return { failed: new Map(), cause: error };
  }
}

/** Finds the rows of a refused step that cause it, and writes all others. */
async function bisect(
  db: Db,
  schema: string,
  { step, cause, search }: { readonly step: WriteStep; readonly cause: pg.DatabaseError; readonly search: LockSearch },
): Promise<Failures> {
  const failure: Failure = toWaiting(cause) ?? toRefusal(cause);
  // The rows that it has written stay locked while it searches.
  const isPassing = failure.status === 'waiting' || failure.isTemporary === true;
  if (isPassing) search.start();
  if (failure.status === 'waiting') await db.query(limitSearchSql);
  const { rows } = step;
  const [row] = rows;
  if (row && rows.length === 1 && failure.status === 'refused') {
    const refused = { schema, table: step.table, values: getValues(step, row), showsValues: true };
    return new Map([[row.index, { ...failure, reason: await explainRefusal(db, refused, cause) }]]);
  }
  if (rows.length === 1 || (isPassing && search.isOver)) return new Map(rows.map(({ index }) => [index, failure]));
  const run = (part: WriteStep) => runPart(db, schema, { step: part, search, isWhole: false });
  if (isTaken(failure) && !step.order) {
    const taken = await findTaken(db, schema, step);
    if (taken.size > 0) {
      const [others] = filterSteps([step], (index) => !taken.has(index));
      const failures = others ? await run(others) : new Map();
      return new Map([...[...taken].map((index) => [index, { ...failure, isUntried: true }] as const), ...failures]);
    }
  }
  const middle = rows.length >> 1;
  const firstHalf = await run({ ...step, rows: rows.slice(0, middle) });
  const secondHalf = await run({ ...step, rows: rows.slice(middle) });
  return new Map([...firstHalf, ...secondHalf]);
}

/** Returns the rows, by index, that get values which other rows have. */
async function findTaken(db: Db, schema: string, { table, rows }: WriteStep): Promise<Set<number>> {
  const target = qualified(schema, table);
  const taken = new Set<string>();
  for (const key of await readUniqueKeys(db, schema, table))
    for (const { id } of await findBlockers(db, target, key, rows)) taken.add(id);
  return new Set(rows.filter(({ id }) => taken.has(id)).map(({ index }) => index));
}

/** Returns the rows of an ordered step that wait for others of it which failed. */
function findBlocked({ table, rows, order }: WriteStep): Failures {
  const blocked: Failures = new Map();
  if (!order) return blocked;
  for (const { index, id } of rows) {
    const cause = order.findCause({ table, id });
    if (!cause) continue;
    const { key, failure } = cause;
    const isWaiting = failure.status === 'waiting';
    const reason = `${keyText(key)}, which has a value of this record, is not written yet${isWaiting ? `: ${failure.reason}` : '.'}`;
    blocked.set(
      index,
      isWaiting
        ? { status: 'waiting', reason, blockedBy: [key] }
        : { status: 'refused', kind: uniqueViolation, reason, isUntried: true },
    );
    order.recordFailure(id, failure);
  }
  return blocked;
}

/** Returns the values of a row, with those of its file that are not its bytes. */
function getValues(step: WriteStep, { values }: StepRow): StepRow['values'] {
  if (step.kind !== 'blob') return values;
  const { companions, blob } = step;
  return {
    ...(companions.fileName !== null && { [companions.fileName]: blob.fileName }),
    ...(companions.mediaType !== null && { [companions.mediaType]: blob.mediaType }),
  };
}

const missingRowRefusal: Refusal = {
  status: 'refused',
  kind: 'gone',
  reason: 'The row to change no longer exists.',
};

/** A write of the next round finds the row, and is merged with it. */
const insertedRow: Waiting = {
  status: 'waiting',
  reason: 'Helium has had a row with this id since the record was read.',
};

/** Runs the statement and returns the rows that it has not written. */
async function runStatement(db: Db, schema: string, step: WriteStep): Promise<Failures> {
  const table = qualified(schema, step.table);
  const ids = step.rows.map(({ id }) => id);
  if (step.kind === 'delete') {
    const { rows: deleted } = await db.query<{ id: string }>(
      preparedQuery(db, `delete from ${table} where _id_ = any($1::uuid[]) returning _id_::text as id`, [ids]),
    );
    return failOthers(step.rows, toIds(deleted), missingRowRefusal);
  }
  if (step.kind === 'blob') {
    const cells = getBlobCells(step.column, step.companions, step.blob);
    const assigned = cells.map(([name], index) => `${quote(name)} = $${index + 2}`).join(', ');
    const values = [ids[0], ...cells.map(([, value]) => value)];
    const { rowCount } = await db.query(`update ${table} set ${assigned} where _id_ = $1`, values);
    return failOthers(step.rows, rowCount === 0 ? [] : ids, missingRowRefusal);
  }
  if (step.order) return updateInOrder(db, table, step);
  const columns = ['_tstamp_', ...step.columns];
  // The table's row type parses each value as its column would.
  const from = `pg_catalog.jsonb_populate_recordset(null::${table}, $1::jsonb) given`;
  const rows = [JSON.stringify(step.rows.map(({ id, values }) => ({ ...values, _id_: id })))];
  if (step.kind === 'insert') {
    const { rows: inserted } = await db.query<{ id: string }>(
      preparedQuery(
        db,
        `insert into ${table} (_id_, ${columnList(columns)}) select _id_, ${columnList(columns)} from ${from}
          on conflict (_id_) do nothing returning _id_::text as id`,
        rows,
      ),
    );
    return failOthers(step.rows, toIds(inserted), insertedRow);
  }
  const set = step.isDefault ? toDefaults(step.columns) : toAssignments(step.columns);
  const { rows: changed } = await db.query<{ id: string }>(
    preparedQuery(
      db,
      `update ${table} there set ${set} from ${from} where there._id_ = given._id_ returning there._id_::text as id`,
      rows,
    ),
  );
  return failOthers(step.rows, toIds(changed), missingRowRefusal);
}

/** Not prepared: a plan that was made before the settings of `write-in-order.ts` would be used. */
async function updateInOrder(db: Db, table: string, { columns, rows }: WriteStep): Promise<Failures> {
  const isInAll = (column: string) => rows.every(({ values }) => Object.hasOwn(values, column));
  const assigned = (columns ?? []).map((column) => {
    const [name, key] = [quote(column), pg.escapeLiteral(column)];
    return `${name} = ${isInAll(column) ? `given.${name}` : `case when list.item ? ${key} then given.${name} else there.${name} end`}`;
  });
  const { rows: changed } = await db.query<{ id: string }>(
    `update ${table} there set ${[keepLaterTime, ...assigned].join(', ')}
     from pg_catalog.jsonb_array_elements($1::jsonb) list (item),
       lateral pg_catalog.jsonb_populate_record(null::${table}, list.item) given
     where there._id_ = given._id_ returning there._id_::text as id`,
    [toRecords(rows)],
  );
  return failOthers(rows, toIds(changed), missingRowRefusal);
}

function toIds(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Returns the failure for each row that is not among the written ones. */
function failOthers(rows: readonly StepRow[], written: readonly string[], failure: Failure): Failures {
  if (written.length === rows.length) return new Map();
  const isWritten = new Set(written);
  return new Map(rows.filter(({ id }) => !isWritten.has(id)).map(({ index }) => [index, failure]));
}

/** The row's own time stays when it is later. */
const keepLaterTime = '_tstamp_ = greatest(there._tstamp_, given._tstamp_)';

function toDefaults(columns: readonly string[]): string {
  return [keepLaterTime, ...columns.map((column) => `${quote(column)} = default`)].join(', ');
}

/** Assigns the new values. */
function toAssignments(columns: readonly string[]): string {
  return [keepLaterTime, ...columns.map((column) => `${quote(column)} = given.${quote(column)}`)].join(', ');
}
