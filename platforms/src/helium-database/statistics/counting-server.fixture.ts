import type { TestServer, TestVersion } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { type HeliumDatabase, openHeliumDatabase } from '../database.ts';
import { readStatements, type Statement, type StatementsRequest } from './statements.ts';
import { readStatisticsServer, type StatisticsExtension, type StatisticsServer } from './statistics-server.ts';

/**
 * The roles of the test server: the app's own, another app's, and two portal users, with and
 * without access to all statistics.
 */
export const roles = {
  app: 'clinic_001',
  other: 'farm_001',
  portal: 'portal reader',
  blind: 'portal "blind"',
} as const;

/** Creates the roles once per server. */
export async function createRoles(url: string): Promise<void> {
  await asUser(url, async (superuser) => {
    for (const role of Object.values(roles))
      await superuser.query(`create role ${pg.escapeIdentifier(role)} login password 'test'`);
    await superuser.query(`grant pg_read_all_stats to ${pg.escapeIdentifier(roles.portal)}`);
  });
}

/** Creates a database with the extension and runs the test's own SQL. */
export async function createCountingDatabase(
  { url }: TestServer,
  name: string,
  sql = 'create extension pg_stat_statements',
): Promise<string> {
  await asUser(url, async (superuser) => {
    await superuser.query(`create database ${pg.escapeIdentifier(name)} template template0`);
  });
  const counted = getDatabaseUrl(url, { database: name });
  await asUser(counted, async (superuser) => {
    await superuser.query(sql);
  });
  return counted;
}

export function getDatabaseUrl(url: string, { database, user }: { database?: string; user?: string }): string {
  const address = new URL(url);
  if (database !== undefined) address.pathname = `/${encodeURIComponent(database)}`;
  if (user !== undefined) Object.assign(address, { username: encodeURIComponent(user), password: 'test' });
  return address.href;
}

/** Sends each statement separately, as a client would. */
export async function run(url: string, ...statements: readonly string[]): Promise<void> {
  await asUser(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

async function asUser(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

export interface CountingDatabase {
  readonly database: HeliumDatabase;
  readonly server: StatisticsServer;
  readonly extension: StatisticsExtension;
}

export interface CountingServer {
  readonly postgres: TestServer;
  /** The address of its database for a superuser. */
  readonly url: string;
  /** The same database as the portal opens it. */
  readonly counted: CountingDatabase;
  stop(): Promise<void>;
}

/**
 * Starts a server of its own, with the roles and one database that has the extension.
 *
 * @param sql runs in the database after the extension was created
 */
export async function startCountingServer(
  startExclusive: TestVersion['startExclusive'],
  { settings, sql = '' }: { readonly settings?: Readonly<Record<string, string>>; readonly sql?: string } = {},
): Promise<CountingServer> {
  const postgres = await startExclusive(settings);
  await createRoles(postgres.url);
  const url = await createCountingDatabase(postgres, 'counted', `create extension pg_stat_statements; ${sql}`);
  const counted = await openCountingDatabase(url);
  const stop = async () => {
    await counted.database.close();
    await postgres.stop();
  };
  return { postgres, url, counted, stop };
}

/** Opens the database as the portal does. */
export async function openCountingDatabase(url: string, user: string = roles.portal): Promise<CountingDatabase> {
  const database = openHeliumDatabase({ name: 'helium-app-1', url: getDatabaseUrl(url, { user }) });
  const server = await readStatisticsServer(database);
  if (!server.extension) throw new Error('the test database has no extension');
  return { database, server, extension: server.extension };
}

/** Returns all batches of `readStatements`. */
export async function listStatements(
  { database, server, extension }: CountingDatabase,
  request: StatementsRequest = {},
): Promise<Statement[]> {
  const statements: Statement[] = [];
  await readStatements(database, server, extension, request, (batch) => {
    statements.push(...batch);
  });
  return statements;
}

/** Reads the text of a statement from its JSON. */
export function getQueryText({ queryJson }: Pick<Statement, 'queryJson'>): string {
  return JSON.parse(queryJson);
}
