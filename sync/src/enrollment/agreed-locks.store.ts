/**
 * Stores which users Helium and Journey last agreed are locked. It is stored with the app's rows,
 * so that both change in one transaction.
 */
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import type { ColumnType } from './cells.ts';
import { flagSql } from './flags.ts';
import type { LockState } from './lock-requests.ts';

const agreedLocks = '__portal_sync__.agreed_lock';

/** The column that holds the users' flags. */
interface LockColumn {
  readonly table: string;
  readonly flag: ColumnType;
  /** The key of the integration's state. */
  readonly stateKey: string;
}

interface UserLock extends LockState {
  readonly id: string;
}

/** Returns the users whose flag differs from the agreed state. */
export async function readLockRequests(db: Db, { table, flag, stateKey }: LockColumn): Promise<UserLock[]> {
  const { rows } = await db.query<UserLock>(
    `select t._id_ as id, ${flagSql(flag)} as helium, agreed.user_id is not null as agreed
     from ${pg.escapeIdentifier(table)} t left join ${agreedLocks} agreed on agreed.state_key = $1 and agreed.user_id = t._id_
     where ${flagSql(flag)} <> (agreed.user_id is not null) order by t._id_`,
    [stateKey],
  );
  return rows;
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
  { table, flag, stateKey }: LockColumn,
  journey: ReadonlyMap<string, boolean>,
): Promise<UserLock[]> {
  const { rows } = await db.query<UserLock>(
    `select t._id_ as id, ${flagSql(flag)} as helium, agreed.user_id is not null as agreed
     from unnest($2::uuid[], $3::boolean[]) as journey (id, locked)
     join ${pg.escapeIdentifier(table)} t on t._id_ = journey.id
     left join ${agreedLocks} agreed on agreed.state_key = $1 and agreed.user_id = t._id_
     where ${flagSql(flag)} is distinct from journey.locked or (agreed.user_id is not null) <> journey.locked
     for no key update of t skip locked`,
    [stateKey, [...journey.keys()], [...journey.values()]],
  );
  return rows;
}

export async function saveAgreedLocks(db: Db, stateKey: string, locked: ReadonlyMap<string, boolean>): Promise<void> {
  const selectIds = (isLocked: boolean) =>
    [...locked].filter(([, isUserLocked]) => isUserLocked === isLocked).map(([id]) => id);
  await db.query(`insert into ${agreedLocks} select $1, unnest($2::uuid[]) on conflict do nothing`, [
    stateKey,
    selectIds(true),
  ]);
  await db.query(`delete from ${agreedLocks} where state_key = $1 and user_id = any($2::uuid[])`, [
    stateKey,
    selectIds(false),
  ]);
}

/**
 * Deletes the agreed locks of a deleted integration, so that another integration of the same app
 * starts without them.
 *
 * @param keys the start of the state keys to delete
 */
export async function deleteAgreedLocks(db: Db, keys: string): Promise<void> {
  await db.query(`delete from ${agreedLocks} where starts_with(state_key, $1)`, [keys]);
}
