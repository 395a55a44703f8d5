import { once } from 'node:events';
import { getApps } from '@portal/contract/apps';
import type { Endpoint } from '@portal/contract/endpoint';
import { endpoints } from '@portal/contract/endpoints';
import { getMetrics, readCalendarFeed } from '@portal/contract/operations';
import { getAction, needsSession } from '@portal/contract/rules';
import { deleteSession, getSession } from '@portal/contract/session';
import { syncEndpoints } from '@portal/contract/sync';
import { type SyncBase, syncBases, withBase } from '@portal/contract/sync-base';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { buildRequest, type NamedSubjects } from '../testing/build-request.ts';
import { type ScriptedSyncService, startScriptedSyncService } from '../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import type { TestClient, TestResponse } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let service: ScriptedSyncService;
let world: SmallWorld;
let server: TestServer;
let named: NamedSubjects;

beforeAll(async () => {
  service = await startScriptedSyncService();
  world = await startSmallWorld();
  server = await serve();
  const { helium } = world;
  const clinic = helium.app('Clinic Visits');
  const [dataSource] = helium.dataSources;
  named = {
    app: clinic.id,
    apps: [clinic.id],
    dashboard: 'Walk',
    dataSource: dataSource?.heliumDataSourceName ?? '',
    databaseHost: dataSource?.hostname ?? '',
    grant: '1',
    integration: 'https://helium.example.com',
    schedule: 'null',
    schema: clinic.schemaName,
    team: 'Portal',
  };
});
afterAll(async () => {
  await server.stop();
  await world.stop();
  await service.stop();
});

/** Starts a portal for two environments with users of all roles. */
function serve(): Promise<TestServer> {
  const { helium, network } = world;
  const environment = {
    name: 'Production',
    baseUrl: network.url,
    dataSources: [...helium.dataSources],
    teamUsers: helium.teams.map(({ name }) => name),
  };
  return startTestServer({
    environments: [environment, { name: 'Staging', baseUrl: helium.baseUrl }],
    sync: service.sync,
    supportRoster: { teams: [{ name: 'Portal' }] },
    roles: [
      { role: 'viewer', users: ['viewer'] },
      { role: 'operator', users: ['health.dev', 'farm.dev'] },
      { role: 'admin', users: ['demo'] },
    ],
  });
}

const all: readonly Endpoint[] = endpoints;

/** Every call at every base, except those that start or end a session. */
const calls: readonly Endpoint[] = [
  ...all.filter(({ base, path }) => base === undefined && path !== getApps.path && path !== deleteSession.path),
  ...syncBases.flatMap((base) => syncEndpoints.map((each) => withBase(base, each))),
];

const productionBase: SyncBase = '/sync/api/';
const stagingBase: SyncBase = '/sync-stb/api/';
const isReachable = ({ base }: Endpoint) => base === undefined || base === productionBase;
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

async function send(client: TestClient, endpoint: Endpoint): Promise<TestResponse> {
  const { path, body } = buildRequest(endpoint, named);
  return client.send(endpoint.method, path, body);
}

/** Sends every call and returns those whose status is not as expected. */
async function findUnexpected(
  client: TestClient,
  isExpected: (endpoint: Endpoint, status: number) => boolean,
  which: readonly Endpoint[] = calls,
): Promise<string[]> {
  const unexpected: string[] = [];
  for (const endpoint of which) {
    const { status, text } = await send(client, endpoint);
    if (!isExpected(endpoint, status)) unexpected.push(`${nameOf(endpoint)}: ${status} ${text.slice(0, 200)}`);
  }
  return unexpected;
}

const isStrangerExpected = (endpoint: Endpoint, status: number) => {
  if (needsSession(endpoint.may) || endpoint.path === getMetrics.path) return status === 401;
  return endpoint.path === readCalendarFeed.path ? status === 404 : status === 200;
};

