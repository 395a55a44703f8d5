import * as contract from '@portal/contract/app-config';
import { getAudit } from '@portal/contract/audit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { problemOf, type TestClient } from '../../testing/test-client.ts';

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
  world.network.calm();
  alice = await world.server.signIn('demo', 'demo');
  bob = await world.server.signIn('health.dev', 'health');
  const { processEntryPointTimeouts } = await alice.call(getConfig, { appId });
  for (const entryPoint of Object.keys(processEntryPointTimeouts))
    await alice.call(removeEntryPoint, { appId, entryPoint });
});

const timeoutsNow = async () => (await bob.call(getConfig, { appId })).processEntryPointTimeouts;

describe('entry points', () => {
  it('are set, changed and removed with the text of the platform as the answer', async () => {
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

  it('need a scope, a name and a time, asked for in the specified words', async () => {
    const fault = async (entryPoint: string, duration = 5) =>
      problemOf(await alice.attempt(addEntryPoint, { appId, entryPoint, duration }));
    expect((await fault(' :name')).message).toBe('Please enter Entry Point Scope Name');
    expect((await fault('Scope: ')).message).toBe('Please enter Entry Point');
    expect((await fault('Scope:name', 0)).message).toBe('Please select a timeout value');
    expect((await fault('Scope:name', -5)).kind).toBe('invalid');
    expect(await timeoutsNow()).toEqual({});
  });

  it('are put back when the second step of an update fails', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    const answer = await alice.attempt(updateEntryPoint, {
      appId,
      oldEntryPoint: 'Nightly:close',
      entryPoint: 'Nightly::bad',
      duration: 20,
    });
    expect(answer.status).toBe(400);
    expect(problemOf(answer).message).toContain('The old entry point was put back.');
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('do not overwrite another when they are renamed', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'A:a', duration: 15 });
    await alice.call(addEntryPoint, { appId, entryPoint: 'B:b', duration: 25 });
    const answer = await alice.attempt(updateEntryPoint, {
      appId,
      oldEntryPoint: 'A:a',
      entryPoint: 'B:b',
      duration: 5,
    });
    expect(answer.status).toBe(409);
    expect(await timeoutsNow()).toEqual({ 'A:a': 15, 'B:b': 25 });
  });
});

describe('two people at once', () => {
  it('hear of each other instead of overwriting', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15, expected: null });
    const answer = await bob.attempt(addEntryPoint, {
      appId,
      entryPoint: 'Nightly:close',
      duration: 60,
      expected: null,
    });
    expect(answer.status).toBe(409);
    expect(problemOf(answer).message).toMatch(/^Changed by demo just now .*Nightly:close is 15 min/);
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('at the very same moment: exactly one of many wins', async () => {
    const answers = await Promise.all(
      [alice, bob, alice, bob].map((person, index) =>
        person.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 10 + index, expected: null }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('see who changed last', async () => {
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
  it('reverts the last change of this session, once', async () => {
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

  it('is refused when somebody changed the same since, and reverts nothing of theirs', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    await bob.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 30 });
    const answer = await alice.attempt(undoConfigChange, { appId });
    expect(answer.status).toBe(409);
    expect(problemOf(answer).message).toContain('Changed by health.dev just now');
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 30 });
  });

  it('brings back a disabled app with what was said of it', async () => {
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

describe('locking and disabling', () => {
  it('send the fixed message whatever the payload says', async () => {
    await alice.call(lockApp, { appId, locked: true, lockedMessage: 'hacked' });
    expect(await bob.call(getConfig, { appId })).toMatchObject({
      locked: true,
      lockedMessage: contract.fixedMessages.locked,
    });
    await alice.call(lockApp, { appId, locked: false });
    expect(await bob.call(getConfig, { appId })).toMatchObject({ locked: false, lockedMessage: null });
  });
});

describe('a platform in trouble', () => {
  const update = { oldEntryPoint: 'Nightly:close', entryPoint: 'Nightly:open', duration: 20 };

  it('whose answer was lost: the change counts as made, because it is', async () => {
    world.network.judge(({ method }) => (method === 'POST' ? 'lose-answer' : 'pass'));
    const text = await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    expect(text).toBe("The change is made, although the platform's answer was lost.");
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('that goes away before the change: nothing is made, and the answer says why', async () => {
    world.network.judge(({ method }) => (method === 'POST' ? 'cut' : 'pass'));
    const answer = await alice.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    expect(answer.status).toBe(502);
    expect(problemOf(answer).message).toContain('the connection was closed');
    expect(await timeoutsNow()).toEqual({});
  });

  it('that goes away between the steps of an update: the old entry point is put back', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    world.network.judge(({ sent }) => (sent.includes('Nightly:open') ? 'cut' : 'pass'));
    const answer = await alice.attempt(updateEntryPoint, { appId, ...update });
    expect(answer.status).toBe(502);
    expect(problemOf(answer).message).toContain('The old entry point was put back.');
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('that goes away for good between the steps: people are told, and Undo brings the old one back', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    let isAway = false;
    world.network.judge(({ sent }) => {
      isAway ||= sent.includes('Nightly:open');
      return isAway ? 'cut' : 'pass';
    });
    const answer = await alice.attempt(updateEntryPoint, { appId, ...update });
    expect(problemOf(answer).message).toContain('could not be put back: it is not set now.');
    world.network.calm();
    expect(await timeoutsNow()).toEqual({});
    await alice.call(undoConfigChange, { appId });
    expect(await timeoutsNow()).toEqual({ 'Nightly:close': 15 });
  });

  it('that refuses says so in its own words', async () => {
    const viewer = await world.server.signIn('viewer', 'viewer');
    const answer = await viewer.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    expect(answer.status).toBe(403);
    expect(problemOf(answer).message).toBe('viewer is not allowed to change anything');
  });
});

describe('the audit trail', () => {
  it('has every change, failure and refusal, with before and after', async () => {
    await alice.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    await bob.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 5, expected: null });
    world.helium.faults.set({ path: 'app-config', mode: 'error500' });
    await alice.attempt(contract.setMaxDbResults, { appId, maxDatabaseResults: 500 });
    const { entries } = await alice.call(getAudit, { resource: appId });
    expect(entries.slice(0, 3)).toMatchObject([
      { action: 'config.set-max-db-results', outcome: 'failed', username: 'demo' },
      { action: 'config.add-entry-point', outcome: 'refused', username: 'health.dev' },
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

  it('is searched by words, and read page by page', async () => {
    const found = await alice.call(getAudit, { search: 'NIGHTLY clinic', outcome: 'done' });
    expect(found.total).toBeGreaterThan(0);
    expect(found.entries.every(({ description }) => description.includes('Nightly'))).toBe(true);
    expect((await alice.call(getAudit, { search: '100%_' })).total).toBe(0);
    const answer = await alice.attempt(getAudit, { after: 'x' });
    expect(answer.status).toBe(400);
  });

  it('refuses to be changed, by the database itself', async () => {
    const { pool } = world.server.dependencies;
    await expect(pool.query('delete from audit_entry')).rejects.toThrow('only ever added to');
    await expect(pool.query("update audit_entry set username = 'x'")).rejects.toThrow('only ever added to');
    await expect(pool.query('truncate audit_entry')).rejects.toThrow('only ever added to');
  });
});
