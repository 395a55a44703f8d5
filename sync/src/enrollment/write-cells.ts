/**
 * Writes rows into one table of the app, one statement per thousand, and skips unchanged rows. Rows
 * that another session has locked stay as they are until the next round: waiting for them would keep
 * others waiting for the rows that are written already.
 */
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import type { CellRow, ColumnType } from './cells.ts';

const chunkSize = 1_000;

interface Target {
  readonly table: string;
  /** The columns in the cells of every row. */
  readonly columns: readonly ColumnType[];
}

/**
 * Updates existing rows that differ; returns how many. `_tstamp_` stays unchanged: what Journey
 * reports about a device is not an edit of the record, and must not make the record win a conflict.
 *
 * @param options with `waits`, it waits for locked rows: only for a single row, in a transaction that
 * has locked nothing else
 */
export async function updateChanged(
  db: Db,
  { table, columns }: Target,
  rows: readonly CellRow[],
  { waits = false }: { readonly waits?: boolean } = {},
): Promise<number> {
  if (columns.length === 0) return 0;
  const cells = (alias: string) => `row(${columns.map(({ name }) => `${alias}.${quoted(name)}`).join(', ')})`;
  const assignments = columns.map(({ name }) => `${quoted(name)} = given.${quoted(name)}`).join(', ');
  return runInChunks(rows, (json) =>
    db.query(
      `with given as materialized (${inputSql(columns)}), changed as materialized (
         select t._id_ from ${quoted(table)} t join given on given._id_ = t._id_
         where ${cells('t')} is distinct from ${cells('given')}
         for no key update of t${waits ? '' : ' skip locked'})
       update ${quoted(table)} t set ${assignments} from given join changed on changed._id_ = given._id_
       where t._id_ = given._id_`,
      [json],
    ),
  );
}

/** Inserts rows whose ids do not exist yet; returns how many. */
export async function insertMissing(
  db: Db,
  { table, columns }: Target,
  rows: readonly CellRow[],
  now: Date,
): Promise<number> {
  const names = columns.map(({ name }) => `, ${quoted(name)}`).join('');
  return runInChunks(rows, (json) =>
    db.query(
      `insert into ${quoted(table)} (_id_, _tstamp_${names})
       select _id_, $2::timestamptz at time zone 'UTC'${names} from (${inputSql(columns)}) given
       where not exists (select from ${quoted(table)} t where t._id_ = given._id_) order by _id_`,
      [json, now],
    ),
  );
}

/** Deletes rows with other ids than these; returns how many. */
export async function deleteOthers(db: Db, table: string, ids: readonly string[]): Promise<number> {
  const { rowCount } = await db.query(
    `delete from ${quoted(table)} where _id_ = any (array(
       select t._id_ from ${quoted(table)} t
       where not exists (select from unnest($1::uuid[]) as kept (id) where kept.id = t._id_) for update skip locked))`,
    [ids],
  );
  return rowCount ?? 0;
}

/**
 * Locks rows so that others can reference them, as a foreign key does. Returns those that exist, and
 * those that another session has locked.
 */
export async function lockReferenced(
  db: Db,
  table: string,
  ids: readonly string[],
): Promise<{ readonly locked: ReadonlySet<string>; readonly busy: ReadonlySet<string> }> {
  const select = `select t._id_ as id from ${quoted(table)} t where t._id_ = any($1::uuid[])`;
  const { rows } = await db.query<{ id: string }>(`${select} for key share skip locked`, [ids]);
  const locked = new Set(rows.map(({ id }) => id));
  const { rows: others } = await db.query<{ id: string }>(select, [ids.filter((id) => !locked.has(id))]);
  return { locked, busy: new Set(others.map(({ id }) => id)) };
}

function inputSql(columns: readonly ColumnType[]): string {
  const typed = columns.map(({ name, type }) => `, ${quoted(name)} ${type}`).join('');
  return `select * from jsonb_to_recordset($1::jsonb) as given (_id_ uuid${typed})`;
}

async function runInChunks(
  rows: readonly CellRow[],
  write: (json: string) => Promise<{ readonly rowCount: number | null }>,
): Promise<number> {
  let written = 0;
  for (let from = 0; from < rows.length; from += chunkSize) {
    const chunk = rows.slice(from, from + chunkSize).map(({ id, cells }) => ({ ...cells, _id_: id }));
    written += (await write(JSON.stringify(chunk))).rowCount ?? 0;
  }
  return written;
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}
