import type pg from 'pg';

/**
 * Lets a service's role work with the tables of the schema `public` that belong to the connected
 * role: all rows can be changed, except those of tables whose comment is "append-only", which can be
 * read and added. Does nothing if both are the same role.
 */
export async function grantService(client: pg.ClientBase, role: string): Promise<void> {
  const { rows } = await client.query<{ sql: string }>(statements, [role]);
  for (const { sql } of rows) await client.query(sql);
}

/** Rows of partitions are read and added through their table, which needs no rights on them. */
const statements = `
  with own_tables as (
    select oid::regclass as name, relispartition, obj_description(oid, 'pg_class') = 'append-only' as is_append_only
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relowner = current_user::regrole
  )
  select format(sql, name, $1::text) as sql from (
    select 1 as step, name::text, 'revoke all on %s from %I' as sql from own_tables where relispartition or is_append_only
    union all
    select 2, name::text, 'grant select, insert on %s to %I' from own_tables where is_append_only and not relispartition
    union all
    select 2, name::text, 'grant select, insert, update, delete on %s to %I' from own_tables
    where is_append_only is not true and not relispartition
    union all
    select 2, oid::regprocedure::text, 'grant execute on function %s to %I' from pg_proc
    where pronamespace = 'public'::regnamespace and prosecdef and proowner = current_user::regrole
  ) as grants where current_user <> $1 order by step, name`;
