import { once } from 'node:events';
import { logSocket } from '@portal/contract/logs';
import { getAction, type Rules } from '@portal/contract/rules';
import { getSession } from '@portal/contract/session';
import { getSyncSocketPaths, type SyncBase, syncBases } from '@portal/contract/sync-base';
import { syncSocket } from '@portal/contract/sync-socket';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { TestClient } from '../testing/test-client.ts';
import type { TestServer, TestServerOptions } from '../testing/test-server.ts';
import { isReachable, roles, stagingBase, startWalkWorld, type WalkWorld } from './rules-walk.fixture.ts';

/** What a client can send first on a socket. */
interface Frame {
  readonly path: string;
  /** The base of the sync service, if it is at one. */
  readonly base?: SyncBase;
  readonly type: string;
  readonly rules: Rules;
}

/** The close code, the status of a refused upgrade, or 'served'. */
type Outcome = number | 'served';

const list = (path: string, rules: Readonly<Record<string, Rules>>, at: Pick<Frame, 'base'> = {}): Frame[] =>
  Object.entries(rules).map(([type, each]) => ({ path, type, rules: each, ...at }));

/** Every frame at every path. */
const frames: readonly Frame[] = [
  ...logSocket.paths.flatMap((path) => list(path, logSocket.rules)),
  ...syncBases.flatMap((base) => getSyncSocketPaths(base).flatMap((path) => list(path, syncSocket.rules, { base }))),
];

let walk: WalkWorld;
/** With roles. */
let server: TestServer;
let own: string;
let others: string;

beforeAll(async () => {
  walk = await startWalkWorld();
  server = await walk.serve({ roles });
  own = walk.world.helium.app('Clinic Visits').id;
  others = walk.world.helium.app('Farm Inputs').id;
  walk.service.scriptSocket((socket) => socket.send('{"value":"a line"}'));
});
afterAll(async () => {
  await server.stop();
  await walk.stop();
});

async function serve(options: Partial<TestServerOptions>): Promise<TestServer> {
  const started = await walk.serve(options);
  onTestFinished(() => started.stop());
  return started;
}

async function send({ url, cookieHeaders, headers }: TestClient, { path, type }: Frame, appId: string) {
  const socket = new WebSocket(url.replace('http', 'ws') + path.replace(':appId', appId), {
    headers: { ...cookieHeaders, ...headers },
  });
  socket.on('error', () => undefined);
  socket.once('open', () => socket.send(JSON.stringify({ type, appId, config: {}, batch: true })));
  // The first reply to a refused change only says what failed.
  const served = new Promise<'served'>((resolve) => {
    socket.on('message', (data) => JSON.parse(data.toString()).failed || resolve('served'));
  });
  const refused = once(socket, 'unexpected-response').then(([, { statusCode }]): number => statusCode);
  const closed = once(socket, 'close').then(([code]): number => code);
  try {
    return await Promise.race<Outcome>([served, refused, closed]);
  } finally {
    socket.terminate();
  }
}

/** Sends every frame and returns those whose outcome is not as expected. */
async function findUnexpected(
  client: TestClient,
  appId: string,
  isExpected: (frame: Frame, outcome: Outcome) => boolean,
): Promise<string[]> {
  const unexpected: string[] = [];
  for (const frame of frames) {
    const outcome = await send(client, frame, appId);
    if (!isExpected(frame, outcome)) unexpected.push(`${frame.path} ${frame.type}: ${outcome}`);
  }
  return unexpected;
}

const isChange = ({ rules }: Frame) => rules.recorded !== false;

