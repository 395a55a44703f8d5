import type { Pool } from '@portal/kit/postgres/pool';
import { describeLockHolder, type LockHolder } from './describe-lock-holder.ts';

/**
 * Returns which table of the app is locked against writes, and by whom, such as 'The table visit is
 * locked: held 12 s by pid 4711 (psql, since …).'; null when none is locked anymore.
 */
export async function describeTableLock(reading: Pool, schema: string): Promise<string | null> {
  const { rows } = await reading.query<LockHolder & { readonly table: string }>(
    `select c.relname as "table", l.pid, coalesce(a.application_name, '') as "applicationName",
       to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
     from pg_locks l
     join pg_class c on c.oid = l.relation and c.relnamespace = (select oid from pg_namespace where nspname = $1)
     left join pg_stat_activity a on a.pid = l.pid
     where l.granted and l.database = (select oid from pg_database where datname = current_database())
       and c.relkind in ('r', 'p')
       and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
     order by a.xact_start nulls last limit 1`,
    [schema],
  );
  const [locked] = rows;
  return locked ? `The table ${locked.table} is locked: ${describeLockHolder(locked, Date.now())}.` : null;
}
