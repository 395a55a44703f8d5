/**
 * Stores values that both sides had and one of them no longer has, although no log names the
 * change. They are collected while a table is compared or read in full. At its end one decision is
 * made for all of them.
 */
import type { ClearingsQuestion } from '@portal/contract/sync/recovery';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { AbsenceScope } from './absences.store.ts';

export interface ClearedValue {
  readonly id: string;
  readonly column: string;
}

/** `side` is the one that no longer has the values. */
export async function addClearings(
  db: Db,
  { stateId, side, table }: AbsenceScope,
  values: readonly ClearedValue[],
): Promise<void> {
  if (values.length === 0) return;
  await db.query(
    `insert into __portal_sync__.clearing (state_id, side, table_name, id, column_name)
     select $1, $2, $3, id, column_name from unnest($4::uuid[], $5::text[]) as v (id, column_name) on conflict do nothing`,
    [stateId, side, table, values.map(({ id }) => id), values.map(({ column }) => column)],
  );
}

const undecidedSql = 'state_id = $1 and side = $2 and table_name = $3 and not is_decided';

/**
 * Removes what is not decided, and returns the ids of its records. The state must be locked, so
 * that nothing is added in between.
 */
export async function takeClearings(db: Db, { stateId, side, table }: AbsenceScope): Promise<string[]> {
  const scope = [stateId, side, table];
  const { rows } = await db.query<{ id: string }>(
    `select distinct id::text as id from __portal_sync__.clearing
     where ${undecidedSql} order by id`,
    scope,
  );
  await removeRows(db, 'clearing', `select ctid from __portal_sync__.clearing where ${undecidedSql}`, scope);
  return rows.map(({ id }) => id);
}

/** Decides that everything collected is to be cleared on the other side too. */
export async function decideClearings(db: Db, { stateId, side, table }: AbsenceScope): Promise<void> {
  await db.query(`update __portal_sync__.clearing set is_decided = true where ${undecidedSql}`, [stateId, side, table]);
}

/** Returns the first ids of records of which values are to be cleared, in order. */
export async function readDecidedClearings(
  db: Db,
  { stateId, side, table }: AbsenceScope,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select distinct id::text as id from __portal_sync__.clearing
     where state_id = $1 and side = $2 and table_name = $3 and is_decided order by id limit $4`,
    [stateId, side, table, limit],
  );
  return rows.map(({ id }) => id);
}

/** Removes what was decided about these records. */
export async function removeDecidedClearings(
  db: Db,
  { stateId, side, table }: AbsenceScope,
  ids: readonly string[],
): Promise<void> {
  await removeRows(
    db,
    'clearing',
    `select ctid from __portal_sync__.clearing
     where state_id = $1 and side = $2 and table_name = $3 and id = any($4::uuid[]) and is_decided`,
    [stateId, side, table, ids],
  );
}

/** Counts, by column, the values that both sides had, and those that one side no longer has. */
export async function countClearings(
  db: Db,
  { stateId, side, table }: AbsenceScope,
): Promise<ClearingsQuestion['columns']> {
  const { rows } = await db.query(
    `select c.column_name as column, c.absent, (
         select count(*)::float8 from __portal_sync__.record r
         where r.state_id = $1 and r.table_name = $3 and r.journey->>c.column_name is not null) as known
     from (select column_name, count(*)::float8 as absent from __portal_sync__.clearing
       where ${undecidedSql} group by column_name) c
     order by c.column_name`,
    [stateId, side, table],
  );
  return rows;
}

/** Returns how many records have lost a value, and these values of the first records. */
export async function sampleClearings(
  db: Db,
  { stateId, side, table }: AbsenceScope,
  limit: number,
): Promise<Pick<ClearingsQuestion, 'records' | 'sample'>> {
  const { rows } = await db.query(
    `select c.id::text as id, json_object_agg(c.column_name, r.journey->c.column_name) as values,
       (count(*) over ())::float8 as records
     from __portal_sync__.clearing c
     join __portal_sync__.record r on r.state_id = c.state_id and r.table_name = c.table_name and r.id = c.id
     where c.state_id = $1 and c.side = $2 and c.table_name = $3 and not c.is_decided group by c.id order by c.id limit $4`,
    [stateId, side, table, limit],
  );
  return { records: rows[0]?.records ?? 0, sample: rows.map(({ id, values }) => ({ id, values })) };
}

/** Removes what is known of the collected values: the side that still has them fills the other. */
export async function forgetClearings(db: Db, { stateId, side, table }: AbsenceScope): Promise<void> {
  await db.query(
    `update __portal_sync__.record r set journey = (r.journey::jsonb - c.columns)::json
     from (select id, array_agg(column_name) as columns from __portal_sync__.clearing
       where ${undecidedSql} group by id) c
     where r.state_id = $1 and r.table_name = $3 and r.id = c.id`,
    [stateId, side, table],
  );
}
