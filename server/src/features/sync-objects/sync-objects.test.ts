import { getAudit } from '@portal/contract/audit';
import type { RequestOf } from '@portal/contract/endpoint';
import type { SyncIntegration } from '@portal/contract/sync/integration';
import { failedSideHeader, getSyncObjects, type SyncObject } from '@portal/contract/sync/objects';
import { syncTexts } from '@portal/contract/sync/texts';
import { withClient } from '@portal/kit/postgres/pool';
import { lockingViewDdl, wasViewRunSql } from '@portal/platforms/helium-database/locking-view.fixture';
import type { JourneySimulator } from '@portal/simulators/journey/simulator';
import { smallDeployment } from '@portal/simulators/journey/small-deployment';
import { startTestJourney } from '@portal/simulators/journey/test-simulator';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createIntegration,
  type ScriptedSyncService,
  startScriptedSyncService,
} from '../../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer } from '../../testing/test-server.ts';

let journey: JourneySimulator;
let service: ScriptedSyncService;
let world: SmallWorld;
let client: TestClient;
let integration: SyncIntegration;

const schemaXml = `<data-model>
  <model name="Region" label="Region"><field name="name" label="Name" type="text"/><display>{name}</display></model>
  <model name="user" label="User"><field name="name" label="Name" type="text"/><display>{name}</display></model>
</data-model>`;
const region = (at: number) => ({ type: 'Region', id: `00000000-0000-4000-8000-00000000000${at}`, name: `R${at}` });

beforeAll(async () => {
  journey = await startTestJourney({
    deployments: [{ ...smallDeployment, schemaXml, objects: [1, 2, 3, 4, 5].map(region) }],
  });
  service = await startScriptedSyncService();
  world = await startSmallWorld({ sync: service.sync }, { journeyBaseUrls: [`${journey.baseUrl}/api/v4/`] });
  client = await world.server.signIn('demo', 'demo');
  const { url, userName } = journey.deployment(smallDeployment.id);
  integration = createIntegration(world.helium.app('Clinic Visits'), {
    heliumBaseUrl: world.baseUrl,
    journeyBaseUrl: url,
    journeyUserName: userName,
  });
});
afterAll(async () => {
  await world.stop();
  await service.stop();
  await journey.stop({ dropDatabase: true });
});
beforeEach(() => {
  journey.faults.clear();
  service.clear();
  service.script('POST /api/list', () => [integration]);
  service.script('POST /api/reveal-password', () => ({ password: smallDeployment.password }));
});

const both = (): RequestOf<typeof getSyncObjects> => ({
  heliumUrl: integration.heliumBaseUrl,
  journeyUrl: integration.journeyBaseUrl,
});
const revealed = () => service.calls.filter(({ what }) => what === 'POST /api/reveal-password').length;
const named = (objects: readonly SyncObject[], platform: string, objectName: string) =>
  objects.find((object) => object.platform === platform && object.objectName === objectName);

describe('sync objects', () => {
  it('lists the objects of both sides with counts and counterparts', async () => {
    const objects = await client.call(getSyncObjects, both());
    expect(named(objects, 'Helium', 'region')).toEqual({
      platform: 'Helium',
      type: 'Table',
      objectName: 'region',
      objectCount: 3,
      counterpart: 'Region',
      difference: -2,
    });
    expect(named(objects, 'Journey', 'Region')).toEqual({
      platform: 'Journey',
      type: 'Model',
      objectName: 'Region',
      objectCount: 5,
      counterpart: 'region',
      difference: 2,
    });
    expect(named(objects, 'Helium', 'visit')).toMatchObject({ objectCount: 30, counterpart: null, difference: null });
    expect(named(objects, 'Helium', 'open_visit')).toMatchObject({ type: 'View', objectCount: null });
    expect(named(objects, 'Helium', 'visit_summary')).toMatchObject({
      type: 'Materialized View',
      objectCount: expect.any(Number),
    });
    expect(objects.filter(({ objectName }) => objectName.startsWith('__'))).toEqual([]);
  });

  it('records who tries the integration of an app that is not theirs', async () => {
    const farmer = await world.server.signIn('farm.dev', 'farm');
    const response = await farmer.attempt(getSyncObjects, both());
    expect(response.status).toBe(400);
    const { entries } = await farmer.call(getAudit, { username: 'farm.dev', action: getSyncObjects.may });
    const { message: reason } = parseProblem(response);
    expect(entries).toMatchObject([{ outcome: 'refused', resource: integration.heliumBaseUrl, reason }]);
  });

  it('lists a view without running it', async () => {
    const { url, schemaName } = world.helium.app('Clinic Visits');
    const objects = await withClient({ connectionString: url }, async (app) => {
      await app.query(`set search_path = ${schemaName}; ${lockingViewDdl('visit_executor')}`);
      const objects = await client.call(getSyncObjects, both());
      expect((await app.query(wasViewRunSql)).rows).toEqual([{ wasRun: false }]);
      await app.query('drop view visit_executor');
      return objects;
    });
    expect(named(objects, 'Helium', 'visit_executor')).toMatchObject({ type: 'View', objectCount: null });
  });

  it('reads Journey’s objects with the stored credentials or with those sent', async () => {
    const { userName } = journey.deployment(smallDeployment.id);
    const masked = { journeyUsername: userName, journeyPassword: '********', heliumUsername: 'x', heliumPassword: '' };
    await client.call(getSyncObjects, { ...both(), ...masked });
    expect(revealed()).toBe(1);
    await client.call(getSyncObjects, { ...both(), journeyPassword: smallDeployment.password });
    expect(revealed()).toBe(1);
    expect((await client.attempt(getSyncObjects, { ...both(), journeyPassword: 'wrong' })).status).not.toBe(401);
    expect((await client.attempt(getSyncObjects, { ...both(), journeyPassword: 'wrong' })).text).not.toContain('wrong');
    expect((await client.attempt(getSyncObjects, { ...both(), journeyUsername: 'another' })).status).toBe(400);
    expect(revealed()).toBe(1);
  });

  it('finds the integration by its URLs in any spelling, and by app if several share them', async () => {
    const otherSpelling = { heliumUrl: `${world.baseUrl}//`, journeyUrl: `${integration.journeyBaseUrl}/` };
    const [object] = await client.call(getSyncObjects, otherSpelling);
    expect(object).toBeDefined();
    const stock = world.helium.app('Stock Room');
    service.script('POST /api/list', () => [integration, { ...integration, id: stock.id }]);
    expect((await client.attempt(getSyncObjects, both())).status).toBe(400);
    const objects = await client.call(getSyncObjects, { ...both(), appId: stock.id });
    expect(named(objects, 'Helium', 'region')).toBeUndefined();
  });
});

