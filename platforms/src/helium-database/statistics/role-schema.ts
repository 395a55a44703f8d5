import type { HeliumDatabase } from '../database.ts';

/**
 * The app schema in which a role looks for the names in its statements: the only one it may create
 * in, which its own is even after a team was made its owner. null where there is none, or several,
 * as for an administrator.
 */
export async function findSchemaOfRole(database: HeliumDatabase, role: string): Promise<string | null> {
  const schemas = await database.query<{ schemaName: string }>(
    `select n.nspname as "schemaName"
     from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relname = '__he_data_version__'
     where has_schema_privilege((select oid from pg_roles where rolname = $1), n.oid, 'create')`,
    [role],
  );
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only.schemaName : null;
}
