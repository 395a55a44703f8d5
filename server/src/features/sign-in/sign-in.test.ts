import { getApps } from '@portal/contract/apps';
import { getEnvironments } from '@portal/contract/environments';
import { deleteSession, getSession } from '@portal/contract/session';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem } from '../../testing/test-client.ts';

let world: SmallWorld;

beforeAll(async () => {
  world = await startSmallWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.helium.faults.clear());

describe('environments', () => {
  it('lists the environments without a session, and without database addresses and passwords', async () => {
    const response = await world.server.client().attempt(getEnvironments, undefined);
    expect(response.status).toBe(200);
    expect(JSON.parse(response.text)[0]).toMatchObject({ name: 'Production', baseUrl: world.baseUrl });
    expect(response.text).not.toContain('postgres');
  });
});

describe('sign-in', () => {
  it('returns the apps and opens a session', async () => {
    const client = world.server.client();
    const credentials = { userName: 'health.dev', password: 'health' };
    const response = await client.attempt(getApps, { credentials, baseUrl: `${world.baseUrl}/` });
    expect(JSON.parse(response.text)).toEqual([expect.objectContaining({ name: 'Clinic Visits' })]);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^portal=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await client.call(getSession, undefined)).toMatchObject({ username: 'health.dev', refusals: {} });
    expect(await client.call(getApps, {})).toHaveLength(1);
  });

  it('refuses wrong credentials with the specified message, also for unknown users', async () => {
    for (const userName of ['demo', 'unknown']) {
      const credentials = { userName, password: 'wrong' };
      const response = await world.server.client().attempt(getApps, { credentials, baseUrl: world.baseUrl });
      expect(response.status).toBe(401);
      expect(parseProblem(response).message).toBe('Either the username or password is incorrect');
    }
  });

  it('a session ends for good on sign-out', async () => {
    const client = await world.server.signIn('demo', 'demo');
    const { cookie = '' } = client.cookieHeaders;
    expect(await client.call(deleteSession, undefined)).toEqual({ signedOut: true });
    const again = await world.server.client().send('GET', getSession.path, undefined, { cookie });
    expect(again.status).toBe(401);
  });

  it('sign-out deletes the copies of pages, keeps drafts and known browsers, and works without a session', async () => {
    const client = await world.server.signIn('demo', 'demo');
    for (const _ of ['with a session', 'without']) {
      const { status, headers } = await client.attempt(deleteSession, undefined);
      expect([status, headers.get('clear-site-data')]).toEqual([200, '"cache"']);
      expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^portal=; Max-Age=0; /)]);
    }
  });
});
