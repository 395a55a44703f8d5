import { addEntryPoint, getConfig, lockApp, setMaxDbResults } from '@portal/contract/app-config';
import { countAudit, getAudit, getRecentChanges } from '@portal/contract/audit';
import { resetStats } from '@portal/contract/db-spy';
import { getScheduledEvents, toggleScheduledEvent } from '@portal/contract/scheduled-functions';
import { generateSql, getAccessHistory, getAppSchemas, migrateApp, planAccess } from '@portal/contract/schema-access';
import { getRefusals, getSession } from '@portal/contract/session';
import { endSession } from '@portal/contract/sessions';
import { getOnCall, getPortalShifts, savePortalShift } from '@portal/contract/support-roster';
import { withBase } from '@portal/contract/sync/base';
import { saveSyncDashboard } from '@portal/contract/sync/dashboards';
import { listIntegrations, revealPassword, setEnabled } from '@portal/contract/sync/integration';
import { defaultDialect } from '@portal/platforms/helium/dialect/dialect.config';
import { startTranslator } from '@portal/platforms/helium/translator.fixture';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedSyncService, startScriptedSyncService } from '../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../testing/small-world.ts';
import { parseProblem, type TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServerOptions } from '../testing/test-server.ts';

const supportRoster = { teams: [{ name: 'Health' }, { name: 'Farming' }, { name: 'Unlisted' }] };
const teams = [
  { name: 'Health', apps: ['clinic_visits_001', 'stock_room_001'] },
  { name: 'Farming', apps: ['farm_inputs_001'] },
];
let service: ScriptedSyncService;
let world: SmallWorld;
let clinic: string;
let farm: string;
let demo: TestClient;
/** The platform lists every app for the viewer and lets them change none. */
let viewer: TestClient;
let farmer: TestClient;

beforeAll(async () => {
  service = await startScriptedSyncService();
  world = await startSmallWorld({ sync: service.sync, supportRoster, teams });
  [clinic, farm] = [world.helium.app('Clinic Visits').id, world.helium.app('Farm Inputs').id];
  demo = await world.server.signIn('demo', 'demo');
  viewer = await world.server.signIn('viewer', 'viewer');
  farmer = await world.server.signIn('farm.dev', 'farm');
  service.script('POST /api/reveal-password', () => ({ password: 'journey' }));
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});
beforeEach(() => world.network.reset());

const notAllowed = (what: string, app = 'Clinic Visits') =>
  `You cannot ${what}, because Helium does not let you change the app ${app}.`;
const shift = { id: null, name: 'Thabo', number: null, start: '2026-02-02T08:00:00Z', end: '2026-02-09T08:00:00Z' };
const saveShift = (client: TestClient, team: string) => client.attempt(savePortalShift, { ...shift, team });
const reveal = (client: TestClient) => client.attempt(withBase('/sync/api/', revealPassword), { appId: clinic });

async function serve(options: Partial<TestServerOptions>, environment: object = {}): Promise<TestClient> {
  const { databaseUrl } = world.server;
  const production = { name: 'Production', baseUrl: world.baseUrl, ...environment };
  const server = await startTestServer({
    environments: [production],
    databaseUrl,
    supportRoster,
    sync: service.sync,
    ...options,
  });
  onTestFinished(() => server.stop());
  return server.signIn('demo', 'demo');
}

