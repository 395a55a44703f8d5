// @module-tag long

import type { Endpoint } from '@portal/contract/endpoint';
import { getAction, needsSession } from '@portal/contract/rules';
import { getSession, makeSessionReadOnly } from '@portal/contract/session';
import { getOnCall, getRosterTeams } from '@portal/contract/support-roster';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { NamedSubjects } from '../testing/build-request.ts';
import type { TestServer, TestServerOptions } from '../testing/test-server.ts';
import { calls, findUnexpected, isReachable, roles, startWalkWorld, type WalkWorld } from './rules-walk.fixture.ts';

let walk: WalkWorld;
/** What is of the team Portal, and of another team. */
let own: NamedSubjects;
let others: NamedSubjects;

beforeAll(async () => {
  walk = await startWalkWorld();
  const { helium } = walk.world;
  own = walk.name(helium.app('Clinic Visits'), 'Portal');
  others = walk.name(helium.app('Farm Inputs'), 'Other');
});
afterAll(() => walk.stop());
afterEach(() => walk.world.helium.faults.clear());

async function serve(options: Partial<TestServerOptions>): Promise<TestServer> {
  const { helium } = walk.world;
  const server = await walk.serve({
    teams: [
      { name: 'Portal', apps: [helium.app('Clinic Visits').schemaName] },
      { name: 'Other', apps: [helium.app('Farm Inputs').schemaName] },
    ],
    ...options,
  });
  onTestFinished(() => server.stop());
  return server;
}

const inProduction = calls.filter(isReachable);
/** The named schedule is a new one, of an unknown team. */
const ofTeams = ['app', 'apps', 'schema', 'team'];
const isOfTeam = ({ about }: Endpoint) => ofTeams.some((subject) => subject in about);
/** The named grant and data source do not exist. */
const isUnknown = ({ about, may }: Endpoint) =>
  'grant' in about || ('schema' in about && !('app' in about) && may === 'schema-access.grant');
const isServed = (status: number) => ![401, 403, 500].includes(status);

describe('every call', () => {
  it('changes only what is of the team, if the role is limited to one', { tags: 'short' }, async () => {
    const server = await serve({
      roles: [
        { role: 'viewer', users: 'everyone' },
        { role: 'admin', users: ['demo'], teams: ['Portal'] },
      ],
    });
    const client = await server.signIn('demo', 'demo');
    const viewer = await server.signIn('viewer', 'viewer');
    const { refusals } = await viewer.call(getSession, undefined);
    const needsRole = ({ may }: Endpoint) => refusals[getAction(may) ?? 'apps.view'] !== undefined;
    const isOwnExpected = (endpoint: Endpoint, status: number) => {
      if (isUnknown(endpoint)) return [400, 404].includes(status);
      return needsRole(endpoint) && !isOfTeam(endpoint) ? status === 403 : isServed(status);
    };
    expect(await findUnexpected(client, own, isOwnExpected, inProduction)).toEqual([]);
    const isOtherExpected = (endpoint: Endpoint, status: number) => {
      if (isUnknown(endpoint)) return [400, 404].includes(status);
      return needsRole(endpoint) ? status === 403 : isServed(status);
    };
    expect(await findUnexpected(client, others, isOtherExpected, inProduction)).toEqual([]);
  });

  it('reads and changes nothing if it names nothing, and the role is limited to a team', async () => {
    const server = await serve({ roles: [{ role: 'admin', users: ['demo'], teams: ['Portal'] }] });
    const client = await server.signIn('demo', 'demo');
    const unnamed = inProduction
      .filter(({ about, may }) => Object.keys(about).length > 0 && getAction(may) !== null)
      .filter(({ path }) => path !== getOnCall.path && path !== getRosterTeams.path)
      .map((endpoint) => ({ ...endpoint, about: {} }));
    expect(unnamed.length).toBeGreaterThan(60);
    const isExpected = (_: Endpoint, status: number) => [400, 403, 404].includes(status);
    expect(await findUnexpected(client, {}, isExpected, unnamed)).toEqual([]);
    expect(await client.call(getOnCall, {})).toMatchObject([{ team: 'Portal' }]);
    expect(await client.call(getRosterTeams, undefined)).toEqual(['Portal']);
  });

  it('is refused if it changes what the platform no longer lets the user change', async () => {
    const server = await serve({});
    const client = await server.signIn('demo', 'demo');
    const needsRight = ({ may }: Endpoint) => {
      const action = getAction(may);
      return action !== null && !action.endsWith('.view') && action !== 'dashboards.change';
    };
    const changes = inProduction.filter(needsRight);
    const isAllowed = (_: Endpoint, status: number) => isServed(status);
    expect(await findUnexpected(client, own, isAllowed, changes)).toEqual([]);
    walk.world.helium.faults.set({ method: 'POST', mode: 'error500', status: 403 });
    const isExpected = (endpoint: Endpoint, status: number) => {
      if (!needsRight(endpoint)) return isServed(status);
      if (isUnknown(endpoint)) return [400, 404].includes(status);
      // The platform refuses these itself, unless the server finds an error before.
      const isPassedOn = endpoint.may === 'config.change' || endpoint.may === 'functions.toggle';
      return status === 403 || (isPassedOn && [400, 404].includes(status));
    };
    expect(await findUnexpected(client, own, isExpected, inProduction)).toEqual([]);
  });

  it.each([
    ['configured roles', roles],
    ['the platform', undefined],
  ])('changes and reveals nothing in a read-only session where rights come from %s', async (_, of) => {
    const server = await serve({ roles: of });
    const client = await server.signIn('demo', 'demo');
    await client.call(makeSessionReadOnly, undefined);
    const { refusals } = await client.call(getSession, undefined);
    const isExpected = (endpoint: Endpoint, status: number) => {
      const action = getAction(endpoint.may);
      const isRecorded = endpoint.recorded !== false && !endpoint.recorded.isView;
      const isRefused = isRecorded || (action !== null && !action.endsWith('.view'));
      if (isRefused) return status === 403 && (action === null || action.endsWith('.view') || action in refusals);
      return isServed(status);
    };
    expect(await findUnexpected(client, own, isExpected, inProduction)).toEqual([]);
  });

  it('is served to a service account only where that is declared', async () => {
    const syncServiceAccounts = [{ name: 'monitor', token: 'a token of a monitor', environments: ['Production'] }];
    const server = await serve({ syncServiceAccounts });
    const client = server.client();
    client.headers.authorization = `Basic ${btoa('monitor:a token of a monitor')}`;
    const isForMachines = ({ may }: Endpoint) => may === 'sync.view-or-machine';
    expect(calls.filter(isForMachines).length).toBeGreaterThan(0);
    const isExpected = (endpoint: Endpoint, status: number) => {
      if (isForMachines(endpoint)) return isReachable(endpoint) ? isServed(status) : [400, 403].includes(status);
      // Without an environment in its address, a call does not say which platform has the user.
      return [400, 401, 429].includes(status);
    };
    const withSession = calls.filter(({ may }) => needsSession(may));
    expect(await findUnexpected(client, own, isExpected, withSession)).toEqual([]);
  });
});
