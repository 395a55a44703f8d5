/**
 * Writes rows into one table of the app, one statement per thousand, and skips unchanged rows. Rows
 * that another session has locked are skipped as well: waiting for them would keep others waiting
 * for the rows that are written already. A statement that PostgreSQL refuses is bisected until the
 * rows that cause it are found; all others are written.
 */
import pg from 'pg';
import { isContentError, toRefusal } from '../helium/content-refusal.ts';
import { explainRefusal } from '../helium/explain-refusal.ts';
import type { Db } from '../helium/helium-gateway.ts';
import { LockSearch, limitSearchSql, toWaiting } from '../helium/limit-waits.ts';
import { probeStatement } from '../helium/probe-statement.ts';
import type { CellRow, Cells, ColumnType } from './cells.ts';

const chunkSize = 1_000;

/** Receives a row that cannot be written, with the reason. */
export type OnRefused = (id: string, reason: string) => void;

interface Target {
  readonly table: string;
  readonly columns: readonly ColumnType[];
  /** Without it, a refused row fails the transaction. */
  readonly onRefused?: OnRefused | undefined;
  /** Receives a row that differs and was skipped, because another session has locked it. */
  readonly onLocked?: ((id: string) => void) | undefined;
}

/**
 * Updates existing rows that differ; returns how many. A row without a cell for a column leaves
 * that column as it is. `_tstamp_` stays unchanged: what Journey reports about a device is not an
 * edit of the record, and must not make the record win a conflict.
 *
 * @param options with `waits`, it waits for locked rows: only for a single row, in a transaction
 *   that has locked nothing else
 */
export async function updateChanged(
  db: Db,
  target: Target,
  rows: readonly CellRow[],
  options: { readonly waits?: boolean } = {},
): Promise<number> {
  const groups = new Map<string, { readonly columns: readonly ColumnType[]; readonly rows: CellRow[] }>();
  for (const row of rows) {
    const columns = target.columns.filter(({ name }) => name in row.cells);
    const key = JSON.stringify(columns.map(({ name }) => name));
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { columns, rows: [row] });
  }
  let written = 0;
  for (const group of groups.values())
    written += await updateColumns(db, { ...target, columns: group.columns }, group.rows, options);
  return written;
}

/** The same for rows that have a cell for each column. */
async function updateColumns(
  db: Db,
  { table, columns, onRefused, onLocked }: Target,
  rows: readonly CellRow[],
  { waits = false }: { readonly waits?: boolean },
): Promise<number> {
  if (columns.length === 0) return 0;
  const cells = (alias: string) => `row(${columns.map(({ name }) => `${alias}.${quoted(name)}`).join(', ')})`;
  const assignments = columns.map(({ name }) => `${quoted(name)} = given.${quoted(name)}`).join(', ');
  const differingSql = `select t._id_ from ${quoted(table)} t join given on given._id_ = t._id_
    where ${cells('t')} is distinct from ${cells('given')}`;
  return runInChunks(db, { table, onRefused }, toJsonRows(rows), async (chunk) => {
    const { rows: differing } = await db.query<{ id: string; isLocked: boolean; isWritten: boolean }>(
      `with given as (${inputSql(columns)}), differing as (${differingSql}),
         free as (${differingSql} for no key update of t${waits ? '' : ' skip locked'}),
         written as (
           update ${quoted(table)} t set ${assignments} from given join free using (_id_)
           where t._id_ = given._id_ returning t._id_)
       select _id_ as id, free._id_ is null as "isLocked", written._id_ is not null as "isWritten"
       from differing left join free using (_id_) left join written using (_id_)`,
      [JSON.stringify(chunk)],
    );
    for (const { id, isLocked } of differing) if (isLocked) onLocked?.(id);
    return { rowCount: differing.filter(({ isWritten }) => isWritten).length };
  });
}

/** Inserts rows whose ids do not exist yet; returns how many. */
export async function insertMissing(
  db: Db,
  { table, columns, onRefused }: Target,
  rows: readonly CellRow[],
  now: Date,
): Promise<number> {
  const names = columns.map(({ name }) => `, ${quoted(name)}`).join('');
  return runInChunks(db, { table, onRefused }, toJsonRows(rows), (chunk) =>
    db.query(
      `insert into ${quoted(table)} (_id_, _tstamp_${names})
       select _id_, $2::timestamptz at time zone 'UTC'${names} from (${inputSql(columns)}) given
       where not exists (select from ${quoted(table)} t where t._id_ = given._id_) order by _id_`,
      [JSON.stringify(chunk), now],
    ),
  );
}

/**
 * Locks the rows with other ids than these, except those that another session has locked, and
 * returns their ids.
 */
