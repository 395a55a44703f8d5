import type { HeliumDatabase } from './database.ts';

export interface AppSchema {
  readonly schemaName: string;
  /** The role that owns it: the app's own, until a team was granted access. */
  readonly owner: string;
}

/**
 * Every schema that holds a Helium app, known by the table in which Helium keeps the version of its
 * model.
 */
export async function readAppSchemas(database: HeliumDatabase): Promise<AppSchema[]> {
  return database.query<AppSchema & Record<string, unknown>>(
    `select n.nspname as "schemaName", pg_get_userbyid(n.nspowner) as owner
     from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relname = '__he_data_version__'
     order by n.nspname`,
  );
}
