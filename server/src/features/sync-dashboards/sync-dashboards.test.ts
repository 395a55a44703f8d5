import { getAudit } from '@portal/contract/audit';
import * as contract from '@portal/contract/sync/dashboards';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { RoleGrant } from '../../config.ts';
import {
  createIntegration,
  type ScriptedSyncService,
  startScriptedSyncService,
} from '../../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem, type TestClient } from '../../testing/test-client.ts';
import { startTestServer } from '../../testing/test-server.ts';

let service: ScriptedSyncService;
let world: SmallWorld;
let client: TestClient;
let clinic: string;
let stock: string;
let farm: string;

beforeAll(async () => {
  service = await startScriptedSyncService();
  world = await startSmallWorld({ sync: service.sync });
  clinic = world.helium.app('Clinic Visits').id;
  stock = world.helium.app('Stock Room').id;
  farm = world.helium.app('Farm Inputs').id;
  client = await world.server.signIn('demo', 'demo');
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});
beforeEach(async () => {
  service.clear();
  await world.server.dependencies.pool.query('delete from sync_dashboard');
});

/** Signs in to a server with roles over the same database. */
async function signInTo(roles: RoleGrant[], userName: string, password: string): Promise<TestClient> {
  const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
  const { databaseUrl } = world.server;
  const server = await startTestServer({ environments, roles, databaseUrl, sync: service.sync });
  onTestFinished(() => server.stop());
  return server.signIn(userName, password);
}

const named = <E extends { readonly path: `/${string}` }>(endpoint: E, name: string): E => ({
  ...endpoint,
  path: endpoint.path.replace(':name', () => encodeURIComponent(name)),
});
const save = (name: string, appIds: readonly string[], as = client) =>
  as.call(contract.saveSyncDashboard, { name, appIds: [...appIds] });
const list = (as = client) => as.call(contract.getSyncDashboards, undefined);

describe('sync dashboard', () => {
  it('saves a dashboard, lists it by name, updates and deletes it', async () => {
    expect(await list()).toEqual([]);
    expect(await save('  Health ', [stock, clinic, stock])).toEqual({
      name: 'Health',
      appIds: [stock, clinic],
      refusal: null,
    });
    await save('and others', []);
    await save('Health', [clinic]);
    expect(await list()).toEqual([
      { name: 'and others', appIds: [], refusal: null },
      { name: 'Health', appIds: [clinic], refusal: null },
    ]);
    expect(await client.call(named(contract.deleteSyncDashboard, 'Health'), undefined)).toEqual({ deleted: 'Health' });
    expect(await list()).toMatchObject([{ name: 'and others' }]);
    const trail = (await client.call(getAudit, { resourceKind: 'dashboard', resource: 'Health' })).entries;
    expect(trail).toMatchObject([
      { action: 'sync.delete-dashboard', before: { appIds: [clinic] }, outcome: 'done' },
      { action: 'sync.save-dashboard', before: { appIds: [stock, clinic] }, after: { appIds: [clinic] } },
      { action: 'sync.save-dashboard', before: null, after: { appIds: [stock, clinic] }, outcome: 'done' },
    ]);
  });

  it('shows the current integrations of its apps and omits apps without one', async () => {
    await save('Two', [clinic, stock]);
    const now = [createIntegration({ id: clinic, name: 'Clinic' }), createIntegration({ id: farm, name: 'Farm' })];
    service.script('POST /api/list', () => now);
    expect(await client.call(named(contract.getSyncDashboard, 'Two'), undefined)).toEqual(now.slice(0, 1));
  });

  it.each(['a/b', '/', 'ümlaut 🚜 東京', '100 %', '%2F', 'a?b#c', '...', 'NULL', `${'東'.repeat(199)}x`])(
    'accepts the name %s',
    async (name) => {
      service.script('POST /api/list', () => []);
      await save(name, [clinic]);
      expect(await list()).toEqual([{ name, appIds: [clinic], refusal: null }]);
      expect(await client.call(named(contract.getSyncDashboard, name), undefined)).toEqual([]);
      await client.call(named(contract.deleteSyncDashboard, name), undefined);
      expect(await list()).toEqual([]);
    },
  );

  it.each(['', '  ', 'null', '.', '..', 'x'.repeat(201)])('rejects the name "%s"', async (name) => {
    expect((await client.attempt(contract.saveSyncDashboard, { name, appIds: [] })).status).toBe(400);
    expect(await list()).toEqual([]);
  });

  it('refuses to create a dashboard with an existing name, even concurrently', async () => {
    const make = (appIds: string[]) => client.attempt(contract.saveSyncDashboard, { name: 'New', appIds, isNew: true });
    const responses = await Promise.all([make([clinic]), make([stock]), make([farm])]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused && parseProblem(refused).message).toBe('There is already a dashboard named New.');
    const created = responses.filter(({ status }) => status === 200).map(({ text }) => JSON.parse(text));
    expect(await list()).toEqual(created);
  });

  it('merges the concurrent additions and removals of two users', async () => {
    await save('Health', [clinic, stock]);
    const change = (appIds: string[]) =>
      client.call(contract.saveSyncDashboard, { name: 'Health', appIds, before: [clinic, stock] });
    expect(await change([clinic, stock, farm])).toMatchObject({ name: 'Health', appIds: [clinic, stock, farm] });
    expect(await change([stock])).toMatchObject({ name: 'Health', appIds: [stock, farm] });
    expect(await change([clinic, stock])).toMatchObject({ name: 'Health', appIds: [stock, farm] });
    expect(await list()).toMatchObject([{ name: 'Health', appIds: [stock, farm] }]);
  });

  it('reports an unknown dashboard', async () => {
    for (const endpoint of [contract.getSyncDashboard, contract.deleteSyncDashboard]) {
      const response = await client.attempt(named(endpoint, 'No/where'), undefined);
      expect([response.status, parseProblem(response).message]).toEqual([
        404,
        'There is no dashboard No/where in Production.',
      ]);
    }
  });

  it('reports an unreachable sync service with the specified message', async () => {
    await save('Two', [clinic]);
    service.script('POST /api/list', (_, reply) => reply.code(502).send('oh'));
    expect((await client.attempt(named(contract.getSyncDashboard, 'Two'), undefined)).status).toBe(502);
  });
});

