import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { getApps } from '@portal/contract/apps';
import { getAttention } from '@portal/contract/attention';
import { getAudit } from '@portal/contract/audit';
import { logCloseCodes, logSocket } from '@portal/contract/logs';
import { deleteSession, getSession, makeSessionReadOnly, reportsUseHeader, reportUse } from '@portal/contract/session';
import { endSession, getSessions } from '@portal/contract/sessions';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem, type TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServerOptions } from '../testing/test-server.ts';

const encryptionKey = randomBytes(32).toString('hex');

let world: SmallWorld;
let alice: TestClient;

beforeAll(async () => {
  world = await startSmallWorld({ encryptionKey });
});
afterAll(() => world.stop());
beforeEach(async () => {
  await query('delete from session');
  alice = await world.server.signIn('demo', 'demo');
});

async function query<Row extends object>(sql: string): Promise<Row[]> {
  return (await world.server.dependencies.pool.query<Row>(sql)).rows;
}

const isSignedIn = async (client: TestClient) => (await client.attempt(getSession, undefined)).status === 200;
const expectRecentUse = () =>
  expect.poll(() => query("select from session where last_seen_at > now() - interval '1 minute'")).toHaveLength(1);
const tokenOf = (client: TestClient) => client.cookieHeaders.cookie?.split('=')[1] ?? '';

/** Starts another node of the same portal. */
async function startNode(options: Partial<TestServerOptions> = {}) {
  const { databaseUrl, dependencies } = world.server;
  const environments = dependencies.environments.all.map(({ name, baseUrl }) => ({ name, baseUrl }));
  const node = await startTestServer({ environments, databaseUrl, encryptionKey, ...options });
  onTestFinished(() => node.stop());
  const client = node.client();
  Object.assign(client.headers, alice.cookieHeaders);
  return { node, client };
}

