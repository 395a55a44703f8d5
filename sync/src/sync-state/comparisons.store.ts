/** Stores the requests for comparisons of both sides, and their results. */
import type { DriftPoint } from '@portal/contract/sync/drift';
import type { HeldState } from '@portal/contract/sync/records';
import pg from 'pg';
import type { Db, HeliumGateway } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import { keyText, type RecordKey } from '../record/record-key.ts';
import { keyColumns } from './array-parameters.ts';

/**
 * Returns the ids of rows and of known records behind one id, in order; from the first when it is
 * null.
 */
export async function readIdsOfBoth(
  { pool, schema }: Pick<HeliumGateway, 'pool' | 'schema'>,
  stateId: number,
  table: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
): Promise<string[]> {
  const rows = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
  const { rows: found } = await pool.query<{ id: string }>(
    `(select _id_::text as id from ${rows} where $3::uuid is null or _id_ > $3 order by _id_ limit $4)
     union
     (select id::text from __portal_sync__.record
      where state_id = $1 and table_name = $2 and journey is not null and ($3::uuid is null or id > $3) order by id limit $4)
     order by id limit $4`,
    [stateId, table, afterId, limit],
  );
  return found.map(({ id }) => id);
}

/**
 * Returns which of these records are dirty or held, so they are known to differ.
 *
 * @param isSent whether dirty records are sent: otherwise they stay dirty
 */
export async function findInFlight(
  db: Db,
  stateId: number,
  keys: readonly RecordKey[],
  isSent = true,
): Promise<Set<string>> {
  const { rows } = await db.query(
    `select k.table_name as "table", k.id::text from unnest($2::text[], $3::uuid[]) as k (table_name, id)
     where $4 and exists (select from __portal_sync__.dirty d where d.state_id = $1 and d.table_name = k.table_name and d.id = k.id)
        or exists (select from __portal_sync__.held h where h.state_id = $1 and h.table_name = k.table_name and h.id = k.id)`,
    [stateId, ...keyColumns(keys), isSent],
  );
  return new Set(rows.map(keyText));
}

/** Counts the held records of a table; one that is held in both directions counts once. */
export async function countHeld(db: Db, stateId: number, table: string): Promise<Readonly<Record<HeldState, number>>> {
  const { rows } = await db.query(
    `select count(*) filter (where state = 'dead')::int as dead, count(*) filter (where state = 'parked')::int as parked,
       count(*) filter (where state = 'skipped')::int as skipped, count(*) filter (where state = 'waiting')::int as waiting
     from (select distinct on (id) state from __portal_sync__.held where state_id = $1 and table_name = $2
       order by id, array_position('{dead,parked,waiting,skipped}'::text[], state)) one`,
    [stateId, table],
  );
  return rows[0];
}

/**
 * Returns the time at which a comparison was requested, in PostgreSQL's text; null when none was.
 * An engine with an older fence gets null.
 */
export async function readComparisonRequest(db: Db, stateId: number, fence: string): Promise<string | null> {
  const { rows } = await db.query<{ at: string | null }>(
    'select comparison_requested_at::text as at from __portal_sync__.run where state_id = $1 and fence = $2',
    [stateId, fence],
  );
  return rows[0]?.at ?? null;
}

/** Clears a request that was carried out. One that was made since stays. */
export async function clearComparisonRequest(db: Db, stateId: number, fence: string, request: string): Promise<void> {
  await db.query(
    `update __portal_sync__.run set comparison_requested_at = null
     where state_id = $1 and fence = $2 and comparison_requested_at = $3::timestamptz`,
    [stateId, fence, request],
  );
}

/**
 * Returns how long ago the last comparison of a table ended, in milliseconds; null when there was
 * none.
 */
export async function readComparisonAgeMs(db: Db, stateId: number): Promise<number | null> {
  const { rows } = await db.query(
    `select (extract(epoch from now() - max(at)) * 1000)::float8 as age from __portal_sync__.comparison where state_id = $1`,
    [stateId],
  );
  return rows[0]?.age ?? null;
}

/** Older results are deleted, as are all but the newest of each table. */
const retentionDays = 30;
const maxPoints = 100;

/** Stores the result of comparing one table. */
export async function addDriftPoint(db: Db, stateId: number, point: Omit<DriftPoint, 'at'>): Promise<void> {
  const { table, helium, journey, drifted, held, leftAsIs } = point;
  await db.query(
    `insert into __portal_sync__.comparison (state_id, table_name, helium, journey, drifted, held, left_as_is)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [stateId, table, helium, journey, drifted, held, leftAsIs],
  );
  await removeRows(
    db,
    'comparison',
    `select ctid from __portal_sync__.comparison
     where state_id = $1 and (at < now() - interval '${retentionDays} days' or table_name = $2 and id <= (
       select id from __portal_sync__.comparison where state_id = $1 and table_name = $2 order by id desc offset ${maxPoints} limit 1))
     for update`,
    [stateId, table],
  );
}

/** Lists the results per table, oldest first. */
export async function listDriftPoints(db: Db, stateId: number): Promise<DriftPoint[]> {
  const { rows } = await db.query(
    `select table_name as "table", at, helium, journey, drifted, held, left_as_is as "leftAsIs" from __portal_sync__.comparison
     where state_id = $1 and at >= now() - interval '${retentionDays} days' order by table_name, id`,
    [stateId],
  );
  return rows.map(({ at, ...rest }) => ({ ...rest, at: at.toISOString() }));
}
