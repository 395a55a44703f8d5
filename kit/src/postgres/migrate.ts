import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import pg from 'pg';
import Postgrator from 'postgrator';
import { Secret } from '../secret.ts';
import { toClientConfig } from './database-address.ts';
import { grantService } from './grant-service.ts';
import { findVersionProblem, oldestVersions } from './server-version.ts';

/** An arbitrary advisory lock id, shared by all nodes and used for nothing else. */
const lockId = 7_071_824_501;

/** The addresses of a service's database, as the configuration has them. */
export interface DatabaseAddresses {
  readonly databaseUrl: Secret;
  /** With the role that owns the database, if it is not that of the service. */
  readonly databaseOwnerUrl?: Secret | undefined;
}

/**
 * Migrates the database forward to the SQL files of the folder (`0001.do.sessions.sql`) and
 * returns the names of the files it ran. All missing files run in one transaction under a lock, so
 * several nodes may start concurrently and a failure leaves the database unchanged. Throws if the
 * server is too old, or the database has run any other file.
 *
 * @param database an address, or those of the configuration: the owner migrates, and grants the
 *   service its rights
 * @param table records the migrations; services that share a database have one table each
 */
export async function migrate(
  database: string | DatabaseAddresses,
  folder: string,
  table = 'migration',
): Promise<string[]> {
  const { databaseUrl, databaseOwnerUrl } =
    typeof database === 'string' ? { databaseUrl: new Secret(database), databaseOwnerUrl: undefined } : database;
  const url = (databaseOwnerUrl ?? databaseUrl).reveal();
  const client = new pg.Client({ ...toClientConfig(url), application_name: 'migrate' });
  // A connection lost between queries fails the next query. Without a listener it would end the
  // process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const problem = await findVersionProblem(client, oldestVersions.portalDatabase);
    if (problem !== null) throw new Error(`the server ${problem}`);
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lockId]);
    const postgrator = new Postgrator({
      driver: 'pg',
      currentSchema: 'public',
      schemaTable: table,
      migrationPattern: `${toPattern(folder)}/*.sql`,
      newline: 'LF',
      execQuery: (sql) => client.query(sql),
    });
    await rejectForeignHistory(client, await readMigrations(postgrator, folder), table);
    const run = await postgrator.migrate();
    if (databaseOwnerUrl) await grantService(client, readRole(databaseUrl.reveal()));
    await client.query('commit');
    return run.map(({ name }) => name);
  } catch (error) {
    throw new Error(`The database could not be migrated: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  } finally {
    await client.end();
  }
}

function readRole(url: string): string {
  return new pg.Client(toClientConfig(url)).user ?? '';
}

/** Throws before any change if the recorded migrations are not a prefix of these files. */
async function rejectForeignHistory(
  client: pg.Client,
  files: readonly Postgrator.Migration[],
  table: string,
): Promise<void> {
  const name = pg.escapeIdentifier(table);
  const { rows: tables } = await client.query(`select from pg_tables where schemaname = 'public' and tablename = $1`, [
    table,
  ]);
  if (tables.length === 0) return;
  const { rows } = await client.query<{ name: string; md5: string }>(
    `select name, md5 from public.${name} where version > 0 order by version`,
  );
  if (rows.every((row, position) => row.name === files[position]?.name && row.md5 === files[position]?.md5)) return;
  throw new Error(
    `the database "${client.database}" on ${client.host}:${client.port} was created by another version of this program; ` +
      'start that version again, or start with an empty database: drop this one and create it again, ' +
      'or delete the folder .portal if it was created there.',
  );
}

/** Finds the migrations of the folder. Postgrator ignores other names and gaps; this throws. */
async function readMigrations(postgrator: Postgrator, folder: string): Promise<Postgrator.Migration[]> {
  for (const [position, file] of readdirSync(folder).sort().entries()) {
    const [, number, name] = file.match(/^(\d{4})\.do\.([a-z0-9-]+)\.sql$/) ?? [];
    if (!name) throw new Error(`${file} is not a valid migration file name, such as 0001.do.what-it-does.sql.`);
    if (Number(number) !== position + 1)
      throw new Error(`Migrations must be numbered without gaps; ${file} should be number ${position + 1}.`);
  }
  return postgrator.getMigrations();
}

/** Escapes what the names of folders may have and patterns interpret. */
function toPattern(folder: string): string {
  return folder.replaceAll(sep, '/').replace(/[[\](){}?*!+@]/g, '\\$&');
}
