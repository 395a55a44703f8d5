import type { Pool } from '@portal/kit/postgres/pool';
import { changeLog, transactionLog } from './sql-names.ts';

/**
 * Returns the schemas whose change log cannot be read now: another session has locked it, a child
 * table of it or the log of transactions exclusively, or waits to.
 */
export async function findLockedLogs(pool: Pool, schemas: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ schema: string }>(
    `with recursive log (oid, schema) as (
       select c.oid, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = any($1) and c.relname = any($2)
       union select i.inhrelid, l.schema from log l join pg_inherits i on i.inhparent = l.oid)
     select distinct schema from log join pg_locks k on k.relation = log.oid
     where k.mode = 'AccessExclusiveLock' and k.database = (select oid from pg_database where datname = current_database())`,
    [schemas, [changeLog, transactionLog]],
  );
  return new Set(rows.map(({ schema }) => schema));
}
