import { describeLockHolder, type LockHolder } from './describe-lock-holder.ts';
import type { Db } from './helium-gateway.ts';
import { qualified } from './sql-names.ts';

/** Each takes two statements, and most rows of a page are locked by the same sessions. */
const maxSets = 10;

interface LockedRow {
  readonly id: string;
  /** The transaction that locked the row, or a set of several; decimal text. */
  readonly locker: string;
}

export interface RowLockParts {
  /** Must be in a transaction of the app. */
  readonly db: Db;
  /** Sees the sessions of everyone. */
  readonly reading: Db;
  readonly schema: string;
}

/**
 * Returns which sessions hold locks on these rows, by id, such as 'held 12 s by pid 4711 (psql,
 * since …)'. A lock that has just ended has no holder.
 */
export async function describeRowLocks(
  { db, reading, schema }: RowLockParts,
  table: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // PostgreSQL stores a row's lock in the row itself.
  const { rows } = await db.query<LockedRow>(
    `select _id_::text as id, xmax::text as locker from ${qualified(schema, table)} where _id_ = any($1::uuid[])`,
    [ids],
  );
  const lockers = [...new Set(rows.map(({ locker }) => locker))];
  const direct = await readHolders(reading, lockers);
  const membersByLocker = new Map<string, readonly string[]>();
  for (const locker of lockers.filter((xid) => !direct.has(xid)).slice(0, maxSets))
    membersByLocker.set(locker, await readMembers(db, locker));
  const holders = new Map([...direct, ...(await readHolders(reading, [...membersByLocker.values()].flat()))]);
  const descriptions = new Map<string, string>();
  for (const { id, locker } of rows) {
    const [holder] = [locker, ...(membersByLocker.get(locker) ?? [])].flatMap((xid) => holders.get(xid) ?? []);
    if (holder) descriptions.set(id, describeLockHolder(holder, Date.now()));
  }
  return descriptions;
}

/** Returns the sessions that run these transactions, by transaction. */
async function readHolders(reading: Db, xids: readonly string[]): Promise<ReadonlyMap<string, LockHolder>> {
  if (xids.length === 0) return new Map();
  const { rows } = await reading.query<LockHolder & { readonly xid: string }>(
    `select l.transactionid::text as xid, l.pid, coalesce(a.application_name, p.gid, '') as "applicationName",
       to_char(coalesce(a.xact_start, p.prepared) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
     from pg_locks l
     left join pg_stat_activity a on a.pid = l.pid
     left join pg_prepared_xacts p on l.pid is null and p.transaction = l.transactionid
     where l.locktype = 'transactionid' and l.granted and l.transactionid::text = any($1)`,
    [xids],
  );
  return new Map(rows.map((holder) => [holder.xid, holder]));
}

/**
 * Returns the transactions of a set of lockers; none when it is a single transaction that ended.
 */
async function readMembers(db: Db, locker: string): Promise<readonly string[]> {
  await db.query('savepoint helium_members');
  try {
    const { rows } = await db.query<{ xid: string }>(
      'select m.xid::text from pg_get_multixact_members($1::xid) as m (xid, mode)',
      [locker],
    );
    await db.query('release savepoint helium_members');
    return rows.map(({ xid }) => xid);
  } catch {
    await db.query('rollback to savepoint helium_members; release savepoint helium_members');
    return [];
  }
}
