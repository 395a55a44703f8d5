/** The portal's own PostgreSQL becomes read-only under a sync service. */
import { listIntegrations, setEnabled } from '@portal/contract/sync/integration';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configFor, createSyncDatabase, grain, startTestService, type TestService, until } from './service.fixture.ts';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSyncDatabase();
  service = await startTestService(database.url);
  await service.merge(configFor());
});
afterAll(() => database.drop());

const isRunning = () => service.engine.running(grain.id).length === 1;

test('refuses changes in words while its database is read-only, still lists, recovers, and stops in order', async () => {
  await until(isRunning);
  await database.setReadOnly(true);
  // The listening connection was cut as well; the first call may find a connection that is.
  const disable = () => service.call(setEnabled, { appIds: [grain.id], enabled: false });
  await until(async () => {
    const { status, body } = await disable();
    expect(status).toBe(503);
    const message = "The portal's database accepts no changes at the moment (it is read-only).";
    return 'message' in body && body.message === message;
  });
  expect(await service.call(listIntegrations, {})).toMatchObject({ status: 200, body: [{ status: 'Enabled' }] });
  // Its lease cannot be renewed.
  await until(() => !isRunning());

  await database.setReadOnly(false);
  await until(isRunning);
  expect(await disable()).toMatchObject({ status: 200 });

  await database.setReadOnly(true);
  await service.stop();
});
