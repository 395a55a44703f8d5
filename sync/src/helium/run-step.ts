import { type Refusal, toContentRefusal } from './content-refusal.ts';
import type { Db } from './helium-gateway.ts';
import { preparedQuery } from './prepared-query.ts';
import { columnList, qualified, quote } from './sql-names.ts';
import type { StepRow, WriteStep } from './write-steps.ts';

/** Refusals by the index of the write. */
export type Refusals = Map<number, Refusal>;

/**
 * Runs one step. When PostgreSQL refuses its content, the step is bisected until the faulty rows
 * are found; all others are written. Throws any other error.
 */
export async function runStep(db: Db, schema: string, step: WriteStep): Promise<Refusals> {
  if (step.rows.length === 0) return new Map();
  await db.query('savepoint helium_step');
  let problem: Refusal;
  try {
    const missingRows = await runStatement(db, schema, step);
    await db.query('release savepoint helium_step');
    return new Map(missingRows.map(({ index }) => [index, missingRowRefusal]));
  } catch (error) {
    const found = toContentRefusal(error);
    if (!found) throw error;
    problem = found;
  }
  await db.query('rollback to savepoint helium_step; release savepoint helium_step');
  const [first, ...others] = step.rows;
  if (first && others.length === 0) return new Map([[first.index, problem]]);
  const middle = step.rows.length >> 1;
  const firstHalf = await runStep(db, schema, { ...step, rows: step.rows.slice(0, middle) });
  const secondHalf = await runStep(db, schema, { ...step, rows: step.rows.slice(middle) });
  return new Map([...firstHalf, ...secondHalf]);
}

const missingRowRefusal: Refusal = {
  status: 'refused',
  kind: 'gone',
  reason: 'The row to change no longer exists.',
};

/** Runs the statement and returns the rows that were to be changed and do not exist. */
async function runStatement(db: Db, schema: string, step: WriteStep): Promise<readonly StepRow[]> {
  const table = qualified(schema, step.table);
  const ids = step.rows.map(({ id }) => id);
  if (step.kind === 'delete') {
    await db.query(preparedQuery(db, `delete from ${table} where _id_ = any($1::uuid[])`, [ids]));
    return [];
  }
  if (step.kind === 'blob') {
    const { bytes, fileName, mediaType } = step.blob;
    const { companions, column } = step;
    const set: readonly (readonly [string | null, unknown])[] = [
      [column, bytes],
      [companions.fileName, fileName],
      [companions.mediaType, mediaType],
      [companions.size, bytes.length],
    ];
    const known = set.filter(([name]) => name !== null);
    const assigned = known.map(([name], index) => `${quote(name ?? '')} = $${index + 2}`).join(', ');
    const values = [ids[0], ...known.map(([, value]) => value)];
    const { rowCount } = await db.query(`update ${table} set ${assigned} where _id_ = $1`, values);
    return rowCount === 0 ? step.rows : [];
  }
  const columns = ['_tstamp_', ...step.columns];
  // The table's row type parses each value as its column would.
  const from = `jsonb_populate_recordset(null::${table}, $1::jsonb) given`;
  const rows = [JSON.stringify(step.rows.map(({ id, values }) => ({ _id_: id, ...values })))];
  if (step.kind === 'insert') {
    const set = toAssignments(step.columns, 'excluded');
    await db.query(
      preparedQuery(
        db,
        `insert into ${table} as there (_id_, ${columnList(columns)}) select _id_, ${columnList(columns)} from ${from}
          on conflict (_id_) do update set ${set}`,
        rows,
      ),
    );
    return [];
  }
  const set = toAssignments(step.columns, 'given');
  const { rows: changed } = await db.query<{ id: string }>(
    preparedQuery(
      db,
      `update ${table} there set ${set} from ${from} where there._id_ = given._id_ returning there._id_::text as id`,
      rows,
    ),
  );
  if (changed.length === ids.length) return [];
  const found = new Set(changed.map(({ id }) => id));
  return step.rows.filter(({ id }) => !found.has(id));
}

/** Assigns the new values. The row's own time stays when it is later. */
function toAssignments(columns: readonly string[], source: 'given' | 'excluded'): string {
  return [
    `_tstamp_ = greatest(there._tstamp_, ${source}._tstamp_)`,
    ...columns.map((column) => `${quote(column)} = ${source}.${quote(column)}`),
  ].join(', ');
}
