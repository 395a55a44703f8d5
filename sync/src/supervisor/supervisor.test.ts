import * as sync from '@portal/contract/sync';
import type { TestDatabase } from '@portal/kit/postgres/test-database';
import { Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../integration/lease-lost-error.ts';
import {
  configFor,
  createSyncDatabase,
  startTestService,
  type TestApp,
  type TestService,
  until,
} from '../service.fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createSyncDatabase();
});
afterAll(() => database.drop());

const services: TestService[] = [];
async function start(): Promise<TestService> {
  const service = await startTestService(database.url);
  services.push(service);
  return service;
}
afterEach(async () => {
  const [cleaner] = services;
  const list = (await cleaner?.call(sync.listIntegrations, {}))?.body ?? [];
  for (const { id } of list) await cleaner?.destroy(id);
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

const appOf = (name: string): TestApp => ({ id: name, name, schemaName: name });
const fill = async (by: TestService, count: number) => {
  const apps = Array.from({ length: count }, (_, index) => appOf(`app${index}`));
  for (const app of apps) await by.merge(configFor(app), app);
  return apps.map(({ id }) => id);
};
/** Apps that run there, each once. */
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
  const show = async () => (await test.call(sync.getIntegration, undefined, { appId: app.id })).body.integration;
  const run = () => {
    const [running] = test.engine.running(app.id);
    if (!running) throw new Error('It does not run.');
    return running;
  };

  it('that fails is begun again; after some failures in a row it is halted, and told why', async () => {
    run().fail(new Error('a bug'));
    await until(() => test.engine.runs.length === 2 && test.engine.running(app.id).length === 1);
    expect((await show()).status).toBe('Enabled');
    test.engine.startError = new Error('the same bug');
    run().fail(test.engine.startError);
    await until(async () => (await show()).status === 'Halted');
    const halted = await show();
    expect(halted.haltReason).toBe('It failed 3 times in a row: the same bug');
    expect(halted.haltedSince).not.toBeNull();
    const { body } = await test.call(sync.getStatusHistory, undefined, { appId: app.id });
    expect(body[0]).toMatchObject({ status: 'Halted', by: 'engine', reason: halted.haltReason });

    test.engine.startError = undefined;
    await test.call(sync.setEnabled, { appIds: [app.id], enabled: true });
    await until(() => test.engine.running(app.id).length === 1);
    expect(BigInt(run().run.fence)).toBeGreaterThan(BigInt(test.engine.runs[0]?.run.fence ?? 0));
  });

  it('whose platform is away is tried for as long as that takes, and never halted', async () => {
    test.engine.startError = new Unreachable('Journey does not answer.');
    run().fail(test.engine.startError);
    await until(() => test.engine.failureCount > 20);
    expect(await show()).toMatchObject({ status: 'Enabled' });
    await until(async () => (await show()).heliumSyncStatus === 'Interrupted: Journey does not answer.');
    test.engine.startError = undefined;
    await until(() => test.engine.running(app.id).length === 1);
  });

  it('whose database refuses at each of its addresses is told so in words, though the error as a whole has none', async () => {
    const refusals = ['::1', '127.0.0.1'].map((address) => {
      const problem = new Error(`connect ECONNREFUSED ${address}:5432`);
      return Object.assign(problem, { code: 'ECONNREFUSED' });
    });
    test.engine.startError = new AggregateError(refusals);
    run().fail(test.engine.startError);
    const said = 'Interrupted: connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432';
    await until(async () => (await show()).heliumSyncStatus.startsWith('Interrupted'));
    expect((await show()).heliumSyncStatus).toBe(said);
    test.engine.startError = undefined;
    await until(() => test.engine.running(app.id).length === 1);
  });

  it('that says it lost its lease gets a later fence', async () => {
    const { fence } = run().run;
    run().fail(new LeaseLostError('another holds it'));
    await until(() => test.engine.running(app.id).some((later) => later.run.fence !== fence));
    expect((await show()).status).toBe('Enabled');
  });

  it('that ends without being told to is begun again', async () => {
    run().end({ outcome: 'stopped' });
    await until(() => test.engine.runs.length === 2 && test.engine.running(app.id).length === 1);
  });

  it('that halts in the moment it is saved anew is not halted for what was', async () => {
    const { config } = (await test.call(sync.getIntegration, undefined, { appId: app.id })).body;
    const before = run();
    // It has made up its mind before it hears of the new configuration.
    before.run.signal.addEventListener('abort', () => before.end({ outcome: 'halted', reason: 'old', position: '' }));
    expect(await test.merge(config, app)).toEqual({ value: 'Saved.' });
    await until(() => test.engine.running(app.id).some((later) => later !== before));
    expect((await show()).status).toBe('Enabled');
  });

  it('goes on when the connections to the database are lost, and hears of changes again', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await client.end();
    const set = async (enabled: boolean) => {
      const { status } = await test.call(sync.setEnabled, { appIds: [app.id], enabled });
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
      await test.call(sync.auditDrift, { appId: app.id });
      return wakeUps > 0;
    });
  });

  it('may not work on under a lease that has run out, even before anybody has told it', async () => {
    const { run: held } = run();
    expect(() => held.assertLease()).not.toThrow();
    await expect(held.withSlot(async () => 'done')).resolves.toBe('done');
    // As after a pause of the whole process: the clock has gone on, no timer has.
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

describe('two processes over one database', () => {
  it('share the integrations fairly, each run by one of them, and a change reaches whichever runs it', async () => {
    const first = await start();
    const apps = await fill(first, 9);
    await until(() => runningAt(first, apps).length === 9);
    const second = await start();
    await until(() => runningAt(second, apps).length === 4 && runningAt(first, apps).length === 5);
    const [theirs = ''] = runningAt(second, apps);
    expect(runningAt(first, apps)).not.toContain(theirs);
    await first.call(sync.setEnabled, { appIds: [theirs], enabled: false });
    await until(() => second.engine.running(theirs).length === 0);
    // No integration was ever run under one fence twice.
    const runs = [...first.engine.runs, ...second.engine.runs].map(({ run }) => `${run.integration.id} ${run.fence}`);
    expect(new Set(runs).size).toBe(runs.length);
  });

  it('take over at once from one that ends in order', async () => {
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
