import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { migrate } from './migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Addresses of the run's temporary PostgreSQL servers, one per worker. */
    postgresUrls: readonly string[];
  }
}

export interface TestDatabase {
  readonly name: string;
  /** Superuser address of this database. */
  readonly url: string;
  /** Makes the database read-only for all new connections, or not, and closes the open ones. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Returns the superuser address of a temporary PostgreSQL, database `postgres`. No other test file
 * uses the server concurrently, because roles, statistics and the write-ahead log are shared by all
 * databases of a server.
 */
export function getTestPostgresUrl(): string {
  const urls = inject('postgresUrls');
  const url = urls[Number(process.env.VITEST_POOL_ID) - 1];
  if (url === undefined)
    throw new Error(`there are ${urls.length} servers, none for worker ${process.env.VITEST_POOL_ID}`);
  return url;
}

/**
 * Creates a database for one test file, empty or copied from the template, on the server of the
 * file's worker.
 */
export async function createTestDatabase(template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying files takes a fifth of the CPU time of copying pages through the write-ahead log.
  await runAsSuperuser(`create database ${name} template ${pg.escapeIdentifier(template)} strategy file_copy`);
  const url = new URL(getTestPostgresUrl());
  url.pathname = `/${name}`;
  const setReadOnly = async (isReadOnly: boolean) => {
    await runAsSuperuser(`alter database ${name} set default_transaction_read_only = ${isReadOnly}`);
    await runAsSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  };
  return {
    name,
    url: url.href,
    setReadOnly,
    drop: () => runAsSuperuser(`drop database if exists ${name} with (force)`),
  };
}

const migratedTemplates = new Map<string, Promise<string>>();

/** Creates a migrated database. It is copied, because the migrations take longer. */
export async function createMigratedDatabase(folder: string, table?: string): Promise<TestDatabase> {
  const template = migratedTemplates.get(folder) ?? prepareTemplate(folder, table);
  migratedTemplates.set(folder, template);
  return createTestDatabase(await template);
}

async function prepareTemplate(folder: string, table: string | undefined): Promise<string> {
  const { name, url } = await createTestDatabase();
  await migrate(url, folder, table);
  return name;
}

async function runAsSuperuser(sql: string): Promise<void> {
  const client = new pg.Client(getTestPostgresUrl());
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
