import * as contract from '@portal/contract/app-config';
import { getAudit, getRecentChanges } from '@portal/contract/audit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer } from '../../testing/test-server.ts';

const { getConfig, addEntryPoint, removeEntryPoint, updateEntryPoint, undoConfigChange, disableApp, lockApp } =
  contract;

let world: SmallWorld;
let appId: string;
let alice: TestClient;
let bob: TestClient;

beforeAll(async () => {
  world = await startSmallWorld();
  appId = world.helium.app('Clinic Visits').id;
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.helium.faults.clear();
  world.network.reset();
  alice = await world.server.signIn('demo', 'demo');
  bob = await world.server.signIn('health.dev', 'health');
  const { processEntryPointTimeouts } = await alice.call(getConfig, { appId });
  for (const entryPoint of Object.keys(processEntryPointTimeouts))
    await alice.call(removeEntryPoint, { appId, entryPoint });
});

const timeoutsNow = async () => (await bob.call(getConfig, { appId })).processEntryPointTimeouts;

describe('entry points', () => {
  it("sets, updates and removes an entry point and returns the platform's text", async () => {
    const added = await alice.attempt(addEntryPoint, { appId, entryPoint: ' Nightly : close ', duration: 15 });
    expect(added.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(added.text).toContain('Nightly:close');
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
    await alice.call(updateEntryPoint, {
      appId,
      oldEntryPoint: 'Nightly:close',
      entryPoint: 'Nightly:open',
      duration: 20,
    });
    expect(await timeoutsNow()).toEqual({ 'Nightly:open': 20 });
    await alice.call(removeEntryPoint, { appId, entryPoint: 'Nightly:open', duration: 0 });
    expect(await timeoutsNow()).toEqual({});
  });

  it('shows a change at once, although the configuration is cached', async () => {
    const server = await startTestServer({
      environments: [{ name: 'Production', baseUrl: world.baseUrl }],
      freshness: { configMs: 600_000 },
    });
    onTestFinished(() => server.stop());
    const client = await server.signIn('demo', 'demo');
    await client.call(getConfig, { appId });
    await client.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    const { processEntryPointTimeouts } = await client.call(getConfig, { appId });
    expect(processEntryPointTimeouts).toEqual({ 'Nightly:close': 15 });
  });

  it('requires a scope, a name and a timeout, with the specified messages', async () => {
    const fault = async (entryPoint: string, duration = 5) =>
      parseProblem(await alice.attempt(addEntryPoint, { appId, entryPoint, duration }));
    expect((await fault(' :name')).message).toBe('Please enter Entry Point Scope Name');
    expect((await fault('Scope: ')).message).toBe('Please enter Entry Point');
    expect((await fault('Scope:name', 0)).message).toBe('Please select a timeout value');
    expect((await fault('Scope:name', -5)).kind).toBe('invalid');
    expect(await timeoutsNow()).toEqual({});
  });

  it('removing one that is not set is not a change', async () => {
    const before = await alice.call(getRecentChanges, undefined);
    const { lastChange } = await alice.call(getConfig, { appId });
    await alice.call(removeEntryPoint, { appId, entryPoint: 'Never:set', duration: 0 });
    const { entries } = await alice.call(getAudit, { action: 'config.remove-entry-point' });
    expect(entries[0]?.description).toBe('Entry point Never:set was not set, so nothing was removed');
    expect(await alice.call(getRecentChanges, undefined)).toEqual(before);
    expect((await alice.call(getConfig, { appId })).lastChange).toEqual(lastChange);
  });

  it('restores the old entry point when the second step of an update fails', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    const response = await alice.attempt(updateEntryPoint, {
      appId,
      oldEntryPoint: 'Nightly:close',
      entryPoint: 'Nightly::bad',
      duration: 20,
    });
    expect(response.status).toBe(400);
    expect(parseProblem(response).message).toContain('The old entry point was restored.');
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('refuses to rename an entry point to an existing one', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'A:a', duration: 15 });
    await alice.call(addEntryPoint, { appId, entryPoint: 'B:b', duration: 25 });
    const response = await alice.attempt(updateEntryPoint, {
      appId,
      oldEntryPoint: 'A:a',
      entryPoint: 'B:b',
      duration: 5,
    });
    expect(response.status).toBe(409);
    expect(await timeoutsNow()).toEqual({ 'A:a': 15, 'B:b': 25 });
  });
});

describe('concurrent configuration changes', () => {
  it('report a conflict instead of overwriting each other', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15, expected: null });
    const response = await bob.attempt(addEntryPoint, {
      appId,
      entryPoint: 'Nightly:close',
      duration: 60,
      expected: null,
    });
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toMatch(/^Changed by demo just now .*Nightly:close is 15 min/);
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('exactly one of many simultaneous changes succeeds', async () => {
    const responses = await Promise.all(
      [alice, bob, alice, bob].map((person, index) =>
        person.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 10 + index, expected: null }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('the configuration shows who changed it last', async () => {
    await bob.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    const { lastChange, undoable } = await alice.call(getConfig, { appId });
    expect(lastChange).toMatchObject({
      username: 'health.dev',
      description: 'Entry point Nightly:close set to 15 min',
    });
    expect(undoable?.description).not.toBe(lastChange?.description);
  });
});

describe('undo', () => {
  it('reverts the last change of this session once', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    await alice.call(updateEntryPoint, {
      appId,
      oldEntryPoint: 'Nightly:close',
      entryPoint: 'Nightly:open',
      duration: 20,
    });
    expect((await alice.call(getConfig, { appId })).undoable?.description).toBe(
      'Entry point Nightly:close 15 min → Nightly:open 20 min',
    );
    await alice.call(undoConfigChange, { appId });
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
    expect((await alice.call(getConfig, { appId })).undoable).toBeNull();
    expect((await alice.attempt(undoConfigChange, { appId })).status).toBe(404);
  });

  it('refuses to revert a setting that another user has changed since', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    await bob.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 30 });
    const response = await alice.attempt(undoConfigChange, { appId });
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toContain('Changed by health.dev just now');
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 30 });
  });

  it('enables a disabled app again and restores its message', async () => {
    await alice.call(disableApp, { appId, disabled: true });
    await alice.call(disableApp, { appId, disabled: false });
    await alice.call(undoConfigChange, { appId });
    expect(await bob.call(getConfig, { appId })).toMatchObject({
      disabled: true,
      disabledMessage: contract.fixedMessages.disabled,
    });
    await alice.call(disableApp, { appId, disabled: false });
  });
});

