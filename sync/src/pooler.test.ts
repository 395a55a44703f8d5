/**
 * The sync service whose own database is behind pgbouncer in transaction mode, with its defaults.
 */
import { auditDrift } from '@portal/contract/sync/drift';
import { getIntegration, tryNow } from '@portal/contract/sync/integration';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '@portal/kit/postgres/pgbouncer.fixture';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { Unreachable } from '@portal/kit/problems';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { recordWebhooks } from './portal-store/wake-ups.store.ts';
import { ScriptedEngine } from './scripted-engine.fixture.ts';
import { configFor, createSyncDatabase, grain, startTestService, type TestService, until } from './service.fixture.ts';
import { quickRetryLimits } from './service-config.fixture.ts';

describe.skipIf(!hasPgbouncer)('a sync service behind pgbouncer', () => {
  let database: TestDatabase;
  let pgbouncer: Pgbouncer;
  let services: TestService[] = [];

  beforeAll(async () => {
    database = await createSyncDatabase();
    pgbouncer = await startPgbouncer(database.url);
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.stop()));
    services = [];
  });
  afterAll(async () => {
    await pgbouncer.stop();
    await database.drop();
  });

  async function start(engine = new ScriptedEngine(), retryLimits = quickRetryLimits): Promise<TestService> {
    const service = await startTestService(pgbouncer.toPooled(database.url), engine, retryLimits);
    services.push(service);
    return service;
  }

  it('reports that nothing is delivered; another process still wakes runs, also for webhooks, and ends their waits', async () => {
    const hour = { initialMs: 3_600_000, maxMs: 3_600_000 };
    const test = await start(new ScriptedEngine(), { ...quickRetryLimits, outageBackoff: hour });
    const readHealth = async () => (await fetch(`${test.service.address}/health`)).text();
    await until(async () => (await readHealth()).includes('databaseDirectUrl'));
    expect(await test.merge(configFor(grain), grain)).toEqual({ value: 'Saved and enabled.' });
    const running = () => test.engine.running(grain.id);
    await until(() => running().length === 1);
    const other = await start(test.engine);

    let wakeUps = 0;
    running()[0]?.run.onWake(() => {
      wakeUps += 1;
    });
    expect((await other.call(auditDrift, { appId: grain.id })).status).toBe(200);
    await until(() => wakeUps > 0);
    let webhooks = 0;
    running()[0]?.run.onWebhook(() => {
      webhooks += 1;
    });
    await recordWebhooks(other.parts.apiPool, [running()[0]?.run.integration.id ?? '']);
    await until(() => webhooks > 0);
    expect([wakeUps, webhooks]).toEqual([1, 1]);

    running()[0]?.fail(new Unreachable('Journey does not answer.'));
    const show = async () => (await other.call(getIntegration, undefined, { appId: grain.id })).body;
    await until(async () => (await show()).heliumSyncStatus === 'Interrupted: Journey does not answer.');
    await until(async () => {
      const { status } = await other.call(tryNow, { appId: grain.id });
      return status === 200 && running().length === 1;
    });
  });
});