export async function lockOthers(db: Db, table: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select t._id_ as id from ${quoted(table)} t
     where not exists (select from unnest($1::uuid[]) as kept (id) where kept.id = t._id_)
     order by t._id_ for update skip locked`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Deletes rows; returns how many. */
export function deleteRows(
  db: Db,
  { table, onRefused }: Pick<Target, 'table' | 'onRefused'>,
  ids: readonly string[],
): Promise<number> {
  const rows = ids.map((id) => ({ _id_: id }));
  return runInChunks(db, { table, onRefused }, rows, (chunk) =>
    db.query(`delete from ${quoted(table)} where _id_ = any($1::uuid[])`, [chunk.map(({ _id_ }) => _id_)]),
  );
}

/**
 * Locks rows so that others can reference them, as a foreign key does. Returns those that exist,
 * and those that another session has locked.
 */
export async function lockReferenced(
  db: Db,
  table: string,
  ids: readonly string[],
): Promise<{ readonly locked: ReadonlySet<string>; readonly busy: ReadonlySet<string> }> {
  // In one statement, for which a row that is inserted in the meantime does not exist.
  const found = `select t._id_ from ${quoted(table)} t where t._id_ = any($1::uuid[])`;
  const { rows } = await db.query<{ id: string; isLocked: boolean }>(
    `with locked as (${found} for key share of t skip locked)
     select found._id_ as id, locked._id_ is not null as "isLocked"
     from (${found}) found left join locked using (_id_)`,
    [ids],
  );
  const pick = (isPicked: boolean) => new Set(rows.filter(({ isLocked }) => isLocked === isPicked).map(({ id }) => id));
  return { locked: pick(true), busy: pick(false) };
}

function inputSql(columns: readonly ColumnType[]): string {
  const typed = columns.map(({ name, type }) => `, ${quoted(name)} ${type}`).join('');
  return `select * from jsonb_to_recordset($1::jsonb) as given (_id_ uuid${typed})`;
}

type JsonRow = Cells & { readonly _id_: string };

function toJsonRows(rows: readonly CellRow[]): JsonRow[] {
  return rows.map(({ id, cells }) => ({ ...cells, _id_: id }));
}

type Write = (rows: readonly JsonRow[]) => Promise<{ readonly rowCount: number | null }>;

async function runInChunks(
  db: Db,
  { table, onRefused }: Pick<Target, 'table' | 'onRefused'>,
  rows: readonly JsonRow[],
  write: Write,
): Promise<number> {
  const search = new LockSearch();
  let written = 0;
  for (let from = 0; from < rows.length; from += chunkSize) {
    const chunk = rows.slice(from, from + chunkSize);
    written += onRefused
      ? await bisect(db, chunk, write, { table, onRefused, search })
      : ((await write(chunk)).rowCount ?? 0);
  }
  return written;
}

/**
 * Writes the rows, and reports those that cannot be written. Throws when PostgreSQL would refuse
 * the statement without any row too, and any error after which the connection does not work.
 */
async function bisect(db: Db, rows: readonly JsonRow[], write: Write, options: BisectOptions): Promise<number> {
  const { written, cause } = await tryRows(db, rows, write);
  if (cause === undefined) return written;
  if (toWaiting(cause) === null)
    await probeStatement(`change of ${options.table}`, async () => (await tryRows(db, [], write)).cause);
  return split(db, rows, write, { ...options, cause });
}

interface BisectOptions {
  readonly table: string;
  readonly onRefused: OnRefused;
  readonly search: LockSearch;
}

interface TriedRows {
  readonly written: number;
  /** Why the statement was rolled back. */
  readonly cause?: pg.DatabaseError;
}

/** Runs the statement in a savepoint, and leaves a transaction that accepts queries. */
async function tryRows(db: Db, rows: readonly JsonRow[], write: Write): Promise<TriedRows> {
  // A deferred constraint would otherwise fail the transaction at its end.
  await db.query('set constraints all immediate; savepoint enrollment_rows');
  try {
    const { rowCount } = await write(rows);
    await db.query('release savepoint enrollment_rows');
    return { written: rowCount ?? 0 };
  } catch (error) {
    if (!isContentError(error)) throw error;
    await db.query('rollback to savepoint enrollment_rows; release savepoint enrollment_rows').catch(() => {
      throw error;
    });
    return { written: 0, cause: error };
  }
}

/** Finds the refused rows, and writes all others. */
async function split(
  db: Db,
  rows: readonly JsonRow[],
  write: Write,
  { cause, ...options }: BisectOptions & { readonly cause: pg.DatabaseError },
): Promise<number> {
  const { table, onRefused, search } = options;
  const waiting = toWaiting(cause);
  const isPassing = waiting !== null || toRefusal(cause).isTemporary === true;
  if (isPassing) search.start();
  if (waiting) await db.query(limitSearchSql);
  const [row] = rows;
  if (row && rows.length === 1 && !waiting) {
    onRefused(row._id_, await explainRow(db, table, row, cause));
    return 0;
  }
  if (rows.length === 1 || (isPassing && search.isOver)) {
    for (const { _id_ } of rows) onRefused(_id_, waiting?.reason ?? cause.message);
    return 0;
  }
  const middle = rows.length >> 1;
  let written = 0;
  for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
    const tried = await tryRows(db, half, write);
    written += tried.cause ? await split(db, half, write, { ...options, cause: tried.cause }) : tried.written;
  }
  return written;
}

/** Shows no values: among them are the links and codes with which people sign in. */
async function explainRow(db: Db, table: string, values: JsonRow, error: pg.DatabaseError): Promise<string> {
  const { rows } = await db.query<{ schema: string }>('select current_schema() as schema');
  return explainRefusal(db, { schema: rows[0]?.schema ?? '', table, values, showsValues: false }, error);
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}