describe('locking and disabling apps', () => {
  it('sends the fixed message regardless of the payload', async () => {
    await alice.call(lockApp, { appId, locked: true, lockedMessage: 'hacked' });
    expect(await bob.call(getConfig, { appId })).toMatchObject({
      locked: true,
      lockedMessage: contract.fixedMessages.locked,
    });
    await alice.call(lockApp, { appId, locked: false });
    expect(await bob.call(getConfig, { appId })).toMatchObject({ locked: false, lockedMessage: null });
  });
});

describe('platform failures during configuration changes', () => {
  const update = { oldEntryPoint: 'Nightly:close', entryPoint: 'Nightly:open', duration: 20 };

  it('a lost response counts as success when the platform shows the change', async () => {
    world.network.decide(({ method }) => (method === 'POST' ? 'lose-answer' : 'pass'));
    const text = await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    expect(text).toBe("The change was applied, although the platform's response was lost.");
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('a connection cut before the change leaves everything unchanged and is reported', async () => {
    world.network.decide(({ method }) => (method === 'POST' ? 'cut' : 'pass'));
    const response = await alice.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toContain('the connection was closed');
    expect(await timeoutsNow()).toEqual({});
  });

  it('a connection cut between two steps restores the old entry point', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    world.network.decide(({ sent }) => (sent.includes('Nightly:open') ? 'cut' : 'pass'));
    const response = await alice.attempt(updateEntryPoint, { appId, ...update });
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toContain('The old entry point was restored.');
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('a permanent outage between two steps is reported, and Undo restores the old entry point', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    let isDown = false;
    world.network.decide(({ sent }) => {
      isDown ||= sent.includes('Nightly:open');
      return isDown ? 'cut' : 'pass';
    });
    const response = await alice.attempt(updateEntryPoint, { appId, ...update });
    expect(parseProblem(response).message).toContain('could not be restored, so it is no longer set.');
    world.network.reset();
    expect(await timeoutsNow()).toEqual({});
    await alice.call(undoConfigChange, { appId });
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it("a platform refusal is returned in the platform's own words", async () => {
    const viewer = await world.server.signIn('viewer', 'viewer');
    const response = await viewer.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    expect(response.status).toBe(403);
    expect(parseProblem(response).message).toBe('viewer is not allowed to change anything');
  });
});

describe('audit trail of configuration changes', () => {
  it('records every change, failure and refusal with the values before and after', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    await bob.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 5, expected: null });
    world.helium.faults.set({ path: 'app-config', mode: 'error500' });
    await alice.attempt(contract.setMaxDbResults, { appId, maxDatabaseResults: 500 });
    const { entries } = await alice.call(getAudit, { resource: appId });
    // An equal refusal of an earlier test is the same entry, so it need not be the newest.
    const refused = entries.filter(({ outcome }) => outcome === 'refused');
    expect(refused.find(({ username }) => username === 'health.dev')).toMatchObject({
      action: 'config.add-entry-point',
    });
    expect(entries.filter(({ outcome }) => outcome !== 'refused').slice(0, 2)).toMatchObject([
      { action: 'config.set-max-db-results', outcome: 'failed', username: 'demo' },
      {
        action: 'config.add-entry-point',
        outcome: 'done',
        resourceName: 'Clinic Visits',
        before: { processEntryPointTimeouts: { 'Nightly:close': null } },
        after: { processEntryPointTimeouts: { 'Nightly:close': 15 } },
        address: '127.0.0.1',
      },
    ]);
  });

  it('searches the audit trail by words, in pages', async () => {
    const found = await alice.call(getAudit, { search: 'NIGHTLY clinic', outcome: 'done' });
    expect(found.entries.length).toBeGreaterThan(0);
    expect(found.entries.every(({ description }) => description.includes('Nightly'))).toBe(true);
    expect((await alice.call(getAudit, { search: '100%_' })).entries).toEqual([]);
    const response = await alice.attempt(getAudit, { after: 'x' });
    expect(response.status).toBe(400);
  });

  it('rejects updates and deletes in the database itself', async () => {
    const { pool } = world.server.dependencies;
    await expect(pool.query('delete from audit_entry')).rejects.toThrow('only ever added to');
    await expect(pool.query("update audit_entry set username = 'x'")).rejects.toThrow('only ever added to');
    await expect(pool.query('truncate audit_entry')).rejects.toThrow('only ever added to');
  });
});
