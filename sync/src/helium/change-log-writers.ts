/**
 * Who may still commit a number into an app's change log. A writer locks its table before it draws
 * a number, and keeps the lock until its commit can be seen; so the locks tell.
 *
 * Besides those who write rows, whoever changes the schema counts: a table that is made, or begins
 * to be tracked, in a transaction of its own draws numbers while neither it nor its triggers can be
 * seen by anybody else.
 */
import type { Pool } from '@portal/kit/postgres/pool';
import type { HorizonHolder } from './helium-gateway.ts';
import { changeLog } from './sql-names.ts';

/** Each is looked up once: they depend on nothing but $1, the schema's name. */
const namespaceOidSql = `(select oid from pg_namespace where nspname = $1)`;
const logOidSql = `(select oid from pg_class where relname = '${changeLog}' and relnamespace = ${namespaceOidSql})`;
const databaseOidSql = `(select oid from pg_database where datname = current_database())`;

/** FROM and WHERE over `pg_locks l`. Starts from the locks: they are few, tables are many. */
const writerLocksSql = `
from pg_locks l
left join pg_class c on l.locktype = 'relation' and c.oid = l.relation and c.relnamespace = ${namespaceOidSql}
where l.granted and l.database = ${databaseOidSql}
  and (
    (l.mode = 'RowExclusiveLock' and (
      c.oid = ${logOidSql}
      or exists (select from pg_inherits i where i.inhrelid = c.oid and i.inhparent = ${logOidSql})
      or exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname like '\\_\\_he\\_sync\\_obj\\_%')))
    or (l.mode in ('ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') and c.relkind in ('r', 'p'))
    or (l.locktype = 'object' and l.classid = 'pg_namespace'::regclass and l.objid = ${namespaceOidSql}))`;

/**
 * Their virtual transactions, as a subselect: whoever takes it along with a horizon reads both in
 * one statement.
 */
export const writersSql = `array(select distinct l.virtualtransaction ${writerLocksSql})`;

/**
 * What is prepared meanwhile holds its locks under another name on older releases, so all that is
 * prepared counts.
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

interface HolderRow {
  readonly pid: number | null;
  readonly applicationName: string;
  /** null where our role may not see it. */
  readonly since: string | null;
}

/**
 * The oldest of these writers that is still at work; null when none is. What we may not see of it
 * began just now.
 */
export async function findHolder(
  pool: Pool,
  schema: string,
  writers: readonly string[],
): Promise<HorizonHolder | null> {
  const { rows } = await pool.query<HolderRow>(oldestHolderSql, [schema, writers]);
  const [oldest] = rows;
  return oldest ? { ...oldest, since: oldest.since ?? new Date().toISOString() } : null;
}
