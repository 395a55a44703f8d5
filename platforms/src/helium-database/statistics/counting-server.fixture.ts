import type { TestServer } from '@portal/kit/postgres/test-versions';
import pg from 'pg';
import { type HeliumDatabase, openHeliumDatabase } from '../database.ts';
import type { Statement } from './statements.ts';
import { readStatisticsServer, type StatisticsExtension, type StatisticsServer } from './statistics-server.ts';

/**
 * The roles of the test server: an app's own, another app's, and the portal's, which sees all
 * statistics or not.
 */
export const roles = {
  app: 'clinic_001',
  other: 'farm_001',
  portal: 'portal reader',
  blind: 'portal "blind"',
} as const;

/** Makes the roles, once for a server. */
export async function createRoles(url: string): Promise<void> {
  await asUser(url, async (superuser) => {
    for (const role of Object.values(roles))
      await superuser.query(`create role ${pg.escapeIdentifier(role)} login password 'test'`);
    await superuser.query(`grant pg_read_all_stats to ${pg.escapeIdentifier(roles.portal)}`);
  });
}

/** A new database with the extension, and whatever else the test wants there. */
export async function createCounted(
  { url }: TestServer,
  name: string,
  sql = 'create extension pg_stat_statements',
): Promise<string> {
  await asUser(url, async (superuser) => {
    await superuser.query(`create database ${pg.escapeIdentifier(name)} template template0`);
  });
  const counted = addressOf(url, { database: name });
  await asUser(counted, async (superuser) => {
    await superuser.query(sql);
  });
  return counted;
}

export function addressOf(url: string, { database, user }: { database?: string; user?: string }): string {
  const address = new URL(url);
  if (database !== undefined) address.pathname = `/${encodeURIComponent(database)}`;
  if (user !== undefined) Object.assign(address, { username: encodeURIComponent(user), password: 'test' });
  return address.href;
}

/** Each statement by itself, as a client would send it. */
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

export interface Counted {
  readonly database: HeliumDatabase;
  readonly server: StatisticsServer;
  readonly extension: StatisticsExtension;
}

/** Opens the database as the portal would. */
export async function openCounted(url: string, user: string = roles.portal): Promise<Counted> {
  const database = openHeliumDatabase({ name: 'helium-app-1', url: addressOf(url, { user }) });
  const server = await readStatisticsServer(database);
  if (!server.extension) throw new Error('the test database has no extension');
  return { database, server, extension: server.extension };
}

/** The text of a statement, read from its JSON. */
export function textOf({ queryJson }: Pick<Statement, 'queryJson'>): string {
  return JSON.parse(queryJson);
}
