import { getAudit } from '@portal/contract/audit';
import { getSession } from '@portal/contract/session';
import { endSession, endSessionsOfUser, getSessions } from '@portal/contract/sessions';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ListingPlatform, startListingPlatform } from '../../testing/listing-platform.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let platform: ListingPlatform;
let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  platform = await startListingPlatform({ ann: 'ann', bob: 'bob', ada: 'ada' });
  server = await startTestServer(options());
});
afterAll(async () => {
  await server.stop();
  await platform.stop();
});
beforeEach(async () => {
  await server.dependencies.pool.query('delete from session');
  client = await signIn('ann', 'Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0');
});

const options = () => ({
  environments: [{ name: 'Production', baseUrl: platform.baseUrl }],
});

async function signIn(user: string, userAgent = 'curl/8.14.1', at = server): Promise<TestClient> {
  const other = at.client();
  other.headers['user-agent'] = userAgent;
  return other.signIn(user, user, platform.baseUrl);
}

const isSignedIn = async (one: TestClient) => (await one.attempt(getSession, undefined)).status === 200;
const list = async (one = client) => (await one.call(getSessions, undefined)).sessions;
const findOther = async (one = client) => (await list(one)).find(({ isCurrent }) => !isCurrent)?.id ?? '';
const auditOf = async (one: TestClient) => (await one.call(getAudit, { action: 'session.end' })).entries;

describe('sessions of a user', () => {
  it('are listed with their times, address and browser, without those of other users', async () => {
    await signIn('ann');
    await signIn('bob');
    const sessions = await list();
    expect(sessions).toHaveLength(2);
    expect(sessions.find(({ isCurrent }) => isCurrent)).toEqual({
      id: expect.any(String),
      username: 'ann',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastSeenAt: expect.stringMatching(/^\d{4}-.*Z$/),
      address: '127.0.0.1',
      browser: 'Firefox on Windows',
      isReadOnly: false,
      lastAddress: '127.0.0.1',
      lastBrowser: 'Firefox on Windows',
      isCurrent: true,
    });
    expect(sessions.find(({ isCurrent }) => !isCurrent)).toMatchObject({ username: 'ann', browser: 'curl' });
  });

  it('can be ended by the user one at a time, which is audited', async () => {
    const lost = await signIn('ann');
    const id = await findOther();
    expect(await client.call(endSession, { id })).toEqual({ ended: 1 });
    expect(await isSignedIn(lost)).toBe(false);
    expect(await isSignedIn(client)).toBe(true);
    expect((await auditOf(client))[0]).toMatchObject({
      username: 'ann',
      resource: id,
      description: 'Own session ended',
    });
    const again = await client.attempt(endSession, { id });
    expect([again.status, parseProblem(again).message]).toEqual([404, 'This session has already ended.']);
  });

  it('can all be ended by the user except the current one', async () => {
    const lost = [await signIn('ann'), await signIn('ann')];
    const bob = await signIn('bob');
    expect(await client.call(endSessionsOfUser, {})).toEqual({ ended: 2 });
    for (const each of lost) expect(await isSignedIn(each)).toBe(false);
    for (const each of [client, bob]) expect(await isSignedIn(each)).toBe(true);
  });

  it('cannot be ended by another user, whether roles are configured or not', async () => {
    const id = await findOther(await signIn('ann'));
    const roles = [{ role: 'maintainer' as const, users: 'everyone' as const }];
    const strict = await startTestServer({ ...options(), roles, databaseUrl: server.databaseUrl });
    onTestFinished(() => strict.stop());
    for (const [at, reason] of [
      [server, 'You can end your own sessions only, because no roles are configured.'],
      [
        strict,
        'You need the role admin to end the sessions of other users in Production; you have the role maintainer.',
      ],
    ] as const) {
      const bob = await signIn('bob', 'curl', at);
      expect((await list(bob)).map(({ username }) => username)).not.toContain('ann');
      const all = await bob.attempt(endSessionsOfUser, { user: 'ann' });
      expect([all.status, parseProblem(all).message]).toEqual([403, reason]);
      // The response does not show whether there is such a session.
      for (const each of [id, 'unknown']) {
        const one = await bob.attempt(endSession, { id: each });
        expect([one.status, parseProblem(one).message]).toEqual([404, 'This session has already ended.']);
      }
    }
    expect(await list()).toHaveLength(2);
  });

  it('can be listed and ended by an administrator of the environment, which is audited', async () => {
    const roles = [
      { role: 'viewer' as const, users: 'everyone' as const },
      { role: 'admin' as const, users: ['ada'] },
    ];
    const strict = await startTestServer({ ...options(), roles });
    onTestFinished(() => strict.stop());
    const [ann, bob, ada] = [
      await signIn('ann', 'curl', strict),
      await signIn('bob', 'curl', strict),
      await signIn('ada', 'curl', strict),
    ];
    const sessions = await list(ada);
    expect(sessions.map(({ username }) => username).sort()).toEqual(['ada', 'ann', 'bob']);
    const id = sessions.find(({ username }) => username === 'ann')?.id ?? '';
    expect(await ada.call(endSession, { id })).toEqual({ ended: 1 });
    expect(await ada.call(endSessionsOfUser, { user: 'bob' })).toEqual({ ended: 1 });
    for (const each of [ann, bob]) expect(await isSignedIn(each)).toBe(false);
    expect((await auditOf(ada)).map(({ username, description }) => [username, description])).toEqual([
      ['ada', 'Session of bob ended'],
      ['ada', 'Session of ann ended'],
    ]);
  });

  it('can be ended while the platform is unavailable', async () => {
    const lost = await signIn('ann');
    const id = await findOther();
    platform.failure = 503;
    onTestFinished(() => {
      platform.failure = undefined;
    });
    expect(await client.call(endSession, { id })).toEqual({ ended: 1 });
    expect(await isSignedIn(lost)).toBe(false);
  });
});

describe('list of sessions', () => {
  it('is that of one environment', async () => {
    const elsewhere = await startListingPlatform({ ann: 'ann' });
    onTestFinished(() => elsewhere.stop());
    const both = await startTestServer({
      environments: [
        { name: 'Production', baseUrl: platform.baseUrl },
        { name: 'Staging', baseUrl: elsewhere.baseUrl },
      ],
      databaseUrl: server.databaseUrl,
    });
    onTestFinished(() => both.stop());
    const staging = await both.signIn('ann', 'ann', elsewhere.baseUrl);
    expect(await list(staging)).toHaveLength(1);
    const id = (await list())[0]?.id ?? '';
    expect((await staging.attempt(endSession, { id })).status).toBe(404);
  });
});
