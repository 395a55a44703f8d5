/** Changes what the Journey simulator stores, without its op-log noticing. */
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import pg from 'pg';

/** Runs a statement in the database of the simulator that was started last. */
export async function inJourneyDatabase(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const { rows } = await query(
    getTestPostgresUrl(),
    `select datname as name from pg_database where datname like 'test_journey_%' order by oid desc limit 1`,
    [],
  );
  const url = new URL(getTestPostgresUrl());
  url.pathname = `/${rows[0]?.name}`;
  return query(url.href, text, values);
}

async function query(url: string, text: string, values: unknown[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}