describe('every socket, as declared', () => {
  it('is refused to callers without a session, and with one that has ended', async () => {
    expect(await findUnexpected(server.client(), own, (_, outcome) => outcome === 401)).toEqual([]);
    const expired = server.client();
    expired.headers.cookie = `portal=${'x'.repeat(43)}`;
    expect(await findUnexpected(expired, own, (_, outcome) => outcome === 4401)).toEqual([]);
  });

  it.each([
    ['viewer', 'viewer', 'served'],
    ['health.dev', 'health', 'served'],
    ['demo', 'demo', 'served'],
    // An operator of another team.
    ['farm.dev', 'farm', 4404],
  ] as const)('lets %s do what their role permits to the apps listed for them', async (userName, password, allowed) => {
    const client = await server.signIn(userName, password);
    const { refusals } = await client.call(getSession, undefined);
    const isExpected = (frame: Frame, outcome: Outcome) => {
      const action = getAction(frame.rules.may);
      if (!isReachable(frame)) return outcome === 4400;
      return outcome === (action !== null && refusals[action] !== undefined ? 4403 : allowed);
    };
    expect(await findUnexpected(client, own, isExpected)).toEqual([]);
  });

  it('is refused to a session of another environment where it belongs to one', async () => {
    const client = await server.signIn('demo', 'demo', walk.world.helium.baseUrl);
    const isExpected = ({ base = stagingBase }: Frame, outcome: Outcome) =>
      outcome === (base === stagingBase ? 'served' : 4400);
    expect(await findUnexpected(client, own, isExpected)).toEqual([]);
  });

  it('changes only what is of the team, if the role is limited to one', async () => {
    const ofTeam = await serve({
      teams: [{ name: 'Portal', apps: [walk.world.helium.app('Clinic Visits').schemaName] }],
      roles: [
        { role: 'viewer', users: 'everyone' },
        { role: 'admin', users: ['demo'], teams: ['Portal'] },
      ],
    });
    const client = await ofTeam.signIn('demo', 'demo');
    const isOwnExpected = (frame: Frame, outcome: Outcome) => outcome === (isReachable(frame) ? 'served' : 4400);
    expect(await findUnexpected(client, own, isOwnExpected)).toEqual([]);
    const isOtherExpected = (frame: Frame, outcome: Outcome) => {
      if (!isReachable(frame)) return outcome === 4400;
      return outcome === (isChange(frame) ? 4403 : 'served');
    };
    expect(await findUnexpected(client, others, isOtherExpected)).toEqual([]);
  });

  it('is refused if it changes what the platform no longer lets the user change', async () => {
    const client = await (await serve({})).signIn('demo', 'demo');
    const isAllowed = (frame: Frame, outcome: Outcome) => outcome === (isReachable(frame) ? 'served' : 4400);
    expect(await findUnexpected(client, own, isAllowed)).toEqual([]);
    const { faults } = walk.world.helium;
    faults.set({ method: 'POST', mode: 'error500', status: 403 });
    onTestFinished(() => faults.clear());
    const isExpected = (frame: Frame, outcome: Outcome) =>
      isReachable(frame) && isChange(frame) ? outcome === 4403 : isAllowed(frame, outcome);
    expect(await findUnexpected(client, own, isExpected)).toEqual([]);
  });

  it('is refused to a service account', async () => {
    const syncServiceAccounts = [{ name: 'monitor', token: 'a token of a monitor', environments: ['Production'] }];
    const client = (await serve({ syncServiceAccounts })).client();
    client.headers.authorization = `Basic ${btoa('monitor:a token of a monitor')}`;
    // Without an environment in its address, a socket does not say which platform has the user.
    const isExpected = (_: Frame, outcome: Outcome) => [400, 401, 429].some((status) => status === outcome);
    expect(await findUnexpected(client, own, isExpected)).toEqual([]);
  });

  it('is recorded by its action exactly where that is declared', async () => {
    const fresh = await serve({ roles });
    const client = await fresh.signIn('demo', 'demo');
    const recorded: unknown[] = [];
    for (const frame of frames.filter(isReachable)) {
      await send(client, frame, own);
      if (frame.rules.recorded) recorded.push(frame.rules.recorded.action);
    }
    const text = 'select action from audit_entry where action <> $1 order by id';
    const { rows } = await fresh.dependencies.pool.query<{ action: string }>(text, ['session.sign-in']);
    expect(recorded).toHaveLength(4);
    expect(rows.map(({ action }) => action)).toEqual(recorded);
  });
});
