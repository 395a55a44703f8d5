import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { createCalendarFeed, revokeCalendarFeed } from '@portal/contract/deployments';
import { endpoints } from '@portal/contract/endpoints';
import { logCloseCodes, logSocket } from '@portal/contract/logs';
import { needsSession } from '@portal/contract/rules';
import { deleteSession, getSession } from '@portal/contract/session';
import { getOnCall, savePortalShift } from '@portal/contract/support-roster';
import { fastify } from 'fastify';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { Enforcer } from '../access/enforcer.ts';
import { createFinders } from '../access/subjects.ts';
import { defaultFreshness } from '../dependencies.ts';
import { defaultLogLimits } from '../features/logs/log-limits.ts';
import { logsFeature } from '../features/logs/viewers/logs.socket.ts';
import { syncSockets } from '../features/sync/sync.socket.ts';
import { defaultSyncSocketLimits } from '../features/sync/sync-socket-limits.ts';
import { registerSockets } from '../http/socket.ts';
import { type ListingPlatform, startListingPlatform } from '../testing/listing-platform.ts';
import { type ScriptedSyncService, startScriptedSyncService } from '../testing/scripted-sync-service.ts';
import { parseProblem, type TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const app = { id: randomUUID(), name: 'Clinic Visits', schemaName: 'clinic' };
const logPath = logSocket.paths[0].replace(':appId', app.id);
const encryptionKey = randomBytes(32).toString('hex');

let platform: ListingPlatform;
let service: ScriptedSyncService;
/** Two nodes over one database. */
let here: TestServer;
let there: TestServer;
let client: TestClient;

beforeAll(async () => {
  platform = await startListingPlatform({ demo: 'demo', other: 'other', script: 'script' }, [app]);
  service = await startScriptedSyncService();
  const options = {
    environments: [{ name: 'Production', baseUrl: platform.baseUrl }],
    sync: service.sync,
    // What the platform lets users change does not matter here.
    roles: [{ role: 'admin' as const, users: 'everyone' as const }],
    supportRoster: { teams: [{ name: 'Support' }] },
    encryptionKey,
    // Nothing else reports an end within the time of a test.
    freshness: { recheckMs: 600_000, sessionMs: 600_000 },
  };
  here = await startTestServer(options);
  there = await startTestServer({ ...options, databaseUrl: here.databaseUrl });
});
afterAll(async () => {
  await there.stop();
  await here.stop();
  await service.stop();
  await platform.stop();
});
beforeEach(async () => {
  client = await here.signIn('demo', 'demo');
});
afterEach(() => {
  platform.passwords.set('demo', 'demo');
  platform.apps = [app];
});

/** Returns a client of the other node with the session of `client`. */
function elsewhere(): TestClient {
  const other = there.client();
  Object.assign(other.headers, client.cookieHeaders);
  return other;
}

/** Opens a socket and sends its first frame. */
async function open(
  url: string,
  path: string,
  first: unknown,
  headers: Record<string, string> = client.cookieHeaders,
): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers });
  await once(socket, 'open');
  socket.send(JSON.stringify(first));
  await once(socket, 'message');
  return socket;
}

/** Opens a log socket and a sync log socket, and returns a promise of their close codes. */
async function openSockets(url = there.url): Promise<() => Promise<number[]>> {
  service.scriptSocket((socket) => socket.send('{"value":"hello"}'));
  const sockets = await Promise.all([
    open(url, logPath, { batch: true }),
    open(url, '/sync/ws', { type: 'LOG_SESSION', appId: app.id }),
  ]);
  const closed = sockets.map((socket) => once(socket, 'close'));
  return async () => (await Promise.all(closed)).map(([code]) => code);
}

