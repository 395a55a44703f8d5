import type pg from 'pg';
import { getBlobCells } from './blob-columns.ts';
import { isContentError, type Refusal, toRefusal } from './content-refusal.ts';
import { explainRefusal } from './explain-refusal.ts';
import { explainUnwritten } from './explain-unwritten.ts';
import type { Db } from './helium-gateway.ts';
import { type LockSearch, limitSearchSql, toWaiting, type Waiting } from './limit-waits.ts';
import { preparedQuery } from './prepared-query.ts';
import { probeStatement } from './probe-statement.ts';
import { columnList, qualified, quote } from './sql-names.ts';
import type { StepRow, WriteStep } from './write-steps.ts';

/** A write that was not made. */
type Failure = Refusal | Waiting;

/** Failures by the index of the write. */
export type Failures = Map<number, Failure>;

/**
 * Runs one step. When PostgreSQL refuses a row of it, for whatever reason, or it meets the lock of
 * another session, the step is bisected until the rows that cause it are found; all others are
 * written. Throws when PostgreSQL would refuse the statement without any row too, and any error
 * after which the connection does not work.
 */
export async function runStep(db: Db, schema: string, step: WriteStep, search: LockSearch): Promise<Failures> {
  if (step.rows.length === 0) return new Map();
  const { failed, cause } = await tryStep(db, schema, step);
  if (cause === undefined) return failed;
  if (toWaiting(cause) === null) {
    const what = `${step.kind === 'blob' ? 'update' : step.kind} of ${step.table}`;
    await probeStatement(what, async () => (await tryStep(db, schema, { ...step, rows: [] })).cause);
  }
  return bisect(db, schema, { step, cause, search });
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
  const middle = rows.length >> 1;
  const failures: Failures = new Map();
  for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
    const part = { ...step, rows: half };
    const tried = await tryStep(db, schema, part);
    const found = tried.cause ? await bisect(db, schema, { step: part, cause: tried.cause, search }) : tried.failed;
    for (const [index, one] of found) failures.set(index, one);
  }
  return failures;
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
  const set = toAssignments(step.columns);
  const { rows: changed } = await db.query<{ id: string }>(
    preparedQuery(
      db,
      `update ${table} there set ${set} from ${from} where there._id_ = given._id_ returning there._id_::text as id`,
      rows,
    ),
  );
  return failOthers(step.rows, toIds(changed), missingRowRefusal);
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

/** Assigns the new values. The row's own time stays when it is later. */
function toAssignments(columns: readonly string[]): string {
  return [
    '_tstamp_ = greatest(there._tstamp_, given._tstamp_)',
    ...columns.map((column) => `${quote(column)} = given.${quote(column)}`),
  ].join(', ');
}
