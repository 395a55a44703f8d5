/** A database with the engine's schema for one test file. */
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { createTestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll } from 'vitest';
import { prepareState } from './schema.ts';

/** Of the running file. */
export let pool: Pool;

/** Call it once, at the top of a file. */
export function createStateDatabase(): void {
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    ({ drop } = database);
    pool = createPool(database.url, { applicationName: 'portal sync test' });
    await prepareState(pool);
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
}

/** Both logs are read from their first entries. */
export const beginning = { changeLog: '0', opLog: '0' };
