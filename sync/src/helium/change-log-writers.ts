/**
 * Finds the transactions that may still commit a number into an app's change log. A writer locks
 * its table before it draws a number and holds the lock until its commit is visible, so the locks
 * identify the writers.
 *
 * Schema changes count as well: a transaction that creates a table or starts tracking one draws
 * numbers while neither the table nor its triggers are visible to others. CREATE TRIGGER takes
 * SHARE ROW EXCLUSIVE also where its transaction already holds a stronger lock. TRUNCATE of an
 * untracked table takes only stronger ones and draws no number.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import type { LockHolder } from './describe-lock-holder.ts';
import type { HorizonHolder } from './helium-gateway.ts';
import { changeLog } from './sql-names.ts';

/** Subselects that are evaluated once: they depend only on $1, the schema name. */
const namespaceOidSql = `(select oid from pg_namespace where nspname = $1)`;
const logOidSql = `(select oid from pg_class where relname = '${changeLog}' and relnamespace = ${namespaceOidSql})`;
const databaseOidSql = `(select oid from pg_database where datname = current_database())`;

/** FROM and WHERE over `pg_locks l`. It starts from the locks, which are few; tables are many. */
const writerLocksSql = `
from pg_locks l
left join pg_class c on l.locktype = 'relation' and c.oid = l.relation and c.relnamespace = ${namespaceOidSql}
where l.granted and l.database = ${databaseOidSql}
  and (
    (l.mode = 'RowExclusiveLock' and (
      c.oid = ${logOidSql}
      or exists (select from pg_inherits i where i.inhrelid = c.oid and i.inhparent = ${logOidSql})
      or exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname like '\\_\\_he\\_sync\\_obj\\_%')))
    or (l.mode = 'ShareRowExclusiveLock' and c.relkind in ('r', 'p'))
    or (l.locktype = 'object' and l.classid = 'pg_namespace'::regclass and l.objid = ${namespaceOidSql}))`;

/**
 * The writers' virtual transactions, as a subselect: combined with a horizon, one statement reads
 * both.
 */
export const writersSql = `array(select distinct l.virtualtransaction ${writerLocksSql})`;

/**
 * On older releases a transaction that is prepared in the meantime holds its locks under another
 * name, so all prepared transactions count.
 */
const oldestHolderSql = `
select l.pid, coalesce(a.application_name, p.gid, '') as "applicationName",
  to_char(coalesce(a.xact_start, p.prepared) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
from (select distinct l.pid, l.virtualtransaction ${writerLocksSql}
    and (l.virtualtransaction = any($2) or l.pid is null)) l
left join pg_stat_activity a on a.pid = l.pid
left join (pg_locks own join pg_prepared_xacts p on own.locktype = 'transactionid' and own.transactionid = p.transaction)
  on l.pid is null and own.pid is null and own.virtualtransaction = l.virtualtransaction
order by coalesce(a.xact_start, p.prepared) nulls last
limit 1`;

/**
 * Returns the oldest of these writers that is still active, or null. A start time that is not
 * visible is replaced by the current time.
 */
export async function findHolder(
  reading: Pool,
  schema: string,
  writers: readonly string[],
): Promise<HorizonHolder | null> {
  const { rows } = await reading.query<LockHolder>(oldestHolderSql, [schema, writers]);
  const [oldest] = rows;
  return oldest ? { ...oldest, since: oldest.since ?? new Date().toISOString() } : null;
}