describe('stored session', () => {
  it('contains neither its token nor the password in plain text', async () => {
    const rows = await query<{ row: string; credentials: Buffer }>(
      'select session::text as row, credentials from session',
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(Buffer.from(tokenOf(alice)).toString('hex'));
    expect(rows[0]?.row).not.toContain(Buffer.from(tokenOf(alice), 'base64url').toString('hex'));
    expect(rows[0]?.credentials.toString('latin1')).not.toContain('"demo"');
  });

  it('deletes a session when it ends', async () => {
    await alice.call(deleteSession, undefined);
    expect(await query('select from session')).toEqual([]);
  });
});

describe('end of a session', () => {
  it('ends a session after 30 minutes without a request', async () => {
    await query("update session set last_seen_at = now() - interval '29 minutes'");
    expect(await isSignedIn(alice)).toBe(true);
    // The use is recorded after the response, and must not follow the next statement.
    await expectRecentUse();
    await query("update session set last_seen_at = now() - interval '31 minutes'");
    expect(await isSignedIn(alice)).toBe(false);
  });

  it('ends a session after 12 hours regardless of requests', async () => {
    const [row] = await query<{ hours: number }>(
      'select extract(epoch from expires_at - created_at)::float8 / 3600 as hours from session',
    );
    expect(row?.hours).toBeCloseTo(12);
    await query("update session set expires_at = now() - interval '1 second'");
    expect(await isSignedIn(alice)).toBe(false);
  });

  it('ends a session at the next sign-in, which gets a new token', async () => {
    const before = { ...alice.cookieHeaders };
    await alice.signIn('demo', 'demo', world.baseUrl);
    expect(alice.cookieHeaders).not.toEqual(before);
    const old = await world.server.client().send('GET', getSession.path, undefined, before);
    expect(old.status).toBe(401);
  });

  it('ignores unknown tokens, so that guessing reveals nothing', async () => {
    for (const token of ['', 'x', tokenOf(alice).slice(0, -1), `${tokenOf(alice)}A`, '%00', 'é']) {
      const response = await world.server
        .client()
        .send('GET', getSession.path, undefined, { cookie: `portal=${encodeURIComponent(token)}` });
      expect(response.status).toBe(401);
    }
  });
});

/** As the page: it reports use, so its other calls are not use. */
async function openPage(): Promise<TestClient> {
  await query('delete from session');
  const page = await world.server.signIn('demo', 'demo');
  page.headers[reportsUseHeader] = '1';
  return page;
}

/** Has the effect of time without use. */
const letMinutesPass = (minutes: number) =>
  query(`update session set last_seen_at = last_seen_at - interval '${minutes} minutes'`);

describe('session of a page, which reports use', () => {
  it('ends 30 minutes after the last use, whatever the page loads in the background', async () => {
    const page = await openPage();
    await letMinutesPass(29);
    // As a home page does that no one touches.
    expect((await page.attempt(getAttention, undefined)).status).toBe(200);
    expect(await isSignedIn(page)).toBe(true);
    await world.server.dependencies.sessions.checkWatched();
    await letMinutesPass(2);
    expect(await isSignedIn(page)).toBe(false);
    expect(await page.call(reportUse, { secondsAgo: 0 })).toEqual({ secondsLeft: 0, canExtend: false });
    expect(await isSignedIn(page)).toBe(false);
  });

  it('is extended from the moment of the reported use, which never shortens it', async () => {
    const page = await openPage();
    const left = async (secondsAgo?: number) => (await page.call(reportUse, { secondsAgo })).secondsLeft / 60;
    expect(await left()).toBeCloseTo(30, 0);
    await letMinutesPass(20);
    expect(await left()).toBeCloseTo(10, 0);
    expect(await left(5 * 60)).toBeCloseTo(25, 0);
    expect(await left(15 * 60)).toBeCloseTo(25, 0);
    expect(await left(0)).toBeCloseTo(30, 0);
    const { lifetime } = await page.call(getSession, undefined);
    expect(lifetime).toEqual({ secondsLeft: expect.closeTo(1800, -2), canExtend: true });
  });

  it('cannot be extended beyond 12 hours', async () => {
    const page = await openPage();
    await query("update session set expires_at = now() + interval '10 minutes'");
    expect(await page.call(reportUse, { secondsAgo: 0 })).toEqual({
      secondsLeft: expect.closeTo(600, -2),
      canExtend: false,
    });
  });

  it('can report use while the platform is unavailable', async () => {
    const page = await openPage();
    await letMinutesPass(20);
    world.network.decide(() => 'cut');
    onTestFinished(() => world.network.reset());
    expect((await page.call(reportUse, { secondsAgo: 0 })).canExtend).toBe(true);
    await expectRecentUse();
  });
});

describe('socket', () => {
  it('does not extend its session, and is closed with the private code when the session ends', async () => {
    await letMinutesPass(29);
    const app = world.helium.app('Clinic Visits');
    const path = logSocket.paths[0].replace(':appId', app.id);
    const socket = new WebSocket(alice.url.replace('http', 'ws') + path, { headers: alice.cookieHeaders });
    onTestFinished(() => socket.terminate());
    const closed = once(socket, 'close');
    await once(socket, 'open');
    socket.send(JSON.stringify({ batch: true }));
    await once(socket, 'message');
    const { sessions } = world.server.dependencies;
    await sessions.checkWatched();
    await letMinutesPass(2);
    await sessions.checkWatched();
    expect((await closed)[0]).toBe(logCloseCodes.notSignedIn);
  });
});

describe('read-only session', () => {
  const makeReadOnly = () => alice.call(makeSessionReadOnly, undefined);

  it('stays signed in without use, but not after 12 hours', async () => {
    const { expiresAt } = await makeReadOnly();
    await letMinutesPass(11 * 60);
    await world.server.dependencies.sessions.removeExpired();
    expect(await alice.call(getSession, undefined)).toMatchObject({
      isReadOnly: true,
      expiresAt,
      lifetime: { secondsLeft: expect.closeTo(12 * 3600, -2), canExtend: false },
    });
    await query("update session set expires_at = now() - interval '1 second'");
    expect(await isSignedIn(alice)).toBe(false);
  });

  it('is audited and listed as such, and cannot become writable again', async () => {
    await makeReadOnly();
    const { entries } = await alice.call(getAudit, { action: 'session.read-only' });
    expect(entries[0]).toMatchObject({ username: 'demo', outcome: 'done' });
    const { sessions } = await alice.call(getSessions, undefined);
    expect(sessions).toMatchObject([{ isReadOnly: true, isCurrent: true }]);
    expect((await alice.attempt(makeSessionReadOnly, undefined)).status).toBe(403);
    await alice.signIn('demo', 'demo', world.baseUrl);
    expect(await alice.call(getSession, undefined)).toMatchObject({ isReadOnly: false });
  });

  it('is refused a change that every user may make, which is audited, and can be left', async () => {
    await world.server.signIn('demo', 'demo');
    await makeReadOnly();
    const { sessions } = await alice.call(getSessions, undefined);
    const id = sessions.find(({ isCurrent }) => !isCurrent)?.id ?? '';
    const response = await alice.attempt(endSession, { id });
    expect([response.status, parseProblem(response).message]).toEqual([
      403,
      'Your session is read-only, because it stays signed in without use. Sign in again to do this.',
    ]);
    const { entries } = await alice.call(getAudit, { action: 'session.end' });
    expect(entries[0]).toMatchObject({ outcome: 'refused', description: 'Refused to a read-only session' });
    expect(await alice.call(deleteSession, undefined)).toEqual({ signedOut: true });
  });
});

describe('session activity', () => {
  it('records the use of a session at most once a minute', async () => {
    const seen = () => query<{ seen: string }>('select last_seen_at::text as seen from session');
    const before = await seen();
    for (let call = 0; call < 5; call++) await isSignedIn(alice);
    expect(await seen()).toEqual(before);
    await query("update session set last_seen_at = now() - interval '2 minutes'");
    const { client } = await startNode();
    expect(await isSignedIn(client)).toBe(true);
    await expectRecentUse();
  });
});

describe('portal nodes', () => {
  it('share sessions and notice when one ends on another node', async () => {
    const { client } = await startNode();
    expect(await isSignedIn(client)).toBe(true);
    await alice.call(deleteSession, undefined);
    expect(await isSignedIn(client)).toBe(false);
  });

  it('nodes with another encryption key treat a session like one that has ended', async () => {
    const { node, client } = await startNode({ encryptionKey: randomBytes(32).toString('hex') });
    expect(await isSignedIn(client)).toBe(false);
    expect(node.logged()).toContain('encrypted with another key');
  });

  it('nodes whose environment was removed treat its sessions as ended', async () => {
    const { client } = await startNode({ environments: [{ name: 'Other', baseUrl: 'http://127.0.0.1:1' }] });
    expect(await isSignedIn(client)).toBe(false);
  });
});

describe('moves of a session', () => {
  const listMoves = async () => {
    const { sessions } = await alice.call(getSessions, undefined);
    const filter = { action: 'session.move', resourceKind: 'session', resource: sessions[0]?.id } as const;
    return (await alice.call(getAudit, filter)).entries;
  };
  const useWith = async (userAgent: string, at = world.server) => {
    const client = at.client();
    Object.assign(client.headers, alice.cookieHeaders, { 'user-agent': userAgent });
    expect(await isSignedIn(client)).toBe(true);
    return client;
  };

  it('moves between two browsers are one entry, however often they repeat, on whichever node', async () => {
    const { node } = await startNode();
    for (const at of [world.server, node, world.server, node]) await useWith('curl/8', at);
    await Promise.all([world.server, node, node].map((at) => useWith('curl/9', at)));
    expect((await listMoves()).map(({ userAgent }) => userAgent)).toEqual(['curl/9', 'curl/8']);
  });

  it('are 20 entries at most, of which the last one says so, and the last browser is still listed', async () => {
    for (let index = 1; index <= 25; index += 1) await useWith(`curl/${index}`);
    const firefox = await useWith('Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0');
    const { sessions } = await firefox.call(getSessions, undefined);
    expect(sessions).toMatchObject([{ lastBrowser: 'Firefox on Windows', lastAddress: '127.0.0.1' }]);
    const found = await listMoves();
    expect(found).toHaveLength(20);
    expect(found.map(({ description }) => description).slice(0, 2)).toEqual([
      'Session used from another browser. Further changes of this session are not recorded.',
      'Session used from another browser',
    ]);
  });

  it('do not keep the user from working when they cannot be recorded', async () => {
    await query('alter table session_origin rename to gone');
    onTestFinished(() => query('alter table gone rename to session_origin').then(() => undefined));
    await useWith('curl/8');
    expect(world.server.logged()).toContain('could not save where a session is used');
  });
});

describe('cached session', () => {
  it('ends at once on the node where it is ended', async () => {
    const { client } = await startNode({ freshness: { sessionMs: 60_000, appsMs: 60_000 } });
    expect(await isSignedIn(client)).toBe(true);
    await client.call(deleteSession, undefined);
    expect(await isSignedIn(client)).toBe(false);
  });
});

describe('app list of a session', () => {
  it('caches a session for a while, loads it once for concurrent callers, and reloads it on request', async () => {
    const { client } = await startNode({ freshness: { sessionMs: 60_000, appsMs: 60_000 } });
    let asked = 0;
    world.network.decide(() => {
      asked++;
      return 'pass';
    });
    onTestFinished(() => world.network.reset());
    await Promise.all(Array.from({ length: 10 }, () => client.call(getApps, {})));
    expect(asked).toBe(1);
    await client.send('POST', getApps.path, '{}', { 'cache-control': 'no-cache' });
    expect(asked).toBe(2);
  });
});

describe('session over HTTPS', () => {
  it('the cookie is limited to the host and never sent in plain text', async () => {
    const { node } = await startNode({ publicUrl: 'https://portal.example.com' });
    const credentials = { userName: 'demo', password: 'demo' };
    const response = await node.client().attempt(getApps, { credentials, baseUrl: world.baseUrl });
    const [session, device] = response.headers.getSetCookie();
    expect(session).toMatch(/^__Host-portal=[^ ]*; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(device).toMatch(/^__Host-portal-device=[^ ]*; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000');
    const fromHere = await node.client().send('POST', getApps.path, '{}', { origin: 'https://portal.example.com' });
    expect(fromHere.status).toBe(401);
    const fromAddress = await node.client().send('POST', getApps.path, '{}', { origin: node.url });
    expect(fromAddress.status).toBe(403);
  });
});

describe('address of a caller', () => {
  it('is the subject of one warning at start if the portal is behind a proxy that it does not trust', async () => {
    const countWarnings = async (options: Partial<TestServerOptions>) => {
      const { node } = await startNode(options);
      return node.logged().split('Set trustedProxies to the address of the proxy.').length - 1;
    };
    const publicUrl = 'https://portal.example.com';
    expect(await countWarnings({ publicUrl })).toBe(1);
    expect(await countWarnings({ publicUrl, trustedProxies: ['127.0.0.1'] })).toBe(0);
    expect(await countWarnings({ publicUrl: 'http://portal.example.com' })).toBe(0);
    expect(await countWarnings({})).toBe(0);
  });

  const signInFrom = async (options: Partial<TestServerOptions>) => {
    const { node } = await startNode(options);
    const client = node.client();
    client.headers['x-forwarded-for'] = '203.0.113.9';
    await client.signIn('demo', 'demo', world.baseUrl);
    const { entries } = await client.call(getAudit, { action: 'session.sign-in' });
    return entries[0]?.address;
  };

  it('is listed beside the first one of a session that is used elsewhere, and audited', async () => {
    const { node, client } = await startNode({ trustedProxies: ['127.0.0.1'] });
    const moved = node.client();
    Object.assign(moved.headers, alice.cookieHeaders, { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'curl/8' });
    for (const each of [client, moved, client, moved]) expect(await isSignedIn(each)).toBe(true);
    const [session] = (await moved.call(getSessions, undefined)).sessions;
    expect(session).toMatchObject({
      address: '127.0.0.1',
      lastAddress: '203.0.113.9',
      browser: 'node',
      lastBrowser: 'curl',
    });
    const { entries } = await alice.call(getAudit, { resourceKind: 'session', resource: session?.id });
    expect(entries).toMatchObject([
      {
        action: 'session.move',
        description: 'Session used from another address and browser',
        username: 'demo',
        before: { address: '127.0.0.1', userAgent: 'node' },
        after: { address: '203.0.113.9', userAgent: 'curl/8' },
        address: '203.0.113.9',
        userAgent: 'curl/8',
        outcome: 'done',
      },
    ]);
  });

  it('comes from a trusted proxy, never from the caller', async () => {
    expect(await signInFrom({ trustedProxies: ['127.0.0.1'] })).toBe('203.0.113.9');
    expect(await signInFrom({})).toBe('127.0.0.1');
  });
});
