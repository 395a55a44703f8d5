/**
 * Stores one row per integration: the positions of both directions, and the fence of the process
 * that may move them.
 */
import { namedQuery } from '@portal/kit/postgres/named-query';
import { inTransaction, type Pool } from '@portal/kit/postgres/pool';
import type { ChangeLogPoint, Db } from '../helium/helium-gateway.ts';
import { LeaseLostError } from '../integration/lease-lost-error.ts';
import type { OpLogPoint } from '../journey/journey-gateway.ts';
import type { AcceptedMapping } from '../mapping/accept-mapping.ts';
import type { Mapping } from '../mapping/object-map.ts';
import type { StoredQuestion } from './questions.store.ts';

/** A full read of tables, one after another, in the order of their ids. */
export interface Snapshot {
  /** The position to continue the log from afterwards; null keeps the current one. */
  readonly head: string | null;
  /** Tables that are not complete, the current one first. */
  readonly tables: readonly string[];
  /** The last id read of the current table; null at its start. */
  readonly afterId: string | null;
  readonly count: number;
  /** A table that was read to its end, and whose absent records are not decided about yet. */
  readonly endedTable?: string;
  /**
   * What happens to known records that are absent. 'ask', the default: few are deleted, an operator
   * is asked about many. 'ask about any': nothing shows that someone deleted them. 'keep': they
   * come back from the other side.
   */
  readonly absent?: 'ask' | 'ask about any' | 'delete' | 'keep';
  /** Whether it starts only when the log has been read to its end. */
  readonly isAfterLog?: boolean;
  /** Whether the side is only recorded as known, and nothing is written to the other one. */
  readonly isAdoption?: boolean;
  /** Whether an operator requested to read everything, and the next run has to plan it. */
  readonly isRequested?: boolean;
  /** Tables to read afterwards as usual: what is decided for `tables` does not concern them. */
  readonly nextTables?: readonly string[];
  /** What happens to absent records of `nextTables`. */
  readonly nextAbsent?: Snapshot['absent'];
}

/**
 * Returns a full read of these tables that has not started.
 *
 * @param head the position to continue the log from afterwards; null keeps the current one
 */
export function createSnapshot(tables: readonly string[], head: string | null): Snapshot {
  return { head, tables, afterId: null, count: 0 };
}

export interface RunRow {
  /**
   * Increases with each transaction that locks or saves the row: see engine/state/revision.ts.
   */
  readonly revision: number;
  readonly changeLogCursor: string;
  readonly opLogCursor: string;
  readonly toHelium: Snapshot | null;
  readonly toJourney: Snapshot | null;
  /** null when no mapping was ever accepted. */
  readonly mapping: Mapping | null;
  readonly configVersion: number | null;
  /** The last call to Journey that was started. */
  readonly lastCall: number;
  /** null before the first entry, or when the entry is not known. */
  readonly changeLogPoint: ChangeLogPoint | null;
  readonly opLogPoint: OpLogPoint | null;
  /**
   * Tables whose objects in Journey were listed to the end with this state, and followed since: a
   * record that is not known is absent in Journey.
   */
  readonly completeTables: readonly string[];
  /** When Journey's app had last been deployed, by table, as Journey reports it. */
  readonly deployments: Readonly<Record<string, string>>;
}

const columns = `state_id as "stateId", revision::float8 as revision, change_log_cursor::text as "changeLogCursor", op_log_cursor::text as "opLogCursor",
  snapshot_to_helium as "toHelium", snapshot_to_journey as "toJourney", mapping, config_version as "configVersion",
  last_call::float8 as "lastCall", change_log_point as "changeLogPoint", op_log_point as "opLogPoint",
  complete_tables as "completeTables", deployments`;

export interface RunChange {
  readonly changeLogCursor?: string;
  readonly opLogCursor?: string;
  readonly toHelium?: Snapshot | null;
  readonly toJourney?: Snapshot | null;
  /** The call to Journey that is to be made. */
  readonly openedCall?: number;
  /** The newest entry of the change log when that call was planned. */
  readonly sentPoint?: ChangeLogPoint;
  /** The call that Journey has answered. */
  readonly answeredCall?: number;
  readonly changeLogPoint?: ChangeLogPoint | null;
  readonly opLogPoint?: OpLogPoint | null;
  /** A table whose objects in Journey are now listed to the end. */
  readonly completeTable?: string;
  readonly deployments?: RunRow['deployments'];
}

/** The name of a session during a transaction of an integration, as SQL. */
const sessionNameSql = `'portal-sync ' || state_id || '/'`;

