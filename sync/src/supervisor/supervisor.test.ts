import { auditDrift } from '@portal/contract/sync/drift';
import {
  getIntegration,
  getStatusHistory,
  listIntegrations,
  setEnabled,
  tryNow,
} from '@portal/contract/sync/integration';
import { getTestPostgresUrl, type TestDatabase } from '@portal/kit/postgres/test-database';
import { Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../integration/lease-lost-error.ts';
import { readLines } from '../portal-store/log.store.ts';
import { recordWebhooks, wakeRun } from '../portal-store/wake-ups.store.ts';
import { ScriptedEngine } from '../scripted-engine.fixture.ts';
import {
  configFor,
  createSyncDatabase,
  startTestService,
  type TestApp,
  type TestService,
  until,
} from '../service.fixture.ts';
import { quickRetryLimits } from '../service-config.fixture.ts';
import type { RetryLimits } from './classify-failure.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createSyncDatabase();
});
afterAll(() => database.drop());

const services: TestService[] = [];
async function start(
  ...options: [engine?: ScriptedEngine, retryLimits?: RetryLimits, databaseDirectUrl?: string]
): Promise<TestService> {
  const service = await startTestService(database.url, ...options);
  services.push(service);
  return service;
}
afterEach(async () => {
  const [cleaner] = services;
  const list = (await cleaner?.call(listIntegrations, {}))?.body ?? [];
  for (const { id } of list) await cleaner?.destroy(id);
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

const appOf = (name: string): TestApp => ({ id: name, name, schemaName: name });
const fill = async (by: TestService, count: number) => {
  const apps = Array.from({ length: count }, (_, index) => appOf(`app${index}`));
  for (const app of apps) await by.merge(configFor(app), app);
  return apps.map(({ id }) => id);
};
/** Returns the distinct apps that run there. */
const runningAt = ({ engine }: TestService, apps: readonly string[]) =>
  apps.filter((app) => engine.running(app).length === 1);

describe('one integration', () => {
  let test: TestService;
  const app = appOf('one');
  beforeEach(async () => {
    test = await start();
    await test.merge(configFor(app), app);
    await until(() => test.engine.running(app.id).length === 1);
  });
  const show = async () => (await test.call(getIntegration, undefined, { appId: app.id })).body;
  const run = () => {
    const [running] = test.engine.running(app.id);
    if (!running) throw new Error('It does not run.');
    return running;
  };

  it('restarts a failed run, and halts it with a reason after some failures in a row', async () => {
    run().fail(new Error('a bug'));
    await until(() => test.engine.runs.length === 2 && test.engine.running(app.id).length === 1);
    expect((await show()).status).toBe('Enabled');
    test.engine.startError = new Error('the same bug');
    run().fail(test.engine.startError);
    await until(async () => (await show()).status === 'Halted');
    const halted = await show();
    expect(halted.haltReason).toBe(
      'It failed 3 times in a row: An unexpected error occurred; see the log of the sync service.',
    );
    expect(halted.haltedSince).not.toBeNull();
    const { body } = await test.call(getStatusHistory, undefined, { appId: app.id });
    expect(body[0]).toMatchObject({ status: 'Halted', by: 'engine', reason: halted.haltReason });
    const severe = async () => {
      const lines = await readLines(test.parts.pool, test.engine.runs[0]?.run.integration.id ?? '', 0, 100);
      return lines.filter(({ key }) => key === 'SEVERE').map(({ value }) => value);
    };
    await until(async () => (await severe()).some((line) => line.startsWith('Halted')));
    // The attempt that halts announces no other one.
    expect(await severe()).toEqual([
      'Interrupted, retrying: An unexpected error occurred; see the log of the sync service.',
      'Interrupted, retrying: An unexpected error occurred; see the log of the sync service.',
      `Halted: ${halted.haltReason}`,
    ]);

    test.engine.startError = undefined;
    await test.call(setEnabled, { appIds: [app.id], enabled: true });
    await until(() => test.engine.running(app.id).length === 1);
    expect(BigInt(run().run.fence)).toBeGreaterThan(BigInt(test.engine.runs[0]?.run.fence ?? 0));
  });

  it('retries for as long as the platform is unavailable, and never halts', async () => {
    test.engine.startError = new Unreachable('Journey does not answer.');
    run().fail(test.engine.startError);
    await until(() => test.engine.failureCount > 20);
    expect(await show()).toMatchObject({ status: 'Enabled' });
    await until(async () => (await show()).heliumSyncStatus === 'Interrupted: Journey does not answer.');
    test.engine.startError = undefined;
    await until(() => test.engine.running(app.id).length === 1);
  });

  it('reports why a database that refuses at each of its addresses cannot be reached', async () => {
    const refusals = ['::1', '127.0.0.1'].map((address) => {
      const problem = new Error(`connect ECONNREFUSED ${address}:5432`);
      return Object.assign(problem, { code: 'ECONNREFUSED' });
    });
    test.engine.startError = new AggregateError(refusals);
    run().fail(test.engine.startError);
    const status = 'Interrupted: The database cannot be reached: connection refused.';
    await until(async () => (await show()).heliumSyncStatus.startsWith('Interrupted'));
    expect((await show()).heliumSyncStatus).toBe(status);
    test.engine.startError = undefined;
    await until(() => test.engine.running(app.id).length === 1);
  });

  it('restarts a run that reports a lost lease, under a later fence', async () => {
    const { fence } = run().run;
    run().fail(new LeaseLostError('another holds it'));
    await until(() => test.engine.running(app.id).some((later) => later.run.fence !== fence));
    expect((await show()).status).toBe('Enabled');
  });

  it('restarts a run that ends without a stop request', async () => {
    run().end({ outcome: 'stopped' });
    await until(() => test.engine.runs.length === 2 && test.engine.running(app.id).length === 1);
  });

  it('ignores a halt of a run that is replaced by a new configuration at the same moment', async () => {
    const { config } = (await test.call(getIntegration, undefined, { appId: app.id })).body;
    const before = run();
    // It has decided to halt before it receives the new configuration.
    before.run.signal.addEventListener('abort', () => before.end({ outcome: 'halted', reason: 'old', position: '' }));
    expect(await test.merge(config, app)).toEqual({ value: 'Saved.' });
    await until(() => test.engine.running(app.id).some((later) => later !== before));
    expect((await show()).status).toBe('Enabled');
  });

  it('recovers when the database connections are lost, and receives notifications again', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await client.end();
    const set = async (enabled: boolean) => {
      const { status } = await test.call(setEnabled, { appIds: [app.id], enabled });
      return status === 200;
    };
    await until(() => set(false));
    await until(() => test.engine.running(app.id).length === 0);
    await until(() => set(true));
    await until(() => test.engine.running(app.id).length === 1);
    let wakeUps = 0;
    run().run.onWake(() => {
      wakeUps += 1;
    });
    await until(async () => {
      await test.call(auditDrift, { appId: app.id });
      return wakeUps > 0;
    });
  });

  it('refuses work under an expired lease, even before the run is stopped', async () => {
    const { run: held } = run();
    expect(() => held.assertLease()).not.toThrow();
    await expect(held.withSlot(async () => 'done')).resolves.toBe('done');
    // As after a pause of the whole process: the clock has advanced, no timer has fired.
    const { now } = Date;
    Date.now = () => now() + 7_000;
    try {
      expect(() => held.assertLease()).toThrow(LeaseLostError);
      await expect(held.withSlot(async () => 'done')).rejects.toThrow(LeaseLostError);
    } finally {
      Date.now = now;
    }
  });
});

it('ends the wait between two runs when an operator requests the next attempt, also in another process', async () => {
  const hour = { initialMs: 3_600_000, maxMs: 3_600_000 };
  const test = await start(new ScriptedEngine(), { ...quickRetryLimits, outageBackoff: hour });
  const app = appOf('waiting');
  await test.merge(configFor(app), app);
  await until(() => test.engine.running(app.id).length === 1);
  test.engine.running(app.id)[0]?.fail(new Unreachable('Journey does not answer.'));
  const show = async () => (await test.call(getIntegration, undefined, { appId: app.id })).body;
  await until(async () => (await show()).heliumSyncStatus === 'Interrupted: Journey does not answer.');
  expect((await show()).health).toBe('Stale');
  const other = await start(test.engine);
  await until(async () => {
    const { status } = await other.call(tryNow, { appId: app.id });
    return status === 200 && test.engine.running(app.id).length === 1;
  });
});

it('counts what waits in both logs while an integration is disabled, and not once credentials were rejected', async () => {
  const engine = new ScriptedEngine();
  engine.backlogs = [12, { entries: 3 }];
  const test = await start(engine);
  const app = appOf('backlog');
  await test.merge(configFor(app), app);
  await until(() => engine.running(app.id).length === 1);
  const show = async () => (await test.call(getIntegration, undefined, { appId: app.id })).body;
  expect(await show()).toMatchObject({ changeLogBacklog: null, oplogBacklog: null });
  // The checks begin when there are figures.
  engine.running(app.id)[0]?.run.publish({ heliumSyncStatus: 'Live', journeySyncStatus: 'Live' });
  await test.call(setEnabled, { appIds: [app.id], enabled: false });
  await until(async () => (await show()).oplogBacklog !== null);
  const since = expect.any(Number);
  const waiting = { changeLogBacklog: { entries: 12, since }, oplogBacklog: { entries: 3, since } };
  expect(await show()).toMatchObject({ ...waiting, health: 'Late' });
  const before = await show();

  engine.backlogs = [0, 'credentials-rejected'];
  await until(() => engine.rejectedReads === 1);
  await until(async () => (await show()).changeLogBacklog === null);
  const reads = engine.backlogReads;
  engine.backlogs = [1, { entries: 4 }];
  await until(async () => (await show()).changeLogBacklog?.entries === 1);
  engine.backlogs = [2, { entries: 4 }];
  await until(async () => (await show()).changeLogBacklog?.entries === 2);
  expect(engine.backlogReads).toBe(reads);
  expect((await show()).oplogBacklog).toEqual(before.oplogBacklog);

  await test.call(setEnabled, { appIds: [app.id], enabled: true });
  expect(await show()).toMatchObject({ status: 'Enabled', changeLogBacklog: null, oplogBacklog: null });
});

/** Returns how often the run of each app is woken from now on. */
function countWakeUps({ engine }: TestService, apps: readonly string[]) {
  return apps.map((app) => {
    const counts = { wakes: 0, webhooks: 0 };
    const [running] = engine.running(app);
    running?.run.onWake(() => {
      counts.wakes += 1;
    });
    running?.run.onWebhook(() => {
      counts.webhooks += 1;
    });
    return counts;
  });
}

describe.each([
  ['where notifications are heard', () => database.url],
  // In another database, nothing of this one is heard.
  ['where none are, as behind a pooler', getTestPostgresUrl],
])('%s', (_, getDirectUrl) => {
  it('wakes an integration once for each change and webhook, and leaves others quiet', async () => {
    const test = await start(new ScriptedEngine(), quickRetryLimits, getDirectUrl());
    await test.parts.notifications.check();
    const [woken = '', ...others] = await fill(test, 3);
    await until(() => runningAt(test, [woken, ...others]).length === 3);
    const { rows } = await test.parts.pool.query<{ id: string }>('select id from sync.integration where app_id = $1', [
      woken,
    ]);
    const id = rows[0]?.id ?? '';
    const [counts, ...quiet] = countWakeUps(test, [woken, ...others]);

    for (const wakes of [1, 2]) {
      await wakeRun(test.parts.pool, id);
      await until(() => counts?.wakes === wakes);
    }
    for (const webhooks of [1, 2]) {
      await recordWebhooks(test.parts.pool, [id]);
      await until(() => counts?.webhooks === webhooks);
    }
    await renewTwice(test);
    expect([counts, ...quiet]).toEqual([{ wakes: 2, webhooks: 2 }, ...quiet.map(() => ({ wakes: 0, webhooks: 0 }))]);
  });
});

/** Waits until the leases were renewed after this call, and what that found was acted on. */
async function renewTwice({ parts }: TestService): Promise<void> {
  const readExpiry = async () => {
    const { rows } = await parts.pool.query<{ at: string }>('select max(expires_at)::text as at from sync.process');
    return rows[0]?.at;
  };
  for (let times = 0; times < 2; times += 1) {
    const before = await readExpiry();
    await until(async () => (await readExpiry()) !== before);
  }
}

describe('two processes over one database', () => {
  it('share the integrations evenly, run each in one process, and apply a change wherever it runs', async () => {
    const first = await start();
    const apps = await fill(first, 9);
    await until(() => runningAt(first, apps).length === 9);
    const second = await start();
    await until(() => runningAt(second, apps).length === 4 && runningAt(first, apps).length === 5);
    const [theirs = ''] = runningAt(second, apps);
    expect(runningAt(first, apps)).not.toContain(theirs);
    await first.call(setEnabled, { appIds: [theirs], enabled: false });
    await until(() => second.engine.running(theirs).length === 0);
    // No two runs of an integration had the same fence.
    const runs = [...first.engine.runs, ...second.engine.runs].map(({ run }) => `${run.integration.id} ${run.fence}`);
    expect(new Set(runs).size).toBe(runs.length);
  });

  it('take over immediately from a process that stops in order', async () => {
    const first = await start();
    const second = await start();
    const apps = await fill(first, 6);
    await until(() => runningAt(first, apps).length === 3 && runningAt(second, apps).length === 3);
    services.splice(services.indexOf(first), 1);
    await first.stop();
    expect(apps.every((app) => first.engine.running(app).length === 0)).toBe(true);
    await until(() => runningAt(second, apps).length === 6);
  });
});
