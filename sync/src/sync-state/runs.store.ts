/** The one row of an integration: where both directions have come to, and who may move them on. */
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import type { Db } from '../helium/helium-gateway.ts';
import { LeaseLostError } from '../integration/lease-lost-error.ts';
import type { Mapping } from '../mapping/object-map.ts';

/** Objects that are to be read whole, one after the other, in the order of their ids. */
export interface Snapshot {
  /** Where the log is read from afterwards; null: from where it is read anyway. */
  readonly head: string | null;
  /** Tables that are not done, the present one first. */
  readonly tables: readonly string[];
  /** How far the present one is; null: at its beginning. */
  readonly afterId: string | null;
  readonly count: number;
}

export interface RunRow {
  readonly changeLogCursor: string;
  readonly opLogCursor: string;
  readonly toHelium: Snapshot | null;
  readonly toJourney: Snapshot | null;
  /** null: none was ever accepted. */
  readonly mapping: Mapping | null;
  readonly configVersion: number | null;
  /** Number of the last call to Journey that was begun. */
  readonly lastCall: number;
}

const columns = `state_id as "stateId", change_log_cursor::text as "changeLogCursor", op_log_cursor::text as "opLogCursor",
  snapshot_to_helium as "toHelium", snapshot_to_journey as "toJourney", mapping, config_version as "configVersion",
  last_call::float8 as "lastCall"`;

export interface RunChange {
  readonly changeLogCursor?: string;
  readonly opLogCursor?: string;
  readonly toHelium?: Snapshot | null;
  readonly toJourney?: Snapshot | null;
  /** Journey has answered for this call. */
  readonly answered?: number;
}

/**
 * Takes the integration for this fencing number; a row is made at the first time. Throws LeaseLost
 * when a newer one has it.
 *
 * @param from versions to begin from; '0' everything there is
 */
export async function takeRun(
  db: Db,
  stateKey: string,
  fence: string,
  from: { readonly changeLog: string; readonly opLog: string },
): Promise<RunRow & { readonly stateId: number }> {
  const { rows } = await db.query(
    `insert into __portal_sync__.run as r (state_key, fence, change_log_cursor, op_log_cursor) values ($1, $2, $3, $4)
     on conflict (state_key) do update set fence = excluded.fence where r.fence <= excluded.fence
     returning ${columns}`,
    [stateKey, fence, from.changeLog, from.opLog],
  );
  const [row] = rows;
  if (!row) throw new LeaseLostError('Another process runs this integration now.');
  return row;
}

/**
 * Holds the row until the transaction ends, so that the two directions never change one record's
 * state at once.
 */
export async function lockRun(db: Db, stateId: number, fence: string): Promise<RunRow> {
  const { rows } = await db.query({
    name: 'portal-sync-lock-run',
    text: `select ${columns} from __portal_sync__.run where state_id = $1 and fence = $2 for update`,
    values: [stateId, fence],
  });
  const [row] = rows;
  if (!row) throw new LeaseLostError('Another process runs this integration now.');
  return row;
}

export async function saveRun(db: Db, stateId: number, change: RunChange): Promise<void> {
  const json = (value: Snapshot | null | undefined) => (value ? JSON.stringify(value) : null);
  await db.query({
    name: 'portal-sync-save-run',
    text: `update __portal_sync__.run set
       change_log_cursor = coalesce($2::bigint, change_log_cursor),
       op_log_cursor = coalesce($3::numeric, op_log_cursor),
       snapshot_to_helium = case when $4::boolean then $5::jsonb else snapshot_to_helium end,
       snapshot_to_journey = case when $6::boolean then $7::jsonb else snapshot_to_journey end,
       open_calls = case when $8::bigint is null then open_calls else array_remove(open_calls, $8) end
     where state_id = $1`,
    values: [
      stateId,
      change.changeLogCursor ?? null,
      change.opLogCursor ?? null,
      change.toHelium !== undefined,
      json(change.toHelium),
      change.toJourney !== undefined,
      json(change.toJourney),
      change.answered ?? null,
    ],
  });
}

/** Throws LeaseLost when another process runs the integration. */
export async function saveMapping(
  db: Db,
  stateId: number,
  fence: string,
  mapping: Mapping,
  configVersion: number,
): Promise<void> {
  const { rowCount } = await db.query(
    'update __portal_sync__.run set mapping = $3, config_version = $4 where state_id = $1 and fence = $2',
    [stateId, fence, JSON.stringify(mapping), configVersion],
  );
  if (rowCount === 0) throw new LeaseLostError('Another process runs this integration now.');
}

/**
 * Takes away everything that is kept of an integration, whichever schema and deployment it was of.
 */
export async function dropRuns(pool: Pool, keys: string): Promise<void> {
  await inTransaction(pool, async (db) => {
    const { rows } = await db.query(
      'delete from __portal_sync__.run where starts_with(state_key, $1) returning state_id',
      [keys],
    );
    const stateIds = rows.map(({ state_id }) => state_id);
    // No foreign key takes these along; with the row gone, nobody adds to them any more.
    for (const table of ['record', 'intent'])
      await db.query(`delete from __portal_sync__.${table} where state_id = any($1)`, [stateIds]);
  });
}
