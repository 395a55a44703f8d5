import { randomUUID } from 'node:crypto';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { deleteSession, getSession, makeSessionReadOnly } from '@portal/contract/session';
import { switchEnvironment } from '@portal/contract/session-choices';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ListingPlatform, startListingPlatform } from '../testing/listing-platform.ts';
import type { TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const app = { id: randomUUID(), name: 'Clinic Visits', schemaName: 'clinic' };
const passwords = { demo: 'demo', other: 'other' };

let platforms: { readonly Production: ListingPlatform; readonly Staging: ListingPlatform };
let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  platforms = {
    Production: await startListingPlatform(passwords, [app]),
    Staging: await startListingPlatform(passwords, [app]),
  };
  server = await startTestServer({
    environments: Object.entries(platforms).map(([name, { baseUrl }]) => ({ name, baseUrl })),
  });
});
afterAll(async () => {
  await server.stop();
  await platforms.Production.stop();
  await platforms.Staging.stop();
});
beforeEach(async () => {
  await server.dependencies.pool.query('delete from session');
  client = await server.client().signIn('demo', 'demo', platforms.Production.baseUrl);
});

const signInToStaging = (userName: keyof typeof passwords = 'demo') =>
  client.call(getApps, {
    credentials: { userName, password: passwords[userName] },
    baseUrl: platforms.Staging.baseUrl,
    keepsSession: true,
  });
const switchTo = async (to: string) => (await client.call(switchEnvironment, { to })).switched;
const environmentNow = async () => (await client.call(getSession, undefined)).environment.name;
const isAccepted = async (headers: Record<string, string>) =>
  (await server.client().send('GET', getSession.path, undefined, headers)).status === 200;
const countSessions = async () => (await server.dependencies.pool.query('select from session')).rowCount;

describe('a switch of the environment', () => {
  it('needs a sign-in only where the browser has no session', async () => {
    expect(await switchTo('Staging')).toBe(false);
    await signInToStaging();
    expect(await client.call(getSession, undefined)).toMatchObject({
      environment: { name: 'Staging' },
      keptEnvironments: ['Production'],
    });
    expect(await switchTo('Production')).toBe(true);
    expect(await environmentNow()).toBe('Production');
    expect(await switchTo('Staging')).toBe(true);
    expect(await environmentNow()).toBe('Staging');
    const { entries } = await client.call(getAudit, { action: 'session.switch' });
    expect(entries[0]).toMatchObject({ description: 'Switched from Production to Staging', username: 'demo' });
  });

  it('replaces the token, so that no earlier one works', async () => {
    const first = { ...client.cookieHeaders };
    await signInToStaging();
    const second = { ...client.cookieHeaders };
    expect(await isAccepted(first)).toBe(false);
    await switchTo('Production');
    expect(await isAccepted(first)).toBe(false);
    expect(await isAccepted(second)).toBe(false);
    expect(await isAccepted(client.cookieHeaders)).toBe(true);
  });

  it('works while the platform of the current environment is unavailable', async () => {
    await signInToStaging();
    platforms.Staging.failure = 503;
    expect(await switchTo('Production')).toBe(true);
    platforms.Staging.failure = undefined;
  });

  it('is not possible without a session', async () => {
    expect(await server.client().call(switchEnvironment, { to: 'Production' })).toEqual({ switched: false });
  });
});

describe('a session that is kept', () => {
  it('ends with the one that the browser uses', async () => {
    await signInToStaging();
    expect(await countSessions()).toBe(2);
    await client.call(deleteSession, undefined);
    expect(await countSessions()).toBe(0);
  });

  it('ends after 30 minutes without use, as any other', async () => {
    await signInToStaging();
    await server.dependencies.pool.query(
      "update session set last_seen_at = now() - interval '31 minutes' where environment = 'Production'",
    );
    expect((await client.call(getSession, undefined)).keptEnvironments).toEqual([]);
    expect(await switchTo('Production')).toBe(false);
  });

  it('ends when the session that keeps it becomes read-only', async () => {
    await signInToStaging();
    await client.call(makeSessionReadOnly, undefined);
    expect(await countSessions()).toBe(1);
    expect(await switchTo('Production')).toBe(false);
  });

  it('is never that of another user or of a read-only screen, and an ordinary sign-in keeps none', async () => {
    await signInToStaging('other');
    expect(await countSessions()).toBe(1);
    await client.signIn('demo', 'demo', platforms.Production.baseUrl);
    await client.call(makeSessionReadOnly, undefined);
    await signInToStaging();
    expect(await countSessions()).toBe(1);
    await client.signIn('demo', 'demo', platforms.Production.baseUrl);
    expect(await countSessions()).toBe(1);
  });

  it('is replaced by a later sign-in to its environment', async () => {
    await signInToStaging();
    await client.call(getApps, {
      credentials: { userName: 'demo', password: 'demo' },
      baseUrl: platforms.Production.baseUrl,
      keepsSession: true,
    });
    expect(await countSessions()).toBe(2);
    expect((await client.call(getSession, undefined)).keptEnvironments).toEqual(['Staging']);
  });
});
