import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { PostgresServer } from './launcher.ts';

/**
 * Makes a database and a role of the same name that owns it, where they are missing, and answers
 * the role's address of it. The role gets a new password each time: whoever starts the server hands
 * it on, and nobody has to keep it.
 */
export async function prepareOwnedDatabase(server: PostgresServer, name: string): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const identifier = pg.escapeIdentifier(name);
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    const { rowCount: roles } = await client.query('select from pg_roles where rolname = $1', [name]);
    if (!roles) await client.query(`create role ${identifier} login`);
    await client.query(`alter role ${identifier} password ${pg.escapeLiteral(password)}`);
    const { rowCount: databases } = await client.query('select from pg_database where datname = $1', [name]);
    if (!databases) await client.query(`create database ${identifier} owner ${identifier}`);
  } finally {
    await client.end();
  }
  return server.urlFor(name, name, password);
}