describe('every call, as declared', () => {
  it('is refused to callers without a session, and with one that has ended', async () => {
    expect(await findUnexpected(server.client(), isStrangerExpected)).toEqual([]);
    const expired = server.client();
    Object.assign(expired.headers, { cookie: `portal=${'x'.repeat(43)}` });
    expect(await findUnexpected(expired, isStrangerExpected)).toEqual([]);
  });

  it.each([
    ['viewer', 'viewer'],
    ['health.dev', 'health'],
    ['demo', 'demo'],
  ])('lets %s do what their role permits, and nothing else', async (userName, password) => {
    const client = await server.signIn(userName, password);
    const { refusals } = await client.call(getSession, undefined);
    const isExpected = (endpoint: Endpoint, status: number) => {
      const action = getAction(endpoint.may);
      if (!isReachable(endpoint)) return status === 400;
      if (action !== null && refusals[action] !== undefined) return status === 403;
      return ![401, 403, 500].includes(status);
    };
    expect(await findUnexpected(client, isExpected)).toEqual([]);
  });

  it('is about nothing that the platform does not list for an operator of another team', async () => {
    const client = await server.signIn('farm.dev', 'farm');
    const { refusals } = await client.call(getSession, undefined);
    const ofApps = calls.filter(
      ({ about, ...endpoint }) =>
        isReachable({ about, ...endpoint }) && ['app', 'apps', 'schema', 'grant'].some((subject) => subject in about),
    );
    expect(ofApps.length).toBeGreaterThan(40);
    const isExpected = ({ may }: Endpoint, status: number) => {
      const action = getAction(may);
      return status === (action !== null && refusals[action] !== undefined ? 403 : 404);
    };
    expect(await findUnexpected(client, isExpected, ofApps)).toEqual([]);
  });

  it('is refused to a session of another environment where it belongs to one', async () => {
    const client = await server.signIn('demo', 'demo', world.helium.baseUrl);
    const isExpected = ({ base, may }: Endpoint, status: number) => {
      if (base !== undefined && base !== stagingBase) return status === 400;
      return may.startsWith('deployments.') ? status === 403 : status !== 500;
    };
    const unexpected = await findUnexpected(
      client,
      isExpected,
      calls.filter(({ cost }) => cost.class === 'light'),
    );
    expect(unexpected).toEqual([]);
  });

  it('is recorded by its action exactly where that is declared', async () => {
    const fresh = await serve();
    onTestFinished(() => fresh.stop());
    // There must be another session to end.
    await fresh.signIn('demo', 'demo');
    const client = await fresh.signIn('demo', 'demo');
    const readActions = async (where: string, value: unknown) => {
      const text = `select action from audit_entry where ${where}`;
      const { rows } = await fresh.dependencies.pool.query<{ action: string }>(text, [value]);
      return rows.map(({ action }) => action);
    };
    const wrong: string[] = [];
    for (const endpoint of calls.filter(isReachable)) {
      const { headers, status } = await send(client, endpoint);
      const declared = endpoint.recorded ? [endpoint.recorded.action].flat() : [];
      const ofCall = await readActions('request_id = $1', headers.get('x-request-id'));
      // An equal refusal of another call may be the same entry.
      const ofAction = status < 400 ? ofCall : await readActions('action = any ($1)', declared);
      const isRight =
        ofCall.every((action) => declared.includes(action)) && ofAction.length > 0 === declared.length > 0;
      if (!isRight) wrong.push(`${nameOf(endpoint)}: ${status}, ${ofCall.join(', ')}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('every socket, as declared', () => {
  const logs = () => `/portal-backend/ws/${named.app}`;

  /**
   * Opens a socket, sends its first frame, and returns the close code, or 'open' once it is served.
   * The first reply to a change only says what failed.
   */
  async function open(
    client: TestClient,
    path: string,
    frame: object,
    { isChange = false } = {},
  ): Promise<number | 'open'> {
    const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers: client.cookieHeaders });
    socket.on('error', () => undefined);
    socket.once('open', () => socket.send(JSON.stringify(frame)));
    const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode);
    const closed = once(socket, 'close').then(([code]) => code);
    const served = once(socket, 'message').then(() => 'open' as const);
    try {
      return await Promise.race([refused, closed, ...(isChange ? [] : [served])]);
    } finally {
      socket.terminate();
    }
  }

  it('is refused without a session, by role, and for apps of others', async () => {
    const stranger = server.client();
    const viewer = await server.signIn('viewer', 'viewer');
    const other = await server.signIn('farm.dev', 'farm');
    const staging = await server.signIn('demo', 'demo', world.helium.baseUrl);
    const ask = (type: string) => ({ type, appId: named.app, config: {} });
    service.scriptSocket((socket) => socket.send('{"value":"a line"}'));
    expect(await open(stranger, logs(), {})).toBe(401);
    expect(await open(stranger, '/sync/api/ws', ask('LOG_SESSION'))).toBe(401);
    expect(await open(other, logs(), { batch: true })).toBe(4404);
    expect(await open(viewer, logs(), { batch: true })).toBe('open');
    expect(await open(other, '/sync/api/ws', ask('LOG_SESSION'))).toBe(4404);
    expect(await open(viewer, '/sync/api/ws', ask('LOG_SESSION'))).toBe('open');
    expect(await open(staging, '/sync/api/ws', ask('LOG_SESSION'))).toBe(4400);
    for (const type of ['MERGE', 'DESTROY'])
      expect(await open(viewer, '/sync/api/ws', ask(type), { isChange: true })).toBe(4403);
  });
});
