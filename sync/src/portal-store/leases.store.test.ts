import { randomUUID } from 'node:crypto';
import { createPool, inTransaction, type Pool } from '@portal/kit/postgres/pool';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { configFor, createSyncDatabase } from '../service.fixture.ts';
import { insertIntegration } from './integrations.store.ts';
import {
  acquireLeases,
  extendLeases,
  type Lease,
  noLeases,
  readShare,
  removeProcess,
  renewLeases,
  seizeLease,
  toExclusiveHolder,
} from './leases.store.ts';

const integrations = 4;
const longMs = 600_000;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createSyncDatabase();
  pool = createPool(database.url, { applicationName: 'test' });
  for (let n = 0; n < integrations; n += 1) {
    await inTransaction(pool, (client) =>
      insertIntegration(client, {
        environment: 'Production',
        appId: randomUUID(),
        appName: `App ${n}`,
        dataSource: 'source',
        config: { ...configFor(), enabled: true },
        sealedPassword: Buffer.from('sealed'),
        by: 'test',
      }),
    );
  }
});
beforeEach(async () => {
  await pool.query(`update sync.lease set holder = null, expires_at = '-infinity'`);
  await pool.query('delete from sync.process');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const renew = (id: string, durationMs = longMs, known = noLeases) =>
  renewLeases(pool, { id, place: null }, durationMs, known);

const getFences = (leases: readonly Lease[]) => leases.map(({ id, fence }) => `${id} ${fence}`).sort();

it('reports when another process expires whose leases may have ended just before', async () => {
  await renew('this', 4_000);
  expect(await readShare(pool, 'this')).toEqual({ share: integrations, nextExpiryMs: null });
  await renew('another');
  await acquireLeases(pool, 'another', 1);
  const { nextExpiryMs } = await readShare(pool, 'this');
  expect(nextExpiryMs).toBeGreaterThan(0);
  expect(nextExpiryMs).toBeLessThanOrEqual(longMs);
});

it('returns what was known until something about the leases changes', async () => {
  await renew('this');
  const acquired = await acquireLeases(pool, 'this', integrations);
  const first = await renew('this');
  expect(getFences(first.leases)).toEqual(getFences(acquired));
  expect(await renew('this', longMs, first)).toBe(first);

  await pool.query('update sync.lease set webhooks = webhooks + 1 where integration_id = $1', [first.leases[0]?.id]);
  const second = await renew('this', longMs, first);
  expect(second.leases.map(({ wakeUps }) => wakeUps.webhooks)).toEqual([1, 0, 0, 0]);

  await removeProcess(pool, 'this');
  expect(await renew('this', longMs, second)).toEqual(noLeases);
});

it('keeps the leases of a process that is alive, and frees those of one that has expired', async () => {
  await renew('alive');
  await acquireLeases(pool, 'alive', 1);
  await renew('frozen', 0);
  expect(await acquireLeases(pool, 'frozen', 1)).toEqual([]);
  await renew('frozen');
  await acquireLeases(pool, 'frozen', 1);
  await pool.query('update sync.process set expires_at = clock_timestamp()');
  expect(await extendLeases(pool, 'alive', longMs)).toBe(true);

  await renew('next');
  expect(await extendLeases(pool, 'frozen', longMs)).toBe(false);
  expect(await acquireLeases(pool, 'next', integrations)).toHaveLength(integrations - 1);
  expect((await renew('frozen')).leases).toEqual([]);
  expect((await renew('alive')).leases).toHaveLength(1);
});

it('does not wait for a process that has expired and reports at the same moment', async () => {
  await renew('late');
  await acquireLeases(pool, 'late', 1);
  await pool.query(`update sync.process set expires_at = clock_timestamp()`);
  await inTransaction(pool, async (client) => {
    await client.query(`select from sync.process where id = 'late' for update`);
    await renew('next');
    expect(await acquireLeases(pool, 'next', integrations)).toHaveLength(integrations - 1);
  });
  await renew('next');
  expect(await acquireLeases(pool, 'next', integrations)).toHaveLength(1);
});

it('frees a lease whose holder is not known, and none that is taken over for an action', async () => {
  await renew('gone');
  const [left, taken] = await acquireLeases(pool, 'gone', 2);
  await seizeLease(pool, toExclusiveHolder('gone'), longMs, taken?.id ?? '');
  await pool.query('delete from sync.process');
  await renew('next');
  const acquired = await acquireLeases(pool, 'next', integrations);
  expect(acquired.map(({ id }) => id)).toContain(left?.id);
  expect(acquired.map(({ id }) => id)).not.toContain(taken?.id);
});

it('never gives a lease to two processes, whatever they do at the same time', async () => {
  const steps = fc.record({
    holder: fc.constantFrom('a', 'b', 'c'),
    does: fc.constantFrom('renew', 'extend', 'expire', 'acquire', 'remove'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(steps, { minLength: 2, maxLength: 4 }), { maxLength: 8 }), async (rounds) => {
      const fences: string[] = [];
      for (const round of rounds) {
        const acquired = await Promise.all(
          round.map(async ({ holder, does }) => {
            if (does === 'extend') await extendLeases(pool, holder, longMs);
            if (does === 'remove') await removeProcess(pool, holder);
            if (does === 'renew' || does === 'expire') await renew(holder, does === 'renew' ? longMs : 0);
            return does === 'acquire' ? acquireLeases(pool, holder, 2) : [];
          }),
        );
        fences.push(...acquired.flat().map(({ id, fence }) => `${id} ${fence}`));
      }
      expect(new Set(fences).size).toBe(fences.length);

      await renew('last');
      const free = await acquireLeases(pool, 'last', integrations);
      const { rows } = await pool.query<{ held: number }>(
        `select count(*)::int as held from sync.lease join sync.process on process.id = holder
         where process.expires_at > clock_timestamp() and holder <> 'last'`,
      );
      expect(free.length + (rows[0]?.held ?? 0)).toBe(integrations);
      for (const holder of ['a', 'b', 'c', 'last']) await removeProcess(pool, holder);
    }),
    { numRuns: 40 },
  );
});
