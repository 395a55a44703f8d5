/** Views like those of real apps that call a function which changes data. */

/**
 * Creates a view whose function takes a session's advisory lock, which also a read-only transaction
 * allows. The lock stays until that session ends.
 */
export function lockingViewDdl(name: string): string {
  return `
    create function ${name}_function() returns setof uuid language plpgsql volatile as $$
      begin perform pg_advisory_lock(4711); end $$;
    create view ${name} as select id as _id_, 'x'::text as name from ${name}_function() as id;`;
}

/**
 * Selects `wasRun`: whether a session that is still open has run a locking view of this database.
 */
export const wasViewRunSql = `select exists (select from pg_locks where locktype = 'advisory' and objid = 4711
  and database = (select oid from pg_database where datname = current_database())) as "wasRun"`;
