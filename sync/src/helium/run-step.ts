import { getBlobCells } from './blob-columns.ts';
import { isContentError, type Refusal, toContentRefusal } from './content-refusal.ts';
import { explainRefusal } from './explain-refusal.ts';
import type { Db } from './helium-gateway.ts';
import { type LockSearch, limitSearchSql, toWaiting, type Waiting } from './limit-waits.ts';
import { preparedQuery } from './prepared-query.ts';
import { columnList, qualified, quote } from './sql-names.ts';
import type { StepRow, WriteStep } from './write-steps.ts';

/** A write that was not made. */
type Failure = Refusal | Waiting;

/** Failures by the index of the write. */
export type Failures = Map<number, Failure>;

/**
 * Runs one step. When PostgreSQL refuses its content, or it meets the lock of another session, the
 * step is bisected until the rows that cause it are found; all others are written. Throws any other
 * error.
 */
export async function runStep(db: Db, schema: string, step: WriteStep, search: LockSearch): Promise<Failures> {
  if (step.rows.length === 0) return new Map();
  await db.query('savepoint helium_step');
  let failure: Failure;
  let cause: unknown;
  try {
    const failed = await runStatement(db, schema, step);
    await db.query('release savepoint helium_step');
    return failed;
  } catch (error) {
    const found = toContentRefusal(error) ?? toWaiting(error);
    if (!found) throw error;
    failure = found;
    cause = error;
  }
  const isWaiting = failure.status === 'waiting';
  if (isWaiting) search.start();
  await db.query(
    `rollback to savepoint helium_step; release savepoint helium_step${isWaiting ? `; ${limitSearchSql}` : ''}`,
  );
  const [row] = step.rows;
  if (row && step.rows.length === 1 && failure.status === 'refused' && isContentError(cause)) {
    const refused = { schema, table: step.table, values: getValues(step, row), showsValues: true };
    const reason = await explainRefusal(db, refused, cause);
    return new Map([[row.index, { ...failure, reason }]]);
  }
  if (step.rows.length === 1 || (isWaiting && search.isOver))
    return new Map(step.rows.map(({ index }) => [index, failure]));
  const middle = step.rows.length >> 1;
  const firstHalf = await runStep(db, schema, { ...step, rows: step.rows.slice(0, middle) }, search);
  const secondHalf = await runStep(db, schema, { ...step, rows: step.rows.slice(middle) }, search);
  return new Map([...firstHalf, ...secondHalf]);
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

/** Runs the statement and returns the rows that could not be written. */
async function runStatement(db: Db, schema: string, step: WriteStep): Promise<Failures> {
  const table = qualified(schema, step.table);
  const ids = step.rows.map(({ id }) => id);
  if (step.kind === 'delete') {
    await db.query(preparedQuery(db, `delete from ${table} where _id_ = any($1::uuid[])`, [ids]));
    return new Map();
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
