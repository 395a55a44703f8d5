import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser address of the run's throw-away PostgreSQL, to its database `postgres`. */
    postgresUrl: string;
  }
}

export interface TestDatabase {
  readonly name: string;
  /** Superuser address of this database. */
  readonly url: string;
  drop(): Promise<void>;
}

/** A database of its own for one test file, empty or a copy of the template, in the PostgreSQL started for the run. */
export async function createTestDatabase(template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asSuperuser(`CREATE DATABASE ${name} TEMPLATE ${pg.escapeIdentifier(template)}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function asSuperuser(sql: string): Promise<void> {
  const client = new pg.Client(inject('postgresUrl'));
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
