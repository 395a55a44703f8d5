/**
 * Stores known records that one side no longer has, although no log has named their deletion. They
 * are collected while a table is read. At its end one decision is made for all of them.
 *
 * Other tables are looked up record by record (`offset 0`), as `readRecords` does: without
 * statistics, PostgreSQL joins them in quadratic time.
 */
import type { DeletionsQuestion, Side } from '@portal/contract/sync/recovery';
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows, removeRowsSql } from '../helium/remove-state-rows.ts';
import { changeLog } from '../helium/sql-names.ts';
import type { RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

/** The absences of one object. */
export interface AbsenceScope {
  readonly stateId: number;
  /** The side that no longer has the records. */
  readonly side: Side;
  readonly table: string;
}

export type AbsenceDecision = 'delete' | 'keep';

export async function addAbsences(db: Db, { stateId, side, table }: AbsenceScope, ids: readonly string[]) {
  if (ids.length === 0) return;
  await db.query(
    `insert into __portal_sync__.absence (state_id, side, table_name, id) select $1, $2, $3, unnest($4::uuid[])
     on conflict do nothing`,
    [stateId, side, table, ids],
  );
}

/**
 * Collects all known records of a table that have no row, except those whose deletion is in the
 * change log after the cursor.
 *
 * @param schema the app's schema
 */
export async function collectUnloggedAbsences(
  db: Db,
  { stateId, side, table }: AbsenceScope & { readonly side: 'helium' },
  { schema, cursor }: { readonly schema: string; readonly cursor: string },
): Promise<void> {
  const name = (of: string) => `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(of)}`;
  await db.query(
    `insert into __portal_sync__.absence (state_id, side, table_name, id)
     select r.state_id, $2, r.table_name, r.id from __portal_sync__.record r
     where r.state_id = $1 and r.table_name = $3 and ${isKnownSql(side)}
       and not exists (select from ${name(table)} t where t._id_ = r.id offset 0)
       and r.id not in (select c.object_uuid from ${name(changeLog)} c
         where c.seq > $4 and c.change = 'delete' and c.object_name = $3)
     on conflict do nothing`,
    [stateId, side, table, cursor],
  );
}

/** Removes what was collected without a decision. Call it before a table is read again. */
export async function clearAbsences(db: Db, { stateId, side, table }: AbsenceScope): Promise<void> {
  await removeRows(
    db,
    'absence',
    `select ctid from __portal_sync__.absence
     where state_id = $1 and side = $2 and table_name = $3 and decision is null for update`,
    [stateId, side, table],
  );
}

export async function removeAbsences(db: Db, stateId: number, side: Side, keys: readonly RecordKey[]): Promise<void> {
  if (keys.length === 0) return;
  await removeRows(
    db,
    'absence',
    `select a.ctid from __portal_sync__.absence a, unnest($3::text[], $4::uuid[]) as k (table_name, id)
     where a.state_id = $1 and a.side = $2 and a.table_name = k.table_name and a.id = k.id for update of a`,
    [stateId, side, ...keyColumns(keys)],
  );
}

/** Returns the collected ids without a decision, in order. */
export async function listAbsences(
  db: Db,
  { stateId, side, table }: AbsenceScope,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id::text from __portal_sync__.absence
     where state_id = $1 and side = $2 and table_name = $3 and decision is null and ($4::uuid is null or id > $4)
     order by id limit $5`,
    [stateId, side, table, afterId, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Whether both sides had `record r`, as far as is known, and it is not being deleted. A record that
 * waits to be written to Helium was never there.
 */
function isKnownSql(side: Side): string {
  const sameRecord = (alias: string) =>
    `${alias}.state_id = r.state_id and ${alias}.table_name = r.table_name and ${alias}.id = r.id`;
  const isHeld = `exists (select from __portal_sync__.held h where ${sameRecord('h')} and h.direction = 'journey-to-helium' offset 0)`;
  return `r.journey is not null
    and not exists (select from __portal_sync__.intent i where ${sameRecord('i')} and i.method = 'delete' and not i.is_superseded offset 0)
    ${side === 'helium' ? `and not ${isHeld}` : ''}`;
}

/**
 * Removes collected records that are no longer absent: a log has named their deletion since then,
 * or Helium has their row again.
 *
 * @param schema the app's schema
 */
export async function removeExplainedAbsences(db: Db, scope: AbsenceScope, schema: string): Promise<void> {
  const { stateId, side, table } = scope;
  const rows = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
  const hasRow = side === 'helium' ? `or exists (select from ${rows} t where t._id_ = a.id offset 0)` : '';
  await removeRows(
    db,
    'absence',
    `select a.ctid from __portal_sync__.absence a
     where a.state_id = $1 and a.side = $2 and a.table_name = $3 and a.decision is null and (
       not exists (select from __portal_sync__.record r
         where r.state_id = a.state_id and r.table_name = a.table_name and r.id = a.id and ${isKnownSql(side)} offset 0) ${hasRow})
     for update`,
    [stateId, side, table],
  );
}

/** Counts the records of an object that both sides had, and the absent ones among them. */
export async function countAbsences(
  db: Db,
  { stateId, side, table }: AbsenceScope,
): Promise<{ readonly known: number; readonly absent: number }> {
  const { rows } = await db.query<{ absent: number }>(
    `select count(*)::float8 as absent from __portal_sync__.absence
     where state_id = $1 and side = $2 and table_name = $3 and decision is null`,
    [stateId, side, table],
  );
  const absent = rows[0]?.absent ?? 0;
  if (absent === 0) return { known: 0, absent };
  const { rows: counted } = await db.query<{ known: number }>(
    `select count(*)::float8 as known from __portal_sync__.record r
     where r.state_id = $1 and r.table_name = $2 and ${isKnownSql(side)}`,
    [stateId, table],
  );
  return { known: counted[0]?.known ?? 0, absent };
}

/** A column that references the absent records' table. */
export interface ReferencingColumn {
  readonly table: string;
  readonly column: string;
}

/**
 * Counts the references that a deletion on the other side would clear there. References of records
 * that would be deleted themselves do not count. It is one statement, which locks all tables before
 * it reads the first: a scan may take long.
 *
 * @param schema the app's schema
 */
export async function countClearedReferences(
  db: Db,
  { stateId, side, table }: AbsenceScope,
  schema: string,
  columns: readonly ReferencingColumn[],
): Promise<DeletionsQuestion['clearedReferences']> {
  if (columns.length === 0) return [];
  const isAbsent = (id: string, tableName: string) =>
    `exists (select from __portal_sync__.absence a
       where a.state_id = $1 and a.side = $2 and a.table_name = ${tableName} and a.id = ${id} and a.decision is null offset 0)`;
  const counts = columns.map(({ table: from, column }, index) => {
    const name = pg.escapeLiteral(from);
    const count = `select ${index} as index, count(*)::float8 as records`;
    return side === 'journey'
      ? `${count} from ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(from)} t
          where ${isAbsent(`t.${pg.escapeIdentifier(column)}`, '$3')} and not ${isAbsent('t._id_', name)}`
      : `${count} from __portal_sync__.record r where r.state_id = $1 and r.table_name = ${name}
          and ${isAbsent(`(r.journey->>${pg.escapeLiteral(column)})::uuid`, '$3')} and not ${isAbsent('r.id', name)}`;
  });
  const { rows } = await db.query<{ index: number; records: number }>(counts.join(' union all '), [
    stateId,
    side,
    table,
  ]);
  return columns.flatMap((from, index) => {
    const { records = 0 } = rows.find((row) => row.index === index) ?? {};
    return records > 0 ? [{ ...from, records }] : [];
  });
}

/**
 * Records as known that references of these absent objects are cleared, where Helium cleared them
 * with the row they referred to, and removes writes that only carry this to Journey. No one edited
 * them: otherwise the rows would count as edited.
 *
 * @param schema the app's schema
 */
export async function saveClearedReferences(
  db: Db,
  { stateId, table, ids }: { readonly stateId: number; readonly table: string; readonly ids: readonly string[] },
  schema: string,
  references: readonly { readonly column: string; readonly parent: string }[],
): Promise<void> {
  const columns = references.map(({ column }) => column);
  const toRows = (name: string) => `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  for (const { column, parent } of references)
    await db.query(
      `with cleared as (
         update __portal_sync__.record r set journey = r.journey::jsonb || jsonb_build_object($4::text, null)
         from ${toRows(table)} t
         where r.state_id = $1 and r.table_name = $2 and r.id = any($3::uuid[]) and t._id_ = r.id
           and t.${pg.escapeIdentifier(column)} is null and r.journey->>$4 is not null
           and not exists (select from ${toRows(parent)} p where p._id_ = (r.journey->>$4)::uuid offset 0)
         returning r.id)
       ${removeRowsSql(
         'intent',
         `select i.ctid from __portal_sync__.intent i join cleared c on i.id = c.id
          where i.state_id = $1 and i.table_name = $2 and i.method = 'patch'
            and jsonb_strip_nulls(i.fields::jsonb) = '{}' and i.fields::jsonb - $5::text[] = '{}' for update of i`,
       )}`,
      [stateId, table, ids, column, columns],
    );
}

