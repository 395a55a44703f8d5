import * as sync from '@portal/contract/sync';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { configFor, createSyncDatabase, startTestService, type TestService } from '../service.fixture.ts';

let database: TestDatabase;
let test: TestService;
beforeAll(async () => {
  database = await createSyncDatabase();
  test = await startTestService(database.url);
});
afterAll(async () => {
  await test.stop();
  await database.drop();
});

/** When the lease of the only integration expires. */
async function readExpiry(): Promise<Date | undefined> {
  const { rows } = await test.parts.pool.query<{ at: Date }>('select expires_at as at from sync.lease');
  return rows[0]?.at;
}

it('keeps renewing leases while API calls use all of their connections, and reports those as busy', async () => {
  await test.merge(configFor());
  await expect.poll(readExpiry).toBeDefined();

  const { apiPool } = test.parts;
  const clients = await Promise.all(Array.from({ length: apiPool.options.max }, () => apiPool.connect()));
  apiPool.options.connectionTimeoutMillis = 50;
  try {
    const call = await test.call(sync.listIntegrations, {});
    expect([call.status, call.body]).toMatchObject([429, { kind: 'busy' }]);
    const before = await readExpiry();
    await expect.poll(readExpiry, { timeout: 20_000 }).not.toEqual(before);
  } finally {
    for (const client of clients) client.release();
  }
});
