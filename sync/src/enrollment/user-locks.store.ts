/**
 * Stores which users Helium and Journey last agreed are locked, and for which users Helium has
 * requested a lock since. It is stored with the app's rows, so that both change in one transaction.
 */
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import { removeRows } from '../helium/remove-state-rows.ts';
import type { ColumnType } from './cells.ts';
import { flagSql } from './flags.ts';
import type { LockStage, LockState } from './lock-requests.ts';

const userLocks = '__portal_sync__.user_lock';

/** The column that holds the users' flags. */
export interface LockColumn {
  readonly table: string;
  readonly flag: ColumnType;
}

interface StoredLocks extends LockColumn {
  /** The key of the integration's state. */
  readonly stateKey: string;
}

interface UserLock extends LockState {
  readonly id: string;
}

/** Reads users `t` with their lock; $1 is the state key. */
const lockStateSql = ({ flag }: LockColumn) =>
  `select t._id_ as id, ${flagSql(flag)} as helium, coalesce(lock.stage, 'unlocked') as stage`;
const lockJoinSql = `left join ${userLocks} lock on lock.state_key = $1 and lock.user_id = t._id_`;

/**
 * Saves that a lock is requested for each user whose flag is set and who is not locked, or may not
 * be any more. The request then stays even if the flag is reset.
 */
export async function saveSeenLocks(db: Db, { table, flag, stateKey }: StoredLocks): Promise<void> {
  await db.query(
    `insert into ${userLocks} as lock (state_key, user_id, stage)
     select $1, t._id_, 'requested' from ${pg.escapeIdentifier(table)} t
     where ${flagSql(flag)} and not exists (
       select from ${userLocks} l where l.state_key = $1 and l.user_id = t._id_ and l.stage <> 'unlocking')
     on conflict (state_key, user_id) do update set stage = excluded.stage where lock.stage = 'unlocking'`,
    [stateKey],
  );
}

/** A condition on users `t` with their `lock`: there is a request to Journey. */
function hasLockRequestSql(flag: ColumnType): string {
  return `(lock.stage in ('requested', 'unlocking') or ${flagSql(flag)} <> (lock.stage is not null))`;
}

/** Returns the users with a request to Journey. */
export async function readLockRequests(db: Db, column: StoredLocks): Promise<UserLock[]> {
  const { rows } = await db.query<UserLock>(
    `${lockStateSql(column)} from ${pg.escapeIdentifier(column.table)} t ${lockJoinSql}
     where ${hasLockRequestSql(column.flag)} order by t._id_`,
    [column.stateKey],
  );
  return rows;
}

export async function hasLockRequests(db: Db, { table, flag, stateKey }: StoredLocks): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from ${pg.escapeIdentifier(table)} t ${lockJoinSql} where ${hasLockRequestSql(flag)} limit 1`,
    [stateKey],
  );
  return rowCount === 1;
}

/** Returns null when the user's row no longer exists. */
export async function readLockState(db: Db, column: StoredLocks, id: string): Promise<LockState | null> {
  const { rows } = await db.query<UserLock>(
    `${lockStateSql(column)} from ${pg.escapeIdentifier(column.table)} t ${lockJoinSql} where t._id_ = $2`,
    [column.stateKey, id],
  );
  return rows[0] ?? null;
}

/**
 * Returns the users whose flag or agreed state differs from Journey's. Their rows stay locked until
 * the transaction ends. A flag that is set in the meantime waits, and is a request of the next
 * round. So are users whose rows another session has locked.
 *
 * @param journey by user, whether Journey has them locked
 */
export async function readUnsettledLocks(
  db: Db,
  column: StoredLocks,
  journey: ReadonlyMap<string, boolean>,
): Promise<UserLock[]> {
  const { table, flag, stateKey } = column;
  const { rows } = await db.query<UserLock>(
    `${lockStateSql(column)}
     from unnest($2::uuid[], $3::boolean[]) as journey (id, locked)
     join ${pg.escapeIdentifier(table)} t on t._id_ = journey.id ${lockJoinSql}
     where ${flagSql(flag)} is distinct from journey.locked or (lock.stage is not null) <> journey.locked
     for no key update of t skip locked`,
    [stateKey, [...journey.keys()], [...journey.values()]],
  );
  return rows;
}

export async function saveLockStages(db: Db, stateKey: string, stages: ReadonlyMap<string, LockStage>): Promise<void> {
  const all = [...stages];
  const stored = all.filter(([, stage]) => stage !== 'unlocked');
  await db.query(
    `insert into ${userLocks} (state_key, user_id, stage) select $1, id, stage
     from unnest($2::uuid[], $3::text[]) as changed (id, stage)
     on conflict (state_key, user_id) do update set stage = excluded.stage`,
    [stateKey, stored.map(([id]) => id), stored.map(([, stage]) => stage)],
  );
  const unlocked = all.filter(([, stage]) => stage === 'unlocked').map(([id]) => id);
  // A lock that was seen during the call to unlock the user follows it.
  await removeRows(
    db,
    'user_lock',
    `select ctid from ${userLocks} where state_key = $1 and user_id = any($2::uuid[]) and stage <> 'requested' for update`,
    [stateKey, unlocked],
  );
}