/** Decides about all collected records of an object. */
export async function decideAbsences(
  db: Db,
  { stateId, side, table }: AbsenceScope,
  decision: AbsenceDecision,
): Promise<void> {
  await db.query(
    `update __portal_sync__.absence set decision = $4
     where state_id = $1 and side = $2 and table_name = $3 and decision is null`,
    [stateId, side, table, decision],
  );
}

/** Returns the next absent objects of Journey about which a decision was made, all of one table. */
export async function readDecidedAbsences(
  db: Db,
  stateId: number,
  limit: number,
): Promise<{ readonly key: RecordKey; readonly decision: AbsenceDecision }[]> {
  const { rows } = await db.query(
    `select table_name as "table", id::text, decision from __portal_sync__.absence
     where state_id = $1 and side = 'journey' and decision is not null and table_name = (
       select min(table_name) from __portal_sync__.absence where state_id = $1 and side = 'journey' and decision is not null)
     order by id limit $2`,
    [stateId, limit],
  );
  return rows.map(({ table, id, decision }) => ({ key: { table, id }, decision }));
}

/**
 * Has the rows that Helium no longer has checked like changed ones, which deletes them in Journey
 * if they are still absent then.
 */
export async function deleteAbsentRows(db: Db, { stateId, table }: Omit<AbsenceScope, 'side'>): Promise<void> {
  await db.query(
    `with decided as (
       select ctid, table_name, id from __portal_sync__.absence
       where state_id = $1 and side = 'helium' and table_name = $2 and decision is null for update
     ), marked as (
       insert into __portal_sync__.dirty (state_id, table_name, id) select $1, table_name, id from decided
       on conflict (state_id, table_name, id) do update set mark = excluded.mark
     )
     ${removeRowsSql('absence', 'select ctid from decided')}`,
    [stateId, table],
  );
}

