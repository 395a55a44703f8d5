import { getAction } from '@portal/contract/rules';
import { getSession, makeSessionReadOnly } from '@portal/contract/session';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestClient } from '../testing/test-client.ts';
import type { TestServer, TestServerOptions } from '../testing/test-server.ts';
import { isReachable, roles, startWalkWorld, type WalkWorld } from './rules-walk.fixture.ts';
import { type Frame, type FrameOutcome, frames, sendFrame } from './rules-walk-sockets.fixture.ts';

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

/** Sends every frame and returns those whose outcome is not as expected. */
async function findUnexpected(
  client: TestClient,
  appId: string,
  isExpected: (frame: Frame, outcome: FrameOutcome) => boolean,
): Promise<string[]> {
  const unexpected: string[] = [];
  for (const frame of frames) {
    const { outcome } = await sendFrame(client, frame, appId);
    if (!isExpected(frame, outcome)) unexpected.push(`${frame.path} ${frame.type}: ${outcome}`);
  }
  return unexpected;
}

const isChange = ({ rules }: Frame) => rules.recorded !== false;

describe('every socket, as declared', () => {
  it('is refused to callers with a session that has ended', async () => {
    const expired = server.client();
    expired.headers.cookie = `portal=${'x'.repeat(43)}`;
    expect(await findUnexpected(expired, own, (_, outcome) => outcome === 4401)).toEqual([]);
  });

  it.each([
    ['health.dev', 'health'],
    ['demo', 'demo'],
  ])('lets %s do what their role permits to the apps listed for them', async (userName, password) => {
    const client = await server.signIn(userName, password);
    const { refusals } = await client.call(getSession, undefined);
    const isExpected = (frame: Frame, outcome: FrameOutcome) => {
      const action = getAction(frame.rules.may);
      if (!isReachable(frame)) return outcome === 4400;
      return outcome === (action !== null && refusals[action] !== undefined ? 4403 : 'served');
    };
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
    const isOwnExpected = (frame: Frame, outcome: FrameOutcome) => outcome === (isReachable(frame) ? 'served' : 4400);
    expect(await findUnexpected(client, own, isOwnExpected)).toEqual([]);
    const isOtherExpected = (frame: Frame, outcome: FrameOutcome) => {
      if (!isReachable(frame)) return outcome === 4400;
      return outcome === (isChange(frame) ? 4403 : 'served');
    };
    expect(await findUnexpected(client, others, isOtherExpected)).toEqual([]);
  });

  it('is refused if it changes what the platform no longer lets the user change', async () => {
    const client = await (await serve({})).signIn('demo', 'demo');
    const isAllowed = (frame: Frame, outcome: FrameOutcome) => outcome === (isReachable(frame) ? 'served' : 4400);
    expect(await findUnexpected(client, own, isAllowed)).toEqual([]);
    const { faults } = walk.world.helium;
    faults.set({ method: 'POST', mode: 'error500', status: 403 });
    onTestFinished(() => faults.clear());
    const isExpected = (frame: Frame, outcome: FrameOutcome) =>
      isReachable(frame) && isChange(frame) ? outcome === 4403 : isAllowed(frame, outcome);
    expect(await findUnexpected(client, own, isExpected)).toEqual([]);
  });

  it('changes nothing in a read-only session', async () => {
    const client = await (await serve({ roles })).signIn('demo', 'demo');
    await client.call(makeSessionReadOnly, undefined);
    const isExpected = (frame: Frame, outcome: FrameOutcome) => {
      if (!isReachable(frame)) return outcome === 4400;
      return outcome === (isChange(frame) ? 4403 : 'served');
    };
    expect(await findUnexpected(client, own, isExpected)).toEqual([]);
  });

  it('is refused to a service account', async () => {
    const syncServiceAccounts = [{ name: 'monitor', token: 'a token of a monitor', environments: ['Production'] }];
    const client = (await serve({ syncServiceAccounts })).client();
    client.headers.authorization = `Basic ${btoa('monitor:a token of a monitor')}`;
    // Without an environment in its address, a socket does not say which platform has the user.
    const isExpected = (_: Frame, outcome: FrameOutcome) => [400, 401, 429].some((status) => status === outcome);
    expect(await findUnexpected(client, own, isExpected)).toEqual([]);
  });

  it('is recorded by its action exactly where that is declared', async () => {
    const fresh = await serve({ roles });
    const client = await fresh.signIn('demo', 'demo');
    const recorded: unknown[] = [];
    for (const frame of frames.filter(isReachable)) {
      await sendFrame(client, frame, own);
      if (frame.rules.recorded) recorded.push(frame.rules.recorded.action);
    }
    // The sockets of the test have no user agent, unlike its calls.
    const text = 'select action from audit_entry where action <> all ($1) order by id';
    const { rows } = await fresh.dependencies.pool.query<{ action: string }>(text, [
      ['session.sign-in', 'session.move'],
    ]);
    expect(recorded).toHaveLength(4);
    expect(rows.map(({ action }) => action)).toEqual(recorded);
  });
});