/** The sessions of earlier runs of an integration. */
const predecessorsSql = `from __portal_sync__.run r join pg_stat_activity a
    on substring(a.application_name from '^' || ${sessionNameSql} || '(\\d+)$')::numeric < $2::numeric
  where r.state_key = $1 and a.datname = current_database() and a.usename = r.login`;

/**
 * Ends the transactions of earlier runs of this integration. A frozen process keeps its locks, also
 * on rows of the app; any other one is rejected at its next step anyway. Needs no privilege,
 * because the sessions are the role's own.
 *
 * @param reading looks for them: it has planned the query before, which takes long
 */
export async function endPredecessors(
  { pool, reading }: { readonly pool: Db; readonly reading: Db },
  stateKey: string,
  fence: string,
): Promise<void> {
  const values = [stateKey, fence];
  const { rowCount } = await reading.query(namedQuery('portal-sync-predecessors', `select ${predecessorsSql}`, values));
  if (rowCount !== 0) await pool.query(`select pg_terminate_backend(a.pid) ${predecessorsSql}`, values);
}

export type ClaimedRun = RunRow & StoredQuestion & { readonly stateId: number };

/**
 * How long a claim waits for transactions of the integration to end. Nothing of the app is locked.
 */
const claimTimeoutMs = 2_000;

/**
 * Claims the integration for this fence, and creates its row on first use. Throws LeaseLostError
 * when a newer fence owns it.
 *
 * @param from versions to start from; '0' reads everything
 */
export function claimRun(
  pool: Pool,
  stateKey: string,
  fence: string,
  from: { readonly changeLog: string; readonly opLog: string },
): Promise<ClaimedRun> {
  return inTransaction(pool, async (db) => {
    await db.query(`set local lock_timeout = ${claimTimeoutMs}`);
    const claim = async () => {
      const { rows } = await db.query<ClaimedRun>(claimSql, [stateKey, fence]);
      return rows[0];
    };
    const claimed = await claim();
    if (claimed) return claimed;
    const { rowCount } = await db.query('select from __portal_sync__.run where state_key = $1', [stateKey]);
    if (rowCount === 0) await createRun(db, stateKey, from);
    return requireOwned(await claim());
  });
}

/**
 * Creates the row of an integration, unless there is one.
 *
 * @param login the only login, besides the owner of the state, that may read and change the row.
 *   Default: this session's
 */
export async function createRun(
  db: Db,
  stateKey: string,
  from: { readonly changeLog: string; readonly opLog: string },
  login: string | null = null,
): Promise<void> {
  await db.query(
    `insert into __portal_sync__.run (state_key, login, fence, change_log_cursor, op_log_cursor)
     values ($1, coalesce($2::name, session_user), 0, $3, $4) on conflict (state_key) do nothing`,
    [stateKey, login, from.changeLog, from.opLog],
  );
}

/** Gives the row of an integration to another login, as after a change of the encryption key. */
export async function giveRun(db: Db, stateKey: string, login: string): Promise<void> {
  await db.query('update __portal_sync__.run set login = $2 where state_key = $1 and login <> $2', [stateKey, login]);
}

const claimSql = `update __portal_sync__.run set fence = $2 where state_key = $1 and fence <= $2 returning ${columns}, question, answer`;

/** Names the session until the transaction ends, so that a successor can end it. */
const nameSessionSql = `set_config('application_name', ${sessionNameSql} || fence, true)`;
const readOwnedSql = `select ${columns}, ${nameSessionSql} from __portal_sync__.run where state_id = $1 and fence = $2`;
const lockOwnedSql = `update __portal_sync__.run set revision = revision + 1 where state_id = $1 and fence = $2
  returning ${columns}, ${nameSessionSql}`;

/** Throws LeaseLostError when another process runs the integration. */
export async function readRun(db: Db, stateId: number, fence: string): Promise<RunRow> {
  const { rows } = await db.query(namedQuery('portal-sync-read-run', readOwnedSql, [stateId, fence]));
  return requireOwned<RunRow>(rows[0]);
}

/**
 * Locks the row until the transaction ends: no other process takes the integration over before.
 * Increases its revision. Throws LeaseLostError when another process has taken it over.
 */
export async function lockRun(db: Db, stateId: number, fence: string): Promise<RunRow> {
  const { rows } = await db.query(namedQuery('portal-sync-lock-run', lockOwnedSql, [stateId, fence]));
  return requireOwned<RunRow>(rows[0]);
}