/**
 * Removes everything that is known of the rows that Helium no longer has: when Journey is read
 * again, they come back.
 */
export async function forgetAbsentRows(db: Db, { stateId, table }: Omit<AbsenceScope, 'side'>): Promise<void> {
  for (const name of ['record', 'intent', 'dirty', 'rounded', 'held'])
    await removeRows(
      db,
      name,
      `select r.ctid from __portal_sync__.absence a
       cross join lateral (
         select r.ctid from __portal_sync__.${name} r
         where r.state_id = a.state_id and r.table_name = a.table_name and r.id = a.id offset 0 for update
       ) r
       where a.state_id = $1 and a.side = 'helium' and a.table_name = $2 and a.decision is null`,
      [stateId, table],
    );
  // What is not known of this table may exist in Journey now.
  await db.query(
    'update __portal_sync__.run set complete_tables = array_remove(complete_tables, $2) where state_id = $1',
    [stateId, table],
  );
  await clearAbsences(db, { stateId, side: 'helium', table });
}

/** Returns values that Journey is known to have of the absent records, ordered by id. */
export async function sampleKnownValues(
  db: Db,
  { stateId, side, table }: AbsenceScope,
  limit: number,
): Promise<DeletionsQuestion['sample']> {
  const { rows } = await db.query(
    `select a.id::text, r.journey as values from __portal_sync__.absence a
     cross join lateral (
       select journey from __portal_sync__.record r
       where r.state_id = a.state_id and r.table_name = a.table_name and r.id = a.id offset 0
     ) r
     where a.state_id = $1 and a.side = $2 and a.table_name = $3 and a.decision is null order by a.id limit $4`,
    [stateId, side, table, limit],
  );
  return rows;
}
