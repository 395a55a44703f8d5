import { createPool, inTransaction, type Pool } from '@portal/kit/postgres/pool';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { configFor, createSyncDatabase } from '../service.fixture.ts';
import { insertIntegration, readIntegration, updateIntegration } from './integrations.store.ts';
import { seizeLease } from './leases.store.ts';
import { applyStatusEvent, engineAuthor, readStatusHistory } from './status.store.ts';

let database: TestDatabase;
let pool: Pool;
let id: string;
let fence: string;
let count = 0;

beforeAll(async () => {
  database = await createSyncDatabase();
  pool = createPool(database.url, { applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  count += 1;
  const made = await inTransaction(pool, (client) =>
    insertIntegration(client, {
      ...facts,
      environment: 'Production',
      appId: `app-${count}`,
      sealedPassword: Buffer.alloc(0),
    }),
  );
  id = made ?? '';
  fence = (await seizeLease(pool, 'me', 60_000, id))?.fence ?? '';
});

const facts = { appName: 'App', dataSource: 'apps-1', config: configFor(), by: 'thandi' };
const halt = (lease: { holder?: string; fence?: string; configVersion?: number } = {}, reason = 'it is broken') =>
  applyStatusEvent(pool, {
    id,
    event: 'halt',
    by: engineAuthor,
    reason,
    lease: { holder: 'me', fence, configVersion: 1, ...lease },
  });

it('halts an integration for the run that holds its lease, and keeps the first reason', async () => {
  expect(await halt()).toMatchObject({ to: 'Halted' });
  expect(await halt({}, 'another')).toMatchObject({ to: 'Halted', run: 'leave' });
  expect(await readIntegration(pool, id)).toMatchObject({ status: 'Halted', haltReason: 'it is broken' });
  expect(await readStatusHistory(pool, id)).toMatchObject([{ status: 'Halted', by: 'engine', reason: 'it is broken' }]);
});

it('halts an integration whatever characters the reason contains', async () => {
  expect(await halt({}, 'Journey said "a\0b\ud83c".')).toMatchObject({ to: 'Halted' });
  expect(await readIntegration(pool, id)).toMatchObject({ haltReason: 'Journey said "a\uFFFDb\uFFFD".' });
});

it('ignores a halt by a run that lost its lease or has an outdated configuration', async () => {
  expect(await halt({ holder: 'another process' })).toBeUndefined();
  expect(await halt({ fence: `${BigInt(fence) - 1n}` })).toBeUndefined();
  await inTransaction(pool, (client) => updateIntegration(client, { ...facts, id }));
  expect(await halt()).toBeUndefined();
  expect(await readIntegration(pool, id)).toMatchObject({ status: 'Enabled', configVersion: 2 });
  expect(await halt({ configVersion: 2 })).toMatchObject({ to: 'Halted' });
});

it('changes the status once when two users request the same change concurrently', async () => {
  const steps = await Promise.all([1, 2, 3].map(() => applyStatusEvent(pool, { id, event: 'disable', by: 'sipho' })));
  expect(steps.map((step) => step?.message).sort()).toEqual(['Disabled.', ...Array(2).fill('It is already disabled.')]);
  expect(await readStatusHistory(pool, id)).toHaveLength(1);
});

it('lists every save in the history, and other events only when they change the status', async () => {
  for (const event of ['save-enabled', 'enable', 'save-disabled', 'save-disabled', 'disable'] as const)
    await applyStatusEvent(pool, { id, event, by: 'sipho', reason: event });
  expect((await readStatusHistory(pool, id)).map(({ status, reason }) => [status, reason])).toEqual([
    ['Disabled', 'save-disabled'],
    ['Disabled', 'save-disabled'],
    ['Enabled', 'save-enabled'],
  ]);
});
