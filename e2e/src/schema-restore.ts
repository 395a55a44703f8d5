/** Drops the schema of a demo app and restores it from an older copy, as `pg_restore --clean` does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '@portal/kit/postgres/pool';
import { restoreSchemaCopy, takeSchemaCopy } from '@portal/kit/postgres/schema-copy.fixture';
import { definitions } from '@portal/platforms/helium/simulator/definitions';
import { schemaDdl, viewsDdl } from '@portal/platforms/helium/simulator/schema-ddl';

/**
 * Copies all rows of the app's schema, its change log included, and the number of its log.
 *
 * @returns a function that drops the schema, and in another transaction creates it from the copy
 */
export async function copySchema(stateDir: string, environment: string, appName: string): Promise<() => Promise<void>> {
  const app = definitions.find(({ name }) => name === environment)?.apps.find(({ name }) => name === appName);
  if (!app) throw new Error(`There is no app ${appName} in ${environment}.`);
  // The names of the demo's schemas need no quotes.
  const { schemaName: schema } = app;
  const url = await findDatabase(stateDir, schema);
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

/** Returns the superuser's address of the database that has the schema. */
export async function findDatabase(stateDir: string, schemaName: string): Promise<string> {
  const password = readFileSync(join(stateDir, 'postgres', 'password'), 'utf8').trim();
  const { postgres: port } = JSON.parse(readFileSync(join(stateDir, 'ports.json'), 'utf8'));
  const urlOf = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const names = await withClient({ connectionString: urlOf('postgres') }, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where datname not like 'template%'",
    );
    return rows.map(({ datname }) => datname);
  });
  for (const name of names) {
    const isHere = await withClient({ connectionString: urlOf(name) }, async (client) => {
      const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schemaName]);
      return rowCount === 1;
    });
    if (isHere) return urlOf(name);
  }
  throw new Error(`No database has the schema ${schemaName}.`);
}
