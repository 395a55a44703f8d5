import type { HeliumDatabase } from '../database.ts';

/**
 * Returns the app schema in which a role looks up the names of its statements. It is the only app
 * schema in which the role can create objects, even after a team became its owner, and whose owner
 * has no rights that the role lacks. Null when there is none or more than one, as for an
 * administrator.
 */
export async function findSchemaOfRole(database: HeliumDatabase, role: string): Promise<string | null> {
  const schemas = await database.query<{ schemaName: string }>(
    `select n.nspname as "schemaName"
     from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relname = '__he_data_version__'
     where has_schema_privilege((select oid from pg_roles where rolname = $1), n.oid, 'create')
       and pg_has_role((select oid from pg_roles where rolname = $1), n.nspowner, 'member')`,
    [role],
  );
  const [only, ...others] = schemas;
  return only !== undefined && others.length === 0 ? only.schemaName : null;
}
