import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { PostgresServer } from './launcher.ts';
import { withClient } from './pool.ts';

export interface ManagedDatabase {
  /** Address for a service's role, which has the name of the database. */
  readonly url: string;
  /** Address for the role that owns the database and everything in it, for migrations. */
  readonly ownerUrl: string;
}

/**
 * Creates a database, its owner and the role of its service, if missing. Each call sets new
 * passwords, which the caller passes on; they are not stored.
 */
export async function prepareManagedDatabase(
  server: Pick<PostgresServer, 'url' | 'urlFor'>,
  name: string,
): Promise<ManagedDatabase> {
  const owner = `${name}_owner`;
  const [password, ownerPassword] = [createPassword(), createPassword()];
  const [identifier, ownerIdentifier] = [pg.escapeIdentifier(name), pg.escapeIdentifier(owner)];
  await withClient({ connectionString: server.url }, async (client) => {
    await setPassword(client, name, password);
    await setPassword(client, owner, ownerPassword);
    const { rowCount: databases } = await client.query('select from pg_database where datname = $1', [name]);
    if (!databases) await client.query(`create database ${identifier} owner ${ownerIdentifier}`);
  });
  // Before there was an owner, the service's role owned everything.
  await withClient({ connectionString: server.urlFor(name) }, (client) =>
    client.query(`reassign owned by ${identifier} to ${ownerIdentifier}`),
  );
  return { url: server.urlFor(name, name, password), ownerUrl: server.urlFor(name, owner, ownerPassword) };
}

async function setPassword(client: pg.Client, role: string, password: string): Promise<void> {
  const identifier = pg.escapeIdentifier(role);
  const { rowCount: roles } = await client.query('select from pg_roles where rolname = $1', [role]);
  if (!roles) await client.query(`create role ${identifier} login`);
  await client.query(`alter role ${identifier} password ${pg.escapeLiteral(password)}`);
}

function createPassword(): string {
  return randomBytes(24).toString('base64url');
}
