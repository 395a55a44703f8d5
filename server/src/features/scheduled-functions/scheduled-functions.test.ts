import { getConfig, undoConfigChange } from '@portal/contract/app-config';
import { getAudit, getRecentChanges } from '@portal/contract/audit';
import {
  getLastFunctionResults,
  getScheduledEvents,
  getScheduledFunctionResults,
  toggleScheduledEvent,
} from '@portal/contract/scheduled-functions';
import { withClient } from '@portal/kit/postgres/pool';
import { getTestPostgresUrl } from '@portal/kit/postgres/test-database';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer } from '../../testing/test-server.ts';

let world: SmallWorld;
let appId: string;
let client: TestClient;

beforeAll(async () => {
  world = await startSmallWorld();
  appId = world.helium.app('Farm Inputs').id;
  client = await world.server.signIn('farm.dev', 'farm');
});
afterAll(() => world.stop());

const name = 'Vouchers:expireVouchers';

const asAdmin = (sql: string) => withClient({ connectionString: getTestPostgresUrl() }, (admin) => admin.query(sql));

/** Runs what the platform's own scheduler runs at a full hour. */
async function namesRunAt(hour: number): Promise<string[]> {
  const results = await world.helium.runDue(new Date(Date.UTC(2026, 0, 1, hour)));
  return results.map(({ qualifiedName }) => qualifiedName);
}

describe('scheduled functions', () => {
  it('lists the functions with a description of their schedule and the next run', async () => {
    const [event, ...others] = await client.call(getScheduledEvents, { appId });
    expect(others).toEqual([]);
    expect(event).toMatchObject({ unit: 'Vouchers', event: 'expireVouchers', state: 'Enabled', schedule: '0 * * * *' });
    expect(event?.scheduleInWords).toBe('Every hour');
    expect(new Date(event?.nextRun ?? 0).getTime()).toBeGreaterThan(Date.now());
  });

  it('toggling stops and starts a function on the platform and is audited', async () => {
    const text = await client.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Disabled' });
    expect(text).toContain('disabled');
    expect(await client.call(getScheduledEvents, { appId })).toMatchObject([{ state: 'Disabled', nextRun: null }]);
    expect(await namesRunAt(10)).not.toContain(name);
    await client.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Enabled' });
    expect(await namesRunAt(11)).toContain(name);
    const { entries } = await client.call(getAudit, { action: 'functions.toggle' });
    expect(entries).toMatchObject([
      { before: { [name]: 'Disabled' }, after: { [name]: 'Enabled' }, outcome: 'done', username: 'farm.dev' },
      { before: { [name]: 'Enabled' }, after: { [name]: 'Disabled' }, resourceName: 'Farm Inputs' },
    ]);
  });

  it('a toggle is the last change of its app, which Undo reverts once', async () => {
    await client.call(getConfig, { appId });
    await client.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Disabled' });
    const description = `Scheduled function ${name} disabled`;
    expect(await client.call(getConfig, { appId })).toMatchObject({
      lastChange: { username: 'farm.dev', description },
      undoable: { description },
    });
    expect((await client.call(getRecentChanges, undefined))[0]).toMatchObject({ description, outcome: 'done' });
    await client.call(undoConfigChange, { appId });
    expect(await client.call(getScheduledEvents, { appId })).toMatchObject([{ state: 'Enabled' }]);
    expect(await client.call(getConfig, { appId })).toMatchObject({
      lastChange: { description: `Undo: Scheduled function ${name} enabled` },
      undoable: null,
    });
    expect((await client.attempt(undoConfigChange, { appId })).status).toBe(404);
  });

  it('a toggle is not undone once another user has changed the function', async () => {
    await client.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Disabled', expected: 'Enabled' });
    const other = await world.server.signIn('demo', 'demo');
    await other.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Enabled' });
    const response = await client.attempt(undoConfigChange, { appId });
    expect([response.status, parseProblem(response).message]).toEqual([
      409,
      `${name} is enabled now: it was changed since you opened it. Your change was not applied.`,
    ]);
  });

  it('a toggle is not undone for a user whom the platform no longer lets toggle functions', async () => {
    const own = await world.server.signIn('farm.dev', 'farm');
    await own.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Disabled' });
    world.helium.faults.set({ method: 'POST', path: 'scheduled-events', mode: 'error500', status: 403 });
    try {
      expect((await own.attempt(undoConfigChange, { appId })).status).toBe(403);
    } finally {
      world.helium.faults.clear();
    }
    expect(await own.call(getScheduledEvents, { appId })).toMatchObject([{ state: 'Disabled' }]);
    const { entries } = await own.call(getAudit, { action: 'config.undo' });
    expect(entries[0]).toMatchObject({ description: `Undo: Scheduled function ${name} enabled`, outcome: 'refused' });
    await own.call(undoConfigChange, { appId });
    expect(await own.call(getScheduledEvents, { appId })).toMatchObject([{ state: 'Enabled' }]);
  });

  it('a toggle is undone by a role that may change the configuration, and not by one that may only toggle', async () => {
    const as = async (role: 'operator' | 'maintainer') => {
      const server = await startTestServer({
        environments: [{ name: 'Production', baseUrl: world.baseUrl }],
        databaseUrl: world.server.databaseUrl,
        roles: [{ role, users: ['farm.dev'] }],
      });
      onTestFinished(() => server.stop());
      return server.signIn('farm.dev', 'farm');
    };
    const operator = await as('operator');
    await operator.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Disabled' });
    expect((await operator.attempt(undoConfigChange, { appId })).status).toBe(403);
    expect(await operator.call(getScheduledEvents, { appId })).toMatchObject([{ state: 'Disabled' }]);
    const maintainer = await as('maintainer');
    await maintainer.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Enabled' });
    await maintainer.call(undoConfigChange, { appId });
    expect(await maintainer.call(getScheduledEvents, { appId })).toMatchObject([{ state: 'Disabled' }]);
    await maintainer.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Enabled' });
  });

  it('a toggle to the current state of the function is not a change', async () => {
    const before = await client.call(getRecentChanges, undefined);
    await client.call(toggleScheduledEvent, { appId, scheduledEvent: name, state: 'Enabled' });
    expect(await client.call(getRecentChanges, undefined)).toEqual(before);
  });

  it("the platform's message is returned for a function that does not exist", async () => {
    const response = await client.attempt(toggleScheduledEvent, {
      appId,
      scheduledEvent: 'No:such',
      state: 'Disabled',
    });
    expect(response.status).toBe(404);
    expect(parseProblem(response).message).toBe('Farm Inputs has no scheduled event No:such.');
  });

  it("functions of another user's app get the same error as those of an unknown app", async () => {
    for (const other of [world.helium.app('Clinic Visits').id, '00000000-0000-4000-8000-000000000000']) {
      const response = await client.attempt(getScheduledEvents, { appId: other });
      expect(response.status).toBe(404);
      expect(parseProblem(response).message).toBe(`You have no app ${other} in Production.`);
    }
  });
});

