import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { PostgresServer } from './launcher.ts';
import { withClient } from './pool.ts';

/**
 * Creates a database and a role of the same name as its owner, if missing, and returns the role's
 * database address. Each call sets a new password, which the caller passes on; it is not stored.
 */
export async function prepareManagedDatabase(server: PostgresServer, name: string): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const identifier = pg.escapeIdentifier(name);
  await withClient({ connectionString: server.url }, async (client) => {
    const { rowCount: roles } = await client.query('select from pg_roles where rolname = $1', [name]);
    if (!roles) await client.query(`create role ${identifier} login`);
    await client.query(`alter role ${identifier} password ${pg.escapeLiteral(password)}`);
    const { rowCount: databases } = await client.query('select from pg_database where datname = $1', [name]);
    if (!databases) await client.query(`create database ${identifier} owner ${identifier}`);
  });
  return server.urlFor(name, name, password);
}