describe('refused sync object requests', () => {
  it.each([
    { heliumUrl: 'http://169.254.169.254/' },
    { journeyUrl: 'http://169.254.169.254/' },
    { journeyUrl: 'nonsense' },
    { appId: 'another' },
  ])('refuses addresses of no integration: %j', async (wrong) => {
    expect((await client.attempt(getSyncObjects, { ...both(), ...wrong })).status).toBe(400);
    expect(revealed()).toBe(0);
  });

  it('refuses a deployment that was removed from the configuration since the integration was saved', async () => {
    for (const moved of [
      `${journey.baseUrl}/api/v5/${smallDeployment.id}`,
      `http://localhost:${journey.port}/api/v4/${smallDeployment.id}`,
    ]) {
      service.script('POST /api/list', () => [{ ...integration, journeyBaseUrl: moved }]);
      const response = await client.attempt(getSyncObjects, { ...both(), journeyUrl: moved });
      expect(response.status).toBe(400);
      expect(parseProblem(response).message).toContain('no longer among the Journey deployments configured for');
    }
    expect(revealed()).toBe(0);
  });

  it('refuses users who do not see the app or whose role does not allow it', async () => {
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect((await farmer.attempt(getSyncObjects, both())).status).toBe(400);
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    const server = await startTestServer({
      environments,
      sync: service.sync,
      roles: [{ role: 'viewer', users: ['x'] }],
    });
    onTestFinished(() => server.stop());
    const viewerClient = await server.signIn('demo', 'demo');
    expect((await viewerClient.attempt(getSyncObjects, both())).status).toBe(403);
    expect(revealed()).toBe(0);
  });
});

describe('sync objects of failing platforms', () => {
  it('a model that cannot be counted has no count', async () => {
    journey.faults.set({ path: 'Region/count.json', mode: 'error500' });
    const objects = await client.call(getSyncObjects, both());
    expect(named(objects, 'Journey', 'Region')).toMatchObject({ objectCount: null, difference: null });
    expect(named(objects, 'Journey', 'user')).toMatchObject({ objectCount: 0 });
    expect(named(objects, 'Helium', 'region')).toMatchObject({ objectCount: 3, difference: null });
  });

  it.each(['datamodel.json', 'Region/count.json'])('a pause that Journey asks for is waited out: %s', async (path) => {
    journey.faults.set({ path, mode: 'too-many-requests', times: 1 });
    const objects = await client.call(getSyncObjects, both());
    expect(named(objects, 'Journey', 'Region')).toMatchObject({ objectCount: 5, difference: 2 });
  });

  it('lists the other side when one cannot be read, and names the side that failed', async () => {
    journey.faults.set({ path: 'datamodel.json', mode: 'error500' });
    const response = await client.attempt(getSyncObjects, both());
    expect([response.status, response.headers.get(failedSideHeader)]).toEqual([200, 'Journey']);
    const objects = getSyncObjects.response.parse(JSON.parse(response.text));
    expect(new Set(objects.map(({ platform }) => platform))).toEqual(new Set(['Helium']));
    expect(named(objects, 'Helium', 'region')).not.toHaveProperty('counterpart');
    const failed = await client.attempt(getSyncObjects, { ...both(), platform: 'Journey' });
    expect(failed.status).toBe(502);
    expect(parseProblem(failed)).toMatchObject({
      title: syncTexts.title,
      message: expect.stringMatching(/^Journey .* responded to .*datamodel\.json with status 500\.$/),
    });
    const helium = await client.call(getSyncObjects, { ...both(), platform: 'Helium' });
    expect(helium).toEqual(objects);
  });

  it('reports the specified message when neither side can be read', async () => {
    journey.faults.set({ path: 'datamodel.json', mode: 'error500' });
    const url = 'postgres://127.0.0.1:1/apps';
    const dataSources = [{ heliumDataSourceName: 'down', hostname: '127.0.0.1', dbName: 'apps', url }];
    const journeyBaseUrls = [`${journey.baseUrl}/api/v4/`];
    const environments = [{ name: 'Production', baseUrl: world.baseUrl, dataSources, journeyBaseUrls }];
    const server = await startTestServer({ environments, sync: service.sync });
    onTestFinished(() => server.stop());
    const response = await (await server.signIn('demo', 'demo')).attempt(getSyncObjects, both());
    expect([response.status, response.headers.get(failedSideHeader)]).toEqual([502, null]);
    expect(parseProblem(response)).toMatchObject({ title: syncTexts.title, message: syncTexts.badGateway });
  });

  it('reports an unreachable sync service with the specified message', async () => {
    service.script('POST /api/list', (_, reply) => reply.code(502).send(''));
    expect(parseProblem(await client.attempt(getSyncObjects, both())).message).toBe(syncTexts.badGateway);
  });
});