describe('scheduled function results', () => {
  it("come from the app's own data source, newest first", async () => {
    const run = await world.helium.app('Farm Inputs').run(name);
    expect(run).toBeDefined();
    const results = await client.call(getScheduledFunctionResults, { environment: 'Production', uuid: appId });
    expect(results[0]).toMatchObject({ qualifiedName: name, exception: null });
    const starts = results.map(({ started }) => started);
    expect(starts).toEqual(starts.toSorted().reverse());
  });

  it('are limited to the requested number', async () => {
    const one = await client.call(getScheduledFunctionResults, { uuid: appId, limit: 1 });
    const all = await client.call(getScheduledFunctionResults, { uuid: appId });
    expect(one).toEqual(all.slice(0, 1));
    expect((await client.attempt(getScheduledFunctionResults, { uuid: appId, limit: 1_001 })).status).toBe(400);
  });

  it('include the last one of each function, in a call of its own', async () => {
    const [last] = await client.call(getScheduledFunctionResults, { uuid: appId });
    const { results, indexStatements } = await client.call(getLastFunctionResults, { uuid: appId });
    expect(results).toEqual([last]);
    expect(indexStatements).toEqual([]);
  });

  it('are absent when the last ones cannot be read in time', async () => {
    const { url, schemaName } = world.helium.app('Farm Inputs');
    const response = await withClient({ connectionString: url }, async (app) => {
      await app.query(`begin; lock table ${schemaName}.__scheduled_function_result__ in access exclusive mode`);
      const reading = client.call(getLastFunctionResults, { uuid: appId });
      const waiting = `select pid from pg_stat_activity
        where application_name = 'portal' and wait_event_type = 'Lock' and query like '%max(datetimestampstarted)%'`;
      // Ends the statement as its time limit does.
      await expect.poll(async () => (await asAdmin(waiting)).rowCount).toBe(1);
      await asAdmin(`select pg_cancel_backend(pid) from (${waiting}) waiting`);
      return reading;
    });
    expect(response).toEqual({ results: null, isLimited: false, indexStatements: [] });
  });

  it("can be requested only in the session's environment", async () => {
    const unknown = await client.attempt(getScheduledFunctionResults, { environment: 'Nowhere', uuid: appId });
    expect(unknown.status).toBe(400);
    const typed = await client.send('POST', getScheduledFunctionResults.path, JSON.stringify({ uuid: 7 }));
    expect(parseProblem(typed)).toMatchObject({ kind: 'invalid', fields: { uuid: expect.any(String) } });
  });
});
