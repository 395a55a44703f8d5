/** Drops the schema of a demo app and restores it from an older copy, as `pg_restore --clean` does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '@portal/kit/postgres/pool';
import { definitions } from '@portal/platforms/helium/simulator/definitions';
import { schemaDdl, viewsDdl } from '@portal/platforms/helium/simulator/schema-ddl';

export interface SchemaCopy {
  /** Drops the schema, and in another transaction creates it with the rows and numbers of the copy. */
  restore(): Promise<void>;
}

/**
 * Copies all tables of the app's schema, its change log included, and the number of its log. The
 * rows are JSON, because columns of the schema's own types would be dropped with it.
 */
export async function copySchema(stateDir: string, environment: string, appName: string): Promise<SchemaCopy> {
  const app = definitions.find(({ name }) => name === environment)?.apps.find(({ name }) => name === appName);
  if (!app) throw new Error(`There is no app ${appName} in ${environment}.`);
  const { schemaName } = app;
  const url = await findDatabase(stateDir, schemaName);
  // The names of the demo's schemas need no quotes.
  const [schema, copy] = [schemaName, `${schemaName}_copy`];
  const { owner, tables, seq } = await withClient({ connectionString: url }, async (client) => {
    await client.query(`begin isolation level repeatable read; create schema ${copy};`);
    const tables = await client.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
       where relnamespace = $1::regnamespace and relkind = 'r' order by relname`,
      [schema],
    );
    const names = tables.rows.map(({ name }) => name);
    for (const table of names)
      await client.query(
        `create table ${copy}.${table} as select to_jsonb(each) as fields from only ${schema}.${table} each`,
      );
    const { rows } = await client.query<{ owner: string; seq: string }>(
      `select (select nspowner::regrole::text from pg_namespace where oid = $1::regnamespace) as owner,
         (select last_value::text from ${schema}.__he_sync_change_seq__) as seq`,
      [schema],
    );
    await client.query('commit');
    const [found] = rows;
    if (!found) throw new Error(`There is no schema ${schemaName}.`);
    return { ...found, tables: names };
  });
  return {
    restore: () =>
      withClient({ connectionString: url }, async (client) => {
        await client.query(`drop schema ${schema} cascade`);
        await client.query(
          `begin; create schema ${schema} authorization ${owner};
           set local role ${owner}; set local search_path = ${schema};
           ${schemaDdl(app, schemaName)}
           reset role; set local session_replication_role = replica;`,
        );
        for (const table of tables) {
          // Tables that the script fills already.
          await client.query(`delete from only ${schema}.${table}`);
          await client.query(
            `insert into ${schema}.${table}
             select (jsonb_populate_record(null::${schema}.${table}, fields)).* from ${copy}.${table}`,
          );
        }
        await client.query(`select setval('${schema}.__he_sync_change_seq__', ${seq}); set local role ${owner}`);
        await client.query(`${viewsDdl(app)}; commit; drop schema ${copy} cascade`);
      }),
  };
}

/** Returns the superuser's address of the database that has the schema. */
async function findDatabase(stateDir: string, schemaName: string): Promise<string> {
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
