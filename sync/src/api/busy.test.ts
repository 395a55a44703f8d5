import { listIntegrations } from '@portal/contract/sync/integration';
import { expect, it } from 'vitest';
import { configFor, startServiceForFile } from '../service.fixture.ts';

const test = await startServiceForFile();

/** When the leases of the only process expire. */
async function readExpiry(): Promise<Date | undefined> {
  const { rows } = await test.parts.pool.query<{ at: Date }>('select expires_at as at from sync.process');
  return rows[0]?.at;
}

it('keeps renewing leases while API calls use all of their connections, and reports those as busy', async () => {
  await test.merge(configFor());
  await expect.poll(readExpiry).toBeDefined();

  const { apiPool } = test.parts;
  const clients = await Promise.all(Array.from({ length: apiPool.options.max }, () => apiPool.connect()));
  apiPool.options.connectionTimeoutMillis = 50;
  try {
    const call = await test.call(listIntegrations, {});
    expect([call.status, call.body]).toMatchObject([429, { kind: 'busy' }]);
    const before = await readExpiry();
    await expect.poll(readExpiry, { timeout: 100_000 }).not.toEqual(before);
  } finally {
    for (const client of clients) client.release();
  }
});
