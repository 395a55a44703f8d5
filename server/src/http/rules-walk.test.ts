import { once } from 'node:events';
import type { Endpoint } from '@portal/contract/endpoint';
import { getMetrics, readCalendarFeed } from '@portal/contract/operations';
import { getAction, needsSession } from '@portal/contract/rules';
import { getSession } from '@portal/contract/session';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { RoleGrant } from '../config.ts';
import type { NamedSubjects } from '../testing/build-request.ts';
import type { TestClient } from '../testing/test-client.ts';
import type { TestServer } from '../testing/test-server.ts';
import {
  calls,
  findUnexpected,
  isReachable,
  nameOf,
  send,
  stagingBase,
  startWalkWorld,
  type WalkWorld,
} from './rules-walk.fixture.ts';

const roles: RoleGrant[] = [
  { role: 'viewer', users: ['viewer'] },
  { role: 'operator', users: ['health.dev', 'farm.dev'] },
  { role: 'admin', users: ['demo'] },
];

let walk: WalkWorld;
let server: TestServer;
let named: NamedSubjects;

beforeAll(async () => {
  walk = await startWalkWorld();
  server = await walk.serve({ roles });
  named = walk.name(walk.world.helium.app('Clinic Visits'), 'Portal');
});
afterAll(async () => {
  await server.stop();
  await walk.stop();
});

const isStrangerExpected = (endpoint: Endpoint, status: number) => {
  if (needsSession(endpoint.may) || endpoint.path === getMetrics.path) return status === 401;
  return endpoint.path === readCalendarFeed.path ? status === 404 : status === 200;
};

describe('every call, as declared', () => {
  it('is refused to callers without a session, and with one that has ended', async () => {
    expect(await findUnexpected(server.client(), named, isStrangerExpected)).toEqual([]);
    const expired = server.client();
    Object.assign(expired.headers, { cookie: `portal=${'x'.repeat(43)}` });
    expect(await findUnexpected(expired, named, isStrangerExpected)).toEqual([]);
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
    expect(await findUnexpected(client, named, isExpected)).toEqual([]);
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
    expect(await findUnexpected(client, named, isExpected, ofApps)).toEqual([]);
  });

  it('is refused to a session of another environment where it belongs to one', async () => {
    const client = await server.signIn('demo', 'demo', walk.world.helium.baseUrl);
    const isExpected = ({ base, may }: Endpoint, status: number) => {
      if (base !== undefined && base !== stagingBase) return status === 400;
      return may.startsWith('deployments.') ? status === 403 : status !== 500;
    };
    const unexpected = await findUnexpected(
      client,
      named,
      isExpected,
      calls.filter(({ cost }) => cost.class === 'light'),
    );
    expect(unexpected).toEqual([]);
  });

  it('is recorded by its action exactly where that is declared', async () => {
    const fresh = await walk.serve({ roles });
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
      const { headers, status } = await send(client, endpoint, named);
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
    const staging = await server.signIn('demo', 'demo', walk.world.helium.baseUrl);
    const ask = (type: string) => ({ type, appId: named.app, config: {} });
    walk.service.scriptSocket((socket) => socket.send('{"value":"a line"}'));
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
