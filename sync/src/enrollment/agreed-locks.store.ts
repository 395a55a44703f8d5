/**
 * Users that Helium and Journey last agreed to be locked; saved beside the app's rows, so that both
 * change in one transaction.
 */
import pg from 'pg';
import type { Db } from '../helium/helium-gateway.ts';
import type { ColumnType } from './cells.ts';
import { flagSql } from './flags.ts';
import type { LockState } from './lock-requests.ts';

const agreed = '__portal_sync__.agreed_lock';

/** The column that holds the users' flags. */
interface LockColumn {
  readonly table: string;
  readonly flag: ColumnType;
  /** The integration's key in the state. */
  readonly stateKey: string;
}

interface UserLock extends LockState {
  readonly id: string;
}

/** Returns the users whose flag differs from what was agreed. */
export async function readLockRequests(db: Db, { table, flag, stateKey }: LockColumn): Promise<UserLock[]> {
  const { rows } = await db.query<UserLock>(
    `select t._id_ as id, ${flagSql(flag)} as helium, agreed.user_id is not null as agreed
     from ${pg.escapeIdentifier(table)} t left join ${agreed} agreed on agreed.state_key = $1 and agreed.user_id = t._id_
     where ${flagSql(flag)} <> (agreed.user_id is not null) order by t._id_`,
    [stateKey],
  );
  return rows;
}

/**
 * Returns those users whose flag or agreement differs from Journey's state. Their rows are locked
 * until the transaction ends: a flag that is set in the meantime waits and is a request of the next
 * round.
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
     left join ${agreed} agreed on agreed.state_key = $1 and agreed.user_id = t._id_
     where ${flagSql(flag)} is distinct from journey.locked or (agreed.user_id is not null) <> journey.locked
     order by t._id_ for no key update of t`,
    [stateKey, [...journey.keys()], [...journey.values()]],
  );
  return rows;
}

export async function saveAgreedLocks(db: Db, stateKey: string, locked: ReadonlyMap<string, boolean>): Promise<void> {
  const idsOf = (wanted: boolean) => [...locked].filter(([, is]) => is === wanted).map(([id]) => id);
  await db.query(`insert into ${agreed} select $1, unnest($2::uuid[]) on conflict do nothing`, [stateKey, idsOf(true)]);
  await db.query(`delete from ${agreed} where state_key = $1 and user_id = any($2::uuid[])`, [stateKey, idsOf(false)]);
}

/**
 * Deletes what was agreed together with its integration, so that another one of the same app starts
 * without it.
 *
 * @param keys the start of the state keys to delete
 */
export async function forgetAgreedLocks(db: Db, keys: string): Promise<void> {
  await db.query(`delete from ${agreed} where starts_with(state_key, $1)`, [keys]);
}
