import type { HeliumDatabase } from './database.ts';

export interface AppSchema {
  readonly schemaName: string;
  /** The role that owns the schema: the app's own role, until a team is granted access. */
  readonly owner: string;
}

/**
 * Returns every schema that holds a Helium app. Such a schema has the table in which Helium stores
 * the version of the app's model.
 */
export async function readAppSchemas(database: HeliumDatabase): Promise<AppSchema[]> {
  return database.query<AppSchema & Record<string, unknown>>(
    `select n.nspname as "schemaName", pg_get_userbyid(n.nspowner) as owner
     from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relname = '__he_data_version__'
     order by n.nspname`,
  );
}
