import { addEntryPoint } from '@portal/contract/app-config';
import { getAudit } from '@portal/contract/audit';
import { getSession } from '@portal/contract/session';
import { setEnabled } from '@portal/contract/sync/integration';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import type { TestClient } from '../testing/test-client.ts';
import { startTestServer } from '../testing/test-server.ts';

let world: SmallWorld;
let admin: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({
    roles: [
      { role: 'admin', users: ['demo'] },
      { role: 'maintainer', users: ['farm.dev'] },
      { role: 'viewer', users: ['viewer'] },
    ],
  });
  admin = await world.server.signIn('demo', 'demo');
});
afterAll(() => world.stop());

const readEntries = async (username: string, action: string) =>
  (await admin.call(getAudit, { username, action })).entries;

describe('equal attempts', () => {
  it('are one entry with their number and the time of the last one', async () => {
    const viewer = await world.server.signIn('viewer', 'viewer');
    const appId = world.helium.app('Clinic Visits').id;
    for (let index = 0; index < 3; index++)
      expect((await viewer.attempt(addEntryPoint, { appId, entryPoint: 'a:b', duration: 5 })).status).toBe(403);
    const [entry, ...others] = await readEntries('viewer', 'config.change');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ attempts: 3, outcome: 'refused', resource: appId });
    expect(Date.parse(entry?.lastAt ?? '')).toBeGreaterThanOrEqual(Date.parse(entry?.at ?? ''));
  });

  it('at the same time, on two nodes, are one entry', async () => {
    const { databaseUrl } = world.server;
    const other = await startTestServer({
      environments: world.server.dependencies.config.environments.map(({ name, baseUrl }) => ({ name, baseUrl })),
      databaseUrl,
    });
    onTestFinished(() => other.stop());
    const actor = {
      username: 'mallory',
      environment: { name: 'Production' },
      origin: { address: '203.0.113.7', userAgent: null, requestId: 'r' },
      sessionId: null,
    };
    const record = {
      action: 'session.sign-in',
      description: 'Sign-in failed',
      outcome: 'refused',
      reason: 'No',
    } as const;
    const nodes = [world.server, other];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => nodes[index % 2]?.dependencies.audit.write(actor, record)),
    );
    expect(await readEntries('mallory', 'session.sign-in')).toMatchObject([{ attempts: 40 }]);
  });

  it('start a new entry after ten minutes, or if anything differs', async () => {
    const { pool } = world.server.dependencies;
    const add = (values: Record<string, string | null>) =>
      pool.query('select add_audit_attempt($1)', [
        {
          at: '2026-01-01T12:00:00Z',
          username: 'eve',
          environment: 'Production',
          action: 'config.change',
          resource_kind: 'app',
          resource: 'a',
          description: 'd',
          outcome: 'refused',
          reason: 'r',
          address: '203.0.113.7',
          ...values,
        },
      ]);
    await add({});
    await add({ at: '2026-01-01T12:09:59Z' });
    await add({ at: '2026-01-01T12:10:00Z' });
    for (const change of [
      { resource: 'b' },
      { resource_kind: 'dashboard' },
      { resource_kind: null, resource: null },
      { reason: 's' },
      { address: '::1' },
      { outcome: 'failed' },
    ])
      await add(change);
    expect((await readEntries('eve', 'config.change')).map(({ attempts }) => attempts).sort()).toEqual([
      1, 1, 1, 1, 1, 1, 1, 2,
    ]);
  });

  it('that succeeded are never counted together', async () => {
    const { pool } = world.server.dependencies;
    const done = {
      at: new Date(),
      username: 'eve',
      environment: 'Production',
      action: 'x',
      description: 'd',
      outcome: 'done',
    };
    await expect(pool.query('select add_audit_attempt($1)', [done])).rejects.toThrow('refused or failed');
  });
});