describe('without roles, a user whom the platform lets only read', () => {
  it('cannot reveal a Journey password, and the refusal is audited once', async () => {
    const response = await reveal(viewer);
    const reason = notAllowed('reveal sync passwords');
    expect([response.status, parseProblem(response).message]).toEqual([403, reason]);
    expect(service.calls).toEqual([]);
    const { entries } = await viewer.call(getAudit, { username: 'viewer', action: 'sync.reveal' });
    expect(entries).toMatchObject([{ outcome: 'refused', resource: clinic, reason }]);
    expect((await reveal(demo)).status).toBe(200);
  });

  it('cannot change sync integrations', async () => {
    const response = await viewer.attempt(withBase('/sync/api/', setEnabled), {
      appIds: [clinic, farm],
      enabled: false,
    });
    expect([response.status, parseProblem(response).message]).toEqual([403, notAllowed('change sync integrations')]);
  });

  it('cannot plan or run a grant, but can generate its SQL', async () => {
    const [teamUser = ''] = world.helium.teams.map(({ name }) => name);
    for (const endpoint of [planAccess, migrateApp]) {
      const response = await viewer.attempt(endpoint, { teamUser, appId: clinic });
      expect([response.status, parseProblem(response).message]).toEqual([403, notAllowed('grant schema access')]);
    }
    expect((await viewer.attempt(generateSql, { teamUser, schemaName: 'clinic_visits_001' })).status).toBe(200);
    const { entries } = await viewer.call(getAudit, { username: 'viewer', resource: clinic, outcome: 'refused' });
    expect(entries.filter(({ action }) => action === 'schema-access.grant')).toMatchObject([{ attempts: 2 }]);
  });

  it('is refused changes of apps and functions by the platform itself', async () => {
    const change = await viewer.attempt(setMaxDbResults, { appId: clinic, maxDatabaseResults: 500 });
    const toggle = { appId: clinic, scheduledEvent: 'Nightly:closeOldVisits', state: 'Disabled' } as const;
    const message = 'viewer is not allowed to change anything';
    for (const response of [change, await viewer.attempt(toggleScheduledEvent, toggle)])
      expect([response.status, parseProblem(response).message]).toEqual([403, message]);
  });

  it('cannot change the roster of a team', async () => {
    const response = await saveShift(viewer, 'Health');
    expect([response.status, parseProblem(response).message]).toEqual([
      403,
      'You cannot change the support roster of the team Health, because Helium does not let you change any of its apps.',
    ]);
    expect((await viewer.attempt(getPortalShifts, { team: 'Health' })).status).toBe(200);
  });

  it('sees every screen, with the reason per app', async () => {
    const { refusals } = await viewer.call(getSession, undefined);
    expect(refusals).toEqual({
      'sessions.end': 'You can end your own sessions only, because no roles are configured.',
    });
    const subjects = [{ appIds: [clinic] }, { team: 'Health' }];
    expect(await viewer.call(getRefusals, { subjects })).toEqual([
      {
        'config.change': notAllowed('change apps'),
        'functions.toggle': notAllowed('toggle scheduled functions'),
        'schema-access.grant': notAllowed('grant schema access'),
        'sync.change': notAllowed('change sync integrations'),
        'sync.reveal': notAllowed('reveal sync passwords'),
      },
      {
        'deployments.change': expect.stringContaining('any of its apps'),
        'roster.change': expect.stringContaining('any of its apps'),
        'roster.reveal': expect.stringContaining('any of its apps'),
      },
    ]);
    expect(await demo.call(getRefusals, { subjects })).toEqual([{}, {}]);
  });
});

