import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the run's throw-away PostgreSQL servers, one for each worker. */
    postgresUrls: readonly string[];
  }
}

export interface TestDatabase {
  readonly name: string;
  /** Superuser address of this database. */
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * Superuser address of a throw-away PostgreSQL, to its database `postgres`. No other file uses the
 * server at the same time: roles, statistics and the write-ahead log are a server's, not a
 * database's.
 */
export function testPostgresUrl(): string {
  const urls = inject('postgresUrls');
  const url = urls[Number(process.env.VITEST_POOL_ID) - 1];
  if (url === undefined)
    throw new Error(`there are ${urls.length} servers, none for worker ${process.env.VITEST_POOL_ID}`);
  return url;
}

/**
 * A database of its own for one test file, empty or a copy of the template, in the file's
 * PostgreSQL.
 */
export async function createTestDatabase(template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asSuperuser(`create database ${name} template ${pg.escapeIdentifier(template)}`);
  const url = new URL(testPostgresUrl());
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => asSuperuser(`drop database if exists ${name} with (force)`) };
}

async function asSuperuser(sql: string): Promise<void> {
  const client = new pg.Client(testPostgresUrl());
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
