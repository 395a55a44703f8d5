import { spawnSync } from 'node:child_process';
import { createPool, inTransaction, type Pool } from '@portal/kit/postgres/pool';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { getOwnPlace } from '@portal/kit/process-place';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { noLeases, renewLeases } from '../portal-store/leases.store.ts';
import { createSyncDatabase } from '../service.fixture.ts';
import { Leases } from './leases.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createSyncDatabase();
  pool = createPool(database.url, { applicationName: 'test' });
});
afterEach(async () => {
  vi.useRealTimers();
  await pool.query('delete from sync.process');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('frees the leases only of processes of its own machine that have certainly ended', async () => {
  const own = getOwnPlace();
  if (!own) throw new Error('This system does not show where a process runs.');
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const places = {
    itself: own,
    running: own,
    'of another machine': { ...own, machine: 'other', pid: ended },
    'of an unknown machine': null,
    ended: { ...own, pid: ended, began: '1' },
    'with a process id that is used again': { ...own, began: '1' },
  };
  for (const [id, place] of Object.entries(places)) await renewLeases(pool, { id, place }, 600_000, noLeases);
  await new Leases(pool, { id: 'itself', place: own }).freeEnded();
  const { rows } = await pool.query<{ id: string }>('select id from sync.process order by id');
  expect(rows.map(({ id }) => id)).toEqual(['itself', 'of an unknown machine', 'of another machine', 'running']);
});

it('extends its leases as long as they have not expired and no other process has removed it', async () => {
  const readEnd = async () => {
    const sql = `select extract(epoch from expires_at - clock_timestamp()) * 1000 as ms from sync.process where id = 'extended'`;
    const { rows } = await pool.query<{ ms: string }>(sql);
    return rows[0] ? Number(rows[0].ms) : null;
  };
  const leases = new Leases(pool, { id: 'extended', place: null });
  // However long the test takes, the leases do not expire.
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  await leases.extend();
  expect(await readEnd()).toBeNull();

  await leases.renew();
  await pool.query(`update sync.process set expires_at = expires_at - interval '1 hour' where id = 'extended'`);
  await leases.extend();
  expect(await readEnd()).toBeGreaterThan(-1_800_000);

  await pool.query(`delete from sync.process where id = 'extended'`);
  await leases.extend();
  expect(await readEnd()).toBeNull();
});

it('keeps leases that were extended while their renewal waited for the database', async () => {
  const leases = new Leases(pool, { id: 'slow', place: null });
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  await leases.renew();
  const renewed = await inTransaction(pool, async (client) => {
    await client.query('lock table sync.integration');
    const renewing = leases.renew();
    vi.advanceTimersByTime(2_000);
    await leases.extend();
    return { renewing };
  });
  await renewed.renewing;
  vi.advanceTimersByTime(2_000);
  expect(leases.haveExpired).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(leases.haveExpired).toBe(true);
});