function requireOwned<Row>(row: Row | undefined): Row {
  if (!row) throw new LeaseLostError('Another process runs this integration now.');
  return row;
}

/**
 * Saves the change, and locks the row until the transaction ends. Returns the row's new revision.
 *
 * @param fence throws LeaseLostError when another process runs the integration; null when the row
 *   is
 * locked
 */
export async function saveRun(
  db: Db,
  stateId: number,
  change: RunChange,
  fence: string | null = null,
): Promise<number> {
  const json = (value: Snapshot | ChangeLogPoint | OpLogPoint | RunRow['deployments'] | null | undefined) =>
    value ? JSON.stringify(value) : null;
  const { rows } = await db.query(
    namedQuery(
      'portal-sync-save-run',
      `update __portal_sync__.run set
       revision = revision + 1,
       change_log_cursor = coalesce($2::bigint, change_log_cursor),
       op_log_cursor = coalesce($3::numeric, op_log_cursor),
       snapshot_to_helium = case when $4::boolean then $5::jsonb else snapshot_to_helium end,
       snapshot_to_journey = case when $6::boolean then $7::jsonb else snapshot_to_journey end,
       open_calls = case when $14::bigint is not null then open_calls || $14
         when $8::bigint is null then open_calls else array_remove(open_calls, $8) end,
       last_call = coalesce($14, last_call),
       sent_point = coalesce($16::jsonb, sent_point),
       change_log_point = case when $9::boolean then $10::jsonb else change_log_point end,
       op_log_point = case when $11::boolean then $12::jsonb else op_log_point end,
       complete_tables = case when $13::text is null then complete_tables
         else array_append(array_remove(complete_tables, $13), $13) end,
       deployments = coalesce($17::jsonb, deployments)
     where state_id = $1 and ($15::bigint is null or fence = $15)
     returning revision::float8 as revision`,
      [
        stateId,
        change.changeLogCursor ?? null,
        change.opLogCursor ?? null,
        change.toHelium !== undefined,
        json(change.toHelium),
        change.toJourney !== undefined,
        json(change.toJourney),
        change.answeredCall ?? null,
        change.changeLogPoint !== undefined,
        json(change.changeLogPoint),
        change.opLogPoint !== undefined,
        json(change.opLogPoint),
        change.completeTable ?? null,
        change.openedCall ?? null,
        fence,
        json(change.sentPoint),
        json(change.deployments),
      ],
    ),
  );
  return requireOwned<Pick<RunRow, 'revision'>>(rows[0]).revision;
}

/**
 * Tables whose changes in Journey are not read any more are no longer complete. Throws
 * LeaseLostError when another process runs the integration.
 */
export async function saveMapping(
  db: Db,
  stateId: number,
  fence: string,
  mapping: AcceptedMapping,
  configVersion: number,
): Promise<void> {
  const followed = mapping.objects.filter(
    ({ table, toHelium }) => toHelium && !mapping.suspendedTables?.includes(table),
  );
  const { rowCount } = await db.query(
    `update __portal_sync__.run set mapping = $3, config_version = $4,
       complete_tables = array(select t from unnest(complete_tables) as t where t = any($5::text[]))
     where state_id = $1 and fence = $2`,
    [stateId, fence, JSON.stringify(mapping), configVersion, followed.map(({ table }) => table)],
  );
  if (rowCount === 0) throw new LeaseLostError('Another process runs this integration now.');
}

/** Stores which configuration the next run continues with. Throws LeaseLostError, as above. */
export async function saveConfigVersion(db: Db, stateId: number, fence: string, configVersion: number): Promise<void> {
  const { rowCount } = await db.query(
    'update __portal_sync__.run set config_version = $3 where state_id = $1 and fence = $2',
    [stateId, fence, configVersion],
  );
  if (rowCount === 0) throw new LeaseLostError('Another process runs this integration now.');
}

/** Deletes all stored state of an integration, for every schema and deployment it used. */
export async function deleteRuns(pool: Pool, keys: string): Promise<void> {
  await inTransaction(pool, async (db) => {
    const { rows } = await db.query(
      'delete from __portal_sync__.run where starts_with(state_key, $1) returning state_id',
      [keys],
    );
    const stateIds = rows.map(({ state_id }) => state_id);
    // These tables have no foreign key to cascade. Without the row, nothing is added to them any
    // more.
    for (const table of ['record', 'intent', 'trail'])
      await db.query(`delete from __portal_sync__.${table} where state_id = any($1)`, [stateIds]);
  });
}