describe('without roles, a developer', () => {
  it('changes the roster of their own team only, and reads the others', async () => {
    expect((await saveShift(farmer, 'Farming')).status).toBe(200);
    expect((await saveShift(farmer, 'Health')).status).toBe(403);
    expect(await farmer.call(getOnCall, {})).toHaveLength(3);
  });

  it('cannot change the roster of a team without configured apps', async () => {
    const response = await saveShift(demo, 'Unlisted');
    expect([response.status, parseProblem(response).message]).toEqual([
      403,
      'You cannot change the support roster of the team Unlisted, because the portal does not know its apps. ' +
        'An administrator can list them in the setting `teams`, or configure roles.',
    ]);
  });

  it('sees the audit entries of their own apps and their own only', async () => {
    await demo.call(setMaxDbResults, { appId: clinic, maxDatabaseResults: 600 });
    await demo.call(setMaxDbResults, { appId: farm, maxDatabaseResults: 600 });
    const { entries, isPartial } = await farmer.call(getAudit, {});
    expect(isPartial).toBe(true);
    expect((await farmer.call(countAudit, {})).count).toBe(entries.length);
    expect(entries.every(({ username, resource }) => username === 'farm.dev' || resource === farm)).toBe(true);
    expect(entries).toContainEqual(expect.objectContaining({ username: 'demo', resource: farm }));
    expect(entries).toContainEqual(expect.objectContaining({ username: 'farm.dev', resource: 'Farming' }));
    const recent = await farmer.call(getRecentChanges, undefined);
    expect(recent.map(({ resource }) => resource)).toEqual([farm]);
  });

  it('does not see entries of anything else that is named like one of their apps', async () => {
    await demo.call(saveSyncDashboard, { name: farm, appIds: [clinic], isNew: true });
    expect((await demo.attempt(endSession, { id: farm })).status).toBe(404);
    expect((await saveShift(demo, farm)).status).toBe(404);
    for (const resourceKind of ['dashboard', 'session', 'team'] as const) {
      const { entries } = await demo.call(getAudit, { resourceKind, resource: farm });
      expect(entries).toMatchObject([{ username: 'demo', resourceKind, resource: farm }]);
    }
    const seen = await farmer.call(getAudit, {});
    const found = await farmer.call(getAudit, { search: farm });
    for (const { username, resourceKind, resource } of [...seen.entries, ...found.entries])
      expect(username === 'farm.dev' || [resourceKind, resource].join() === `app,${farm}`).toBe(true);
    expect((await farmer.call(countAudit, {})).count).toBe(seen.entries.length);
  });

  it('cannot reset the statistics of a server that holds other apps', async () => {
    const response = await farmer.attempt(resetStats, { hostname: 'pg-1.helium.internal' });
    expect([response.status, parseProblem(response).message]).toEqual([
      403,
      'You cannot reset statistics of pg-1.helium.internal, because it also holds apps that you cannot see.',
    ]);
    const refused = await viewer.attempt(resetStats, { hostname: 'pg-1.helium.internal' });
    expect(refused.status).toBe(403);
    expect(parseProblem(refused).message).toContain('You cannot reset statistics, because Helium does not let you');
    const subjects = [{ databaseHost: 'pg-1.helium.internal' }];
    for (const [client, { text }] of [
      [farmer, response],
      [viewer, refused],
    ] as const) {
      const { message } = parseProblem({ ...response, text });
      expect(await client.call(getRefusals, { subjects })).toEqual([{ 'statistics.reset': message }]);
    }
    expect(await demo.call(getRefusals, { subjects })).toEqual([{}]);
  });
});

describe('a server with the statistics of several environments', () => {
  const shared = { heliumDataSourceName: 'helium-app-1', hostname: 'pg-1.helium.internal', dbName: 'helium' };
  const serveBoth = async (roles?: TestServerOptions['roles']) => {
    const [first] = world.helium.dataSources;
    const dataSources = [{ ...shared, url: first?.url ?? '' }];
    return serve({
      environments: [
        { name: 'Staging', baseUrl: world.baseUrl, dataSources },
        { name: 'Production', baseUrl: 'http://127.0.0.1:1', dataSources },
      ],
      ...(roles && { roles }),
    });
  };
  const reset = (client: TestClient) => client.attempt(resetStats, { hostname: shared.hostname });

  it('cannot be reset without roles, because rights in the other one are unknown', async () => {
    const response = await reset(await serveBoth());
    expect([response.status, parseProblem(response).message]).toEqual([
      403,
      'You cannot reset statistics of pg-1.helium.internal, because it also serves Production, where the portal cannot determine what you may change. Ask an administrator to configure roles.',
    ]);
  });

  it('can be reset only with a role in each environment', async () => {
    const response = await reset(
      await serveBoth([
        { role: 'admin', users: ['demo'], environments: ['Staging'] },
        { role: 'viewer', users: ['demo'], environments: ['Production'] },
      ]),
    );
    expect(response.status).toBe(403);
    expect(parseProblem(response).message).toContain('to reset statistics in Production; you have the role viewer.');
  });
});

