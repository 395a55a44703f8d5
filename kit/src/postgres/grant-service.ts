import type pg from 'pg';

/**
 * Lets a service's role work with the tables that belong to the connected role: all rows can be
 * changed, except those of tables whose comment is "append-only", which can be read and added. Does
 * nothing if both are the same role.
 */
export async function grantService(client: pg.ClientBase, role: string): Promise<void> {
  const { rows } = await client.query<{ sql: string }>(statements, [role]);
  for (const { sql } of rows) await client.query(sql);
}

/** Rows of partitions are read and added through their table, which needs no rights on them. */
const statements = `
  with own_schemas as (
    select pg_namespace.oid, nspname, nspowner = pg_roles.oid as is_owned, pg_roles.oid as owner
    from pg_namespace, pg_roles
    where rolname = current_user and nspname <> 'information_schema' and nspname not like 'pg\\_%'
  ), own_tables as (
    select pg_class.oid::regclass::text as name, relispartition,
      obj_description(pg_class.oid, 'pg_class') = 'append-only' as is_append_only
    from pg_class join own_schemas on own_schemas.oid = relnamespace and owner = relowner where relkind in ('r', 'p')
  )
  select format(sql, name, $1::text) as sql from (
    select 1 as step, quote_ident(nspname) as name, 'grant usage on schema %s to %I' as sql
    from own_schemas where is_owned
    union all
    select 2, name, 'revoke all on %s from %I' from own_tables where relispartition or is_append_only
    union all
    select 3, name, 'grant select, insert on %s to %I' from own_tables where is_append_only and not relispartition
    union all
    select 3, name, 'grant select, insert, update, delete on %s to %I' from own_tables
    where is_append_only is not true and not relispartition
    union all
    select 3, pg_proc.oid::regprocedure::text, 'grant execute on function %s to %I'
    from pg_proc join own_schemas on own_schemas.oid = pronamespace and owner = proowner where prosecdef
  ) as grants where current_user <> $1 order by step, name`;