describe('the database', () => {
  it('lets only the number of attempts be raised', async () => {
    const { pool } = world.server.dependencies;
    const update = (change: string, outcome = 'refused') =>
      pool.query(`update audit_entry set ${change} where outcome = '${outcome}'`);
    const lastAt = "last_at = greatest(last_at, at) + interval '1 second'";
    await (await world.server.signIn('viewer', 'viewer')).attempt(addEntryPoint, {
      appId: 'x',
      entryPoint: 'a:b',
      duration: 5,
    });
    await update(`attempts = attempts + 1, ${lastAt}`);
    for (const change of [
      'attempts = attempts - 1',
      `attempts = attempts + 1, last_at = at - interval '1 second'`,
      `attempts = attempts + 1, ${lastAt}, reason = 'other'`,
      `attempts = attempts + 1, ${lastAt}, at = at + interval '1 second'`,
    ])
      await expect(update(change)).rejects.toThrow('only ever added to');
    await expect(update(`attempts = attempts + 1, ${lastAt}`, 'done')).rejects.toThrow('only ever added to');
  });
});

describe('attempts', () => {
  it('on apps that the platform does not list for the caller are recorded, with what was tried', async () => {
    const farmer = await world.server.signIn('farm.dev', 'farm');
    const appId = world.helium.app('Clinic Visits').id;
    expect((await farmer.attempt(addEntryPoint, { appId, entryPoint: 'a:b', duration: 5 })).status).toBe(404);
    expect(await readEntries('farm.dev', 'config.change')).toMatchObject([
      {
        resource: appId,
        outcome: 'refused',
        reason: `You have no app ${appId} in Production.`,
        description: 'Refused, because the platform does not list the app for this user',
      },
    ]);
  });

  it('to guess a password with HTTP Basic are recorded, without the password', async () => {
    const client = world.server.client();
    for (const password of ['secret-1', 'secret-2']) {
      client.headers.authorization = `Basic ${Buffer.from(`health.dev:${password}`).toString('base64')}`;
      expect((await client.attempt(getSession, undefined)).status).toBe(401);
    }
    const entries = await readEntries('health.dev', 'session.basic');
    expect(entries).toMatchObject([
      { attempts: 2, outcome: 'refused', reason: 'Either the username or password is incorrect', address: '127.0.0.1' },
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret');
  });

  it('with long values are stored with short ones', async () => {
    const client = world.server.client();
    const name = 'n'.repeat(900);
    client.headers.authorization = `Basic ${Buffer.from(`${name}:x`).toString('base64')}`;
    client.headers['user-agent'] = 'u'.repeat(2_000);
    expect((await client.attempt(getSession, undefined)).status).toBe(401);
    const { entries } = await admin.call(getAudit, { search: 'nnn', action: 'session.basic' });
    expect(entries.map(({ username, userAgent }) => [username.length, userAgent?.length])).toEqual([[200, 300]]);
  });

  it('that vary are counted together after a hundred: names from one address', async () => {
    const client = world.server.client();
    for (let index = 0; index < 130; index++) {
      client.headers.authorization = `Basic ${Buffer.from(`stranger-${index}:x`).toString('base64')}`;
      expect((await client.attempt(getSession, undefined)).status).toBe(401);
    }
    const { entries } = await admin.call(getAudit, { action: 'session.basic', search: 'more attempts' });
    const own = await admin.call(getAudit, { action: 'session.basic', search: 'stranger-' });
    expect(entries).toMatchObject([{ username: 'portal', outcome: 'refused', address: '127.0.0.1', resource: null }]);
    // Other tests of this file have used up some of the hundred.
    expect((entries[0]?.attempts ?? 0) + own.entries.length).toBe(130);
    expect(own.entries.length).toBeLessThanOrEqual(100);
  });

  it('that vary are counted together after a hundred: apps of one user', async () => {
    const farmer = await world.server.signIn('farm.dev', 'farm');
    for (let index = 0; index < 130; index++)
      await farmer.attempt(addEntryPoint, { appId: `invented-${index}`, entryPoint: 'a:b', duration: 5 });
    const { entries } = await admin.call(getAudit, { username: 'farm.dev', search: 'more attempts' });
    const own = await admin.call(getAudit, { username: 'farm.dev', search: 'invented-' });
    expect(entries).toMatchObject([{ action: 'config.change', reason: null, resource: null }]);
    expect((entries[0]?.attempts ?? 0) + own.entries.length).toBe(130);
    expect(own.entries.length).toBeLessThanOrEqual(100);
  });
});

it('ids in a call are a set', () => {
  const ids = Array.from({ length: 10_000 }, () => 'one');
  expect(setEnabled.request.parse({ appIds: ids, enabled: true }).appIds).toEqual(['one']);
});
