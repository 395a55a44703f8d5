import { createPool, type Pool } from '@portal/kit/postgres/pool';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSyncDatabase } from '../service.fixture.ts';
import { readShare, renewLeases } from './leases.store.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createSyncDatabase();
  pool = createPool(database.url, { applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('reports when another process expires whose leases may have ended just before', async () => {
  await renewLeases(pool, { id: 'this', place: null }, 4_000, []);
  expect(await readShare(pool, 'this')).toEqual({ share: 0, nextExpiryMs: null });
  await renewLeases(pool, { id: 'another', place: null }, 600_000, []);
  const { nextExpiryMs } = await readShare(pool, 'this');
  expect(nextExpiryMs).toBeGreaterThan(0);
  expect(nextExpiryMs).toBeLessThanOrEqual(600_000);
});
