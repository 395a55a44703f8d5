/**
 * Drops the schema of a demo app and restores it from an older copy, as `pg_restore --clean` does.
 */
import { withClient } from '@portal/kit/postgres/pool';
import { restoreSchemaCopy, takeSchemaCopy } from '@portal/kit/postgres/schema-copy.fixture';
import { schemaDdl, viewsDdl } from '@portal/simulators/helium/schema-ddl';
import { findDemoDatabase } from './demo-database.ts';

/**
 * Copies all rows of the app's schema, its change log included, and the number of its log.
 *
 * @returns a function that drops the schema, and in another transaction creates it from the copy
 */
export async function copySchema(stateDir: string, environment: string, appName: string): Promise<() => Promise<void>> {
  const { url, app } = await findDemoDatabase(stateDir, environment, appName);
  // The names of the demo's schemas need no quotes.
  const { schemaName: schema } = app;
  const { owner, copy } = await withClient({ connectionString: url }, async (client) => {
    const { rows } = await client.query<{ owner: string }>(
      'select nspowner::regrole::text as owner from pg_namespace where nspname = $1',
      [schema],
    );
    await client.query('begin isolation level repeatable read');
    const copy = await takeSchemaCopy(client, [schema]);
    await client.query('commit');
    return { owner: rows[0]?.owner, copy };
  });
  return () =>
    withClient({ connectionString: url }, async (client) => {
      await client.query(`drop schema ${schema} cascade`);
      await client.query(
        `begin; create schema ${schema} authorization ${owner};
         set local role ${owner}; set local search_path = ${schema};
         ${schemaDdl(app, schema)}
         reset role;`,
      );
      await restoreSchemaCopy(client, copy);
      await client.query(`set local role ${owner}; ${viewsDdl(app)}; commit`);
    });
}