/** Serves the sockets with short intervals. */
async function serveSockets(): Promise<string> {
  const server = fastify();
  onTestFinished(() => server.close());
  await registerSockets(server);
  await server.register(cookie);
  const { permissions, audit, appDatabases } = here.dependencies;
  const enforcer = new Enforcer({ permissions, audit, finders: createFinders(appDatabases) });
  const parts = { ...here.dependencies, enforcer, registry: new Registry() };
  logsFeature(server, parts, { ...defaultLogLimits, recheckMs: 20 });
  syncSockets(server, parts, { ...defaultSyncSocketLimits, recheckMs: 20 });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const changePassword = () => platform.passwords.set('demo', 'changed');

describe('session whose password was changed', () => {
  it('ends on every node, with its sockets and the calendar feed of its user', async () => {
    const { path } = await client.call(createCalendarFeed, undefined);
    expect((await here.client().send('GET', path)).status).toBe(200);
    const closeCodes = await openSockets();

    changePassword();
    const response = await client.attempt(getOnCall, {});
    expect(response.status).toBe(401);
    expect(parseProblem(response).message).toBe(
      'The platform no longer accepts your password, so your session has ended. Sign in again.',
    );
    expect(await closeCodes()).toEqual([4401, 4401]);
    expect((await here.client().send('GET', path)).status).toBe(404);

    platform.passwords.set('demo', 'demo');
    for (const old of [client, elsewhere()]) expect((await old.attempt(getSession, undefined)).status).toBe(401);
    const other = await here.signIn('other', 'other');
    const { entries } = await other.call(getAudit, { action: 'session.end' });
    expect(entries).toMatchObject([{ username: 'demo', outcome: 'done' }]);
    expect(entries[0]?.description).toBe('Session ended, because the platform no longer accepts the password');
  });

  it('ends with its sockets on other nodes when it is ended on one', async () => {
    const closeCodes = await openSockets();
    expect((await elsewhere().attempt(getSession, undefined)).status).toBe(200);
    const [session] = await here.dependencies.sessions.list('Production');
    await here.dependencies.sessions.endById(session?.id ?? '');
    expect(await closeCodes()).toEqual([4401, 4401]);
    expect((await elsewhere().attempt(getSession, undefined)).status).toBe(401);
  });

  it('ends with the other sessions of its user', async () => {
    const others = [await here.signIn('demo', 'demo'), await there.signIn('demo', 'demo')];
    changePassword();
    for (const each of [client, ...others]) expect((await each.attempt(getSession, undefined)).status).toBe(401);
    platform.passwords.set('demo', 'demo');
    for (const each of [client, ...others]) expect((await each.attempt(getSession, undefined)).status).toBe(401);
  });

  it('leaves the calendar feed of a user who has signed in with the new password', async () => {
    const { path } = await client.call(createCalendarFeed, undefined);
    const readFeed = async () => (await here.client().send('GET', path)).status;
    changePassword();
    const newer = await here.signIn('demo', 'changed');
    // Both nodes find out, also when the session has already ended.
    for (const old of [client, elsewhere()]) expect((await old.attempt(getSession, undefined)).status).toBe(401);
    expect(await readFeed()).toBe(200);
    platform.passwords.set('demo', 'changed again');
    expect((await newer.attempt(getSession, undefined)).status).toBe(401);
    expect(await readFeed()).toBe(404);
  });

  it('ends with its sockets if it makes no call', async () => {
    const closeCodes = await openSockets(await serveSockets());
    changePassword();
    expect(await closeCodes()).toEqual([4401, 4401]);
  });

  it.each(endpoints.filter(({ may }) => needsSession(may)).map(({ method, path }) => [method, path]))(
    'is refused with 401 at %s %s',
    async (method, path) => {
      changePassword();
      const body = method === 'GET' ? undefined : '{}';
      expect((await client.send(method, path.replace(/:\w+/g, app.id), body)).status).toBe(401);
    },
  );

  it('does not end while the platform accepts the password of another user', async () => {
    const other = await here.signIn('other', 'other');
    changePassword();
    expect((await client.attempt(getSession, undefined)).status).toBe(401);
    expect((await other.attempt(getSession, undefined)).status).toBe(200);
  });
});

describe('sockets of an app', () => {
  it('close when the platform withdraws the app', async () => {
    const closeCodes = await openSockets(await serveSockets());
    platform.apps = [];
    expect(await closeCodes()).toEqual([4404, 4404]);
    expect((await client.attempt(getSession, undefined)).status).toBe(200);
  });

  it('are checked often enough to close within a minute', () => {
    for (const { recheckMs } of [defaultLogLimits, defaultSyncSocketLimits])
      expect(defaultFreshness.appsMs + recheckMs).toBeLessThanOrEqual(60_000);
  });

  it('close when the password that opened them with HTTP Basic was changed', async () => {
    const authorization = `Basic ${btoa('script:script')}`;
    const socket = await open(await serveSockets(), logPath, { batch: true }, { authorization });
    platform.passwords.set('script', 'changed');
    const [code] = await once(socket, 'close');
    expect(code).toBe(logCloseCodes.platformRefused);
  });
});

describe('session of an unavailable platform', () => {
  it('reads with the last app list, is refused changes in words, and goes on afterwards', async () => {
    const shift = {
      team: 'Support',
      id: null,
      name: 'Ann',
      number: null,
      start: '2030-01-01T08:00:00Z',
      end: '2030-01-01T16:00:00Z',
    };
    platform.failure = 503;
    for (const read of [getSession, getOnCall, getAudit]) {
      expect((await client.attempt(read, {})).status).toBe(200);
    }
    const change = await client.attempt(savePortalShift, shift);
    expect(change.status).toBe(502);
    expect(parseProblem(change).message).toMatch(
      /^The Helium platform 127\.0\.0\.1:\d+ responded .* with status 503\.$/,
    );
    platform.failure = undefined;
    expect((await client.attempt(savePortalShift, shift)).status).toBe(200);
  });

  it('is refused changes that everyone may make who may view', async () => {
    const { path } = await client.call(createCalendarFeed, undefined);
    platform.failure = 503;
    for (const change of [createCalendarFeed, revokeCalendarFeed])
      expect((await client.attempt(change, undefined)).status).toBe(502);
    platform.failure = undefined;
    expect((await here.client().send('GET', path)).status).toBe(200);
  });

  it('can be ended by its user', async () => {
    platform.failure = 503;
    expect((await client.attempt(deleteSession, undefined)).status).toBe(200);
    platform.failure = undefined;
    expect((await client.attempt(getApps, {})).status).toBe(401);
  });
});