describe('sync dashboard users', () => {
  it('see their own apps, and keep the apps of others when changing a dashboard', async () => {
    await save('Shared', [clinic, farm]);
    // Only an administrator may change the dashboard of another user.
    const farmer = await signInTo([{ role: 'admin', users: ['farm.dev'] }], 'farm.dev', 'farm');
    service.script('POST /api/list', () => [createIntegration({ id: clinic, name: 'Clinic' })]);
    expect(await list(farmer)).toEqual([{ name: 'Shared', appIds: [farm], refusal: null }]);
    expect(await farmer.call(named(contract.getSyncDashboard, 'Shared'), undefined)).toEqual([]);
    expect((await farmer.attempt(contract.saveSyncDashboard, { name: 'Shared', appIds: [stock] })).status).toBe(404);
    await save('Shared', [], farmer);
    expect(await list()).toEqual([{ name: 'Shared', appIds: [clinic], refusal: null }]);
  });

  it('see other dashboards in another environment', async () => {
    await save('Here', [clinic]);
    const environments = [{ name: 'Staging', baseUrl: `${world.baseUrl}/` }];
    const server = await startTestServer({ environments, databaseUrl: world.server.databaseUrl, sync: service.sync });
    onTestFinished(() => server.stop());
    expect(await list(await server.signIn('demo', 'demo'))).toEqual([]);
  });

  it('cannot change a dashboard as viewers', async () => {
    await save('Kept', [clinic]);
    const viewer = await signInTo([{ role: 'viewer', users: 'everyone' }], 'demo', 'demo');
    expect((await viewer.attempt(contract.saveSyncDashboard, { name: 'Kept', appIds: [] })).status).toBe(403);
    expect((await viewer.attempt(named(contract.deleteSyncDashboard, 'Kept'), undefined)).status).toBe(403);
    expect(await list(viewer)).toMatchObject([{ name: 'Kept', appIds: [clinic] }]);
  });

  it('read the dashboards of others, but only owners and administrators change them', async () => {
    await save('Health', [clinic, farm]);
    const reason = 'You cannot change Health. It belongs to demo; only the owner and administrators can change it.';
    const maintainer = await signInTo([{ role: 'maintainer', users: 'everyone' }], 'farm.dev', 'farm');
    for (const other of [await world.server.signIn('farm.dev', 'farm'), maintainer]) {
      expect(await list(other)).toEqual([{ name: 'Health', appIds: [farm], refusal: reason }]);
      const saved = await other.attempt(contract.saveSyncDashboard, { name: 'Health', appIds: [farm] });
      expect([saved.status, parseProblem(saved).message]).toEqual([403, reason]);
      const deleted = await other.attempt(named(contract.deleteSyncDashboard, 'Health'), undefined);
      expect([deleted.status, parseProblem(deleted).message]).toEqual([403, reason]);
      await save('Farm', [farm], other);
      expect(await other.call(named(contract.deleteSyncDashboard, 'Farm'), undefined)).toEqual({ deleted: 'Farm' });
    }
    const admin = await signInTo([{ role: 'admin', users: ['farm.dev'] }], 'farm.dev', 'farm');
    expect(await admin.call(named(contract.deleteSyncDashboard, 'Health'), undefined)).toEqual({ deleted: 'Health' });
  });
});