describe('the right to change an app', () => {
  it('is asked for once a minute per session and app, with a patch that changes nothing', async () => {
    const client = await serve({ freshness: { rightsMs: 60_000 } });
    const patches: string[] = [];
    world.network.decide(({ method, sent }) => {
      if (method === 'POST') patches.push(sent);
      return 'pass';
    });
    await reveal(client);
    await reveal(client);
    expect(patches).toEqual(['{}']);
  });

  it('is never asked for where a change sends the whole configuration, and is then unknown', async () => {
    let wasAsked = false;
    world.network.decide(({ method }) => {
      wasAsked ||= method !== 'GET';
      return 'pass';
    });
    const whole = { helium: { appConfig: { write: { style: 'whole' } } } };
    const response = await reveal(await serve({}, whole));
    expect([response.status, parseProblem(response).message]).toEqual([
      403,
      'You cannot reveal sync passwords, because the portal cannot determine whether Helium lets you change the app Clinic Visits. ' +
        'An administrator can set `rights` of Production to `all`, or configure roles.',
    ]);
    expect((await reveal(await serve({}, { ...whole, rights: 'all' }))).status).toBe(200);
    expect(wasAsked).toBe(false);
  });

  it('is not asked for until the write style is confirmed, so that no page changes a platform that replaces', async () => {
    const platform = await startTranslator(world.helium.baseUrl, defaultDialect);
    onTestFinished(() => platform.stop());
    service.script('POST /api/list', () => []);
    await demo.call(addEntryPoint, { appId: clinic, entryPoint: 'Nightly:closeOldVisits', duration: 15 });
    await demo.call(lockApp, { appId: clinic, locked: true });
    onTestFinished(async () => void (await demo.call(lockApp, { appId: clinic, locked: false })));
    const dataSources = [...world.helium.dataSources];
    const client = await serve({ teams }, { baseUrl: platform.baseUrl, dataSources, helium: {} });

    const subjects = [{ appIds: [clinic] }, { appIds: [clinic, farm] }, { team: 'Health' }];
    const refusals = await client.call(getRefusals, { subjects });
    await client.call(getScheduledEvents, { appId: clinic });
    await client.call(withBase('/sync/api/', listIntegrations), {});
    await client.call(getAppSchemas, { dataSource: 'helium-app-1' });
    await client.call(getAccessHistory, {});
    expect(await client.call(getConfig, { appId: clinic })).toMatchObject({
      processEntryPointTimeouts: { 'Nightly:closeOldVisits': 15 },
      locked: true,
    });
    expect((await reveal(client)).status).toBe(403);
    expect(platform.calls.filter((call) => !call.startsWith('GET '))).toEqual([]);

    const whatToDo =
      'because the portal cannot determine whether Helium lets you change the app Clinic Visits. ' +
      'If Helium keeps the settings that a change does not send, an administrator can set ' +
      '`helium.appConfig.write.style` of Production to `merge`. Otherwise they can set `rights` to `all`, or configure roles.';
    expect(refusals[0]).toEqual({
      'schema-access.grant': `You cannot grant schema access, ${whatToDo}`,
      'sync.change': `You cannot change sync integrations, ${whatToDo}`,
      'sync.reveal': `You cannot reveal sync passwords, ${whatToDo}`,
    });
    expect(refusals[2]).toMatchObject({ 'roster.change': expect.stringContaining(whatToDo) });
  });

  it('is refused in words while the platform does not answer', async () => {
    const client = await serve({});
    world.network.decide(({ method }) => (method === 'POST' ? 'cut' : 'pass'));
    const response = await reveal(client);
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toContain('The Helium platform');
    expect(parseProblem(response).message).toContain('so nothing was changed');
  });
});

describe('role grants for teams', () => {
  it('apply to the roster and the apps of the team only', async () => {
    const client = await serve({
      teams,
      roles: [
        { role: 'viewer', users: 'everyone' },
        { role: 'maintainer', users: ['demo'], teams: ['Health'] },
      ],
    });
    expect((await saveShift(client, 'Health')).status).toBe(200);
    const refused = await saveShift(client, 'Farming');
    expect([refused.status, parseProblem(refused).message]).toEqual([
      403,
      'You need the role maintainer or admin to change the support roster in Production for Farming; you have the role viewer.',
    ]);
    const change = (appId: string) => client.attempt(setMaxDbResults, { appId, maxDatabaseResults: 700 });
    expect((await change(clinic)).status).toBe(200);
    expect((await change(farm)).status).toBe(403);
    const { refusals } = await client.call(getSession, undefined);
    expect(Object.keys(refusals)).toEqual(expect.arrayContaining(['sync.reveal', 'audit.view']));
    expect(refusals['roster.change']).toBeUndefined();
  });
});
