import { getAttention } from '@portal/contract/attention';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  createIntegration,
  type ScriptedSyncService,
  startScriptedSyncService,
} from '../../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { startTestServer } from '../../testing/test-server.ts';

let service: ScriptedSyncService;
let world: SmallWorld;

beforeAll(async () => {
  service = await startScriptedSyncService();
  world = await startSmallWorld({ sync: service.sync });
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});
beforeEach(() => service.clear());

const readItems = async (userName = 'demo', password = 'demo') => {
  const { items, problems } = await (await world.server.signIn(userName, password)).call(getAttention, undefined);
  return { items: items.filter(({ kind }) => /sync/.test(kind)), problems };
};

it('reports that a halted integration needs a decision, and links to the question', async () => {
  const clinic = world.helium.app('Clinic Visits');
  const haltedSince = '2026-01-02T03:04:05.000Z';
  const halted = { status: 'Halted', health: 'Stale', haltReason: 'Helium was restored.', haltedSince } as const;
  service.script('POST /api/list', () => [createIntegration(clinic, { ...halted, needsDecision: true })]);
  const detail = 'Needs a decision: Helium was restored.';
  const route = `/sync?records=${clinic.id}`;
  expect((await readItems()).items).toEqual([
    { kind: 'halted-sync', title: 'Clinic Visits', detail, at: haltedSince, route },
  ]);
});

it('lists halted, stale and late integrations in this order, and omits healthy and disabled ones', async () => {
  const [clinic, stock, farm] = ['Clinic Visits', 'Stock Room', 'Farm Inputs'].map((name) => world.helium.app(name));
  if (!clinic || !stock || !farm) throw new Error('an app is missing');
  const minutes = 60_000;
  const pinged = Date.UTC(2026, 0, 2);
  service.script('POST /api/list', () => [
    createIntegration(stock, { health: 'Late', journeyToHeliumLagMs: 3 * minutes, lastPinged: pinged }),
    createIntegration(farm, { health: 'Stale', lastPinged: null }),
    createIntegration(clinic, {
      status: 'Halted',
      health: 'Stale',
      haltReason: 'The password was refused.',
      haltedSince: '2026-01-02T03:04:05.000Z',
    }),
  ]);
  expect(await readItems()).toEqual({
    problems: [],
    items: [
      {
        kind: 'halted-sync',
        title: 'Clinic Visits',
        detail: 'The password was refused.',
        at: '2026-01-02T03:04:05.000Z',
        route: `/sync/${clinic.id}`,
      },
      {
        kind: 'stale-sync',
        title: farm.name,
        detail: 'Its platforms are not responding.',
        at: null,
        route: `/sync/${farm.id}`,
      },
      {
        kind: 'late-sync',
        title: 'Stock Room',
        detail: 'Changes to Helium have been waiting for 3 minutes.',
        at: new Date(pinged).toISOString(),
        route: `/sync/${stock.id}`,
      },
    ],
  });
  service.script('POST /api/list', () => [
    createIntegration(clinic),
    createIntegration(stock, { status: 'Disabled', health: 'Idle', heliumToJourneyLagMs: 3 * minutes }),
    createIntegration(farm, { health: 'Stale', lastPinged: null, changedAt: new Date().toISOString() }),
    createIntegration(farm, { health: 'Stale', environment: 'Elsewhere' }),
  ]);
  expect(await readItems()).toEqual({ problems: [], items: [] });
});

it('lists only integrations whose apps the caller sees', async () => {
  const clinic = world.helium.app('Clinic Visits');
  service.script('POST /api/list', () => [createIntegration(clinic, { health: 'Late', heliumToJourneyLagMs: 9e6 })]);
  expect((await readItems('farm.dev', 'farm')).items).toEqual([]);
  expect((await readItems()).items).toMatchObject([{ detail: 'Changes to Journey have been waiting for 2 hours.' }]);
});

it('reads the integrations once for the open home pages of all users, each of which shows its own', async () => {
  const clinic = world.helium.app('Clinic Visits');
  service.script('POST /api/list', () => [createIntegration(clinic, { health: 'Late', heliumToJourneyLagMs: 9e6 })]);
  const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
  const server = await startTestServer({ environments, sync: service.sync, freshness: { syncsMs: 60_000 } });
  onTestFinished(() => server.stop());
  const users = await Promise.all([
    server.signIn('demo', 'demo'),
    server.signIn('farm.dev', 'farm'),
    server.signIn('demo', 'demo'),
  ]);
  const counts = await Promise.all(users.map(async (user) => (await user.call(getAttention, undefined)).counts));
  expect(counts).toEqual([{ 'late-sync': 1 }, {}, { 'late-sync': 1 }]);
  expect(service.calls.map(({ what }) => what)).toEqual(['POST /api/list']);
});

it('reports an unreachable sync service as a problem', async () => {
  service.script('POST /api/list', (_, reply) => reply.hijack().raw.destroy());
  expect((await readItems()).problems).toEqual([
    expect.stringMatching(/^The sync integrations could not be checked: Bad Ga/),
  ]);
});

it('names what waits and the records that are not in sync, and links to them', async () => {
  const [clinic, stock, farm] = ['Clinic Visits', 'Stock Room', 'Farm Inputs'].map((name) => world.helium.app(name));
  if (!clinic || !stock || !farm) throw new Error('an app is missing');
  const lastPinged = Date.now();
  service.script('POST /api/list', () => [
    createIntegration(clinic, { health: 'Late', lastPinged, deadLetters: 1200, waiting: 1, parked: 2, skipped: 3 }),
    createIntegration(stock, { health: 'Late', lastPinged, waitingFiles: 3, failedFiles: 1, waitingEnrollment: 2 }),
    createIntegration(farm, {
      health: 'Late',
      lastPinged,
      heliumSyncStatus: 'Waiting: Journey does not respond.',
      journeySyncStatus: 'Waiting: Journey does not respond.',
      deadLetters: 1,
    }),
  ]);
  const { items } = await readItems();
  expect(items.map(({ title, detail, at, route }) => ({ title, detail, at, route }))).toEqual([
    {
      title: 'Clinic Visits',
      detail: 'Records not in sync: 1,200 dead letters, 1 waiting, 2 parked, 3 skipped.',
      at: null,
      route: `/sync?records=${clinic.id}&tab=dead`,
    },
    {
      title: farm.name,
      detail: 'Waiting: Journey does not respond. Records not in sync: 1 dead letter.',
      at: null,
      route: `/sync/${farm.id}`,
    },
    {
      title: 'Stock Room',
      detail: 'Files not synced yet: 3, of which 1 failed. Waiting in enrollment: 2.',
      at: null,
      route: `/sync?records=${stock.id}&tab=files`,
    },
  ]);
});

it('lists conflicts that no one has reviewed, also of an integration that is fresh or disabled', async () => {
  const [clinic, stock, farm] = ['Clinic Visits', 'Stock Room', 'Farm Inputs'].map((name) => world.helium.app(name));
  if (!clinic || !stock || !farm) throw new Error('an app is missing');
  service.script('POST /api/list', () => [
    createIntegration(clinic, { conflicts: 1 }),
    createIntegration(stock, { status: 'Disabled', health: 'Idle', conflicts: 100_001 }),
    createIntegration(farm, { health: 'Late', lastPinged: Date.now(), parked: 1, conflicts: 2 }),
  ]);
  const { items } = await readItems();
  expect(items.map(({ kind, title, detail, route }) => ({ kind, title, detail, route }))).toEqual([
    {
      kind: 'late-sync',
      title: farm.name,
      detail: 'Records not in sync: 1 parked. Conflicts that no one has reviewed: 2.',
      route: `/sync?records=${farm.id}&tab=parked`,
    },
    {
      kind: 'sync-conflicts',
      title: 'Clinic Visits',
      detail: 'Conflicts that no one has reviewed: 1.',
      route: `/sync?records=${clinic.id}&tab=conflicts`,
    },
    {
      kind: 'sync-conflicts',
      title: 'Stock Room',
      detail: 'Conflicts that no one has reviewed: 100,000 or more.',
      route: `/sync?records=${stock.id}&tab=conflicts`,
    },
  ]);
});

it('states that objects are paused when nothing else makes an integration late', async () => {
  const clinic = world.helium.app('Clinic Visits');
  const pausedObjects = { count: 1, first: [{ object: 'visit', reason: 'Its column note is gone.' }] };
  service.script('POST /api/list', () => [
    createIntegration(clinic, { health: 'Late', lastPinged: Date.now(), pausedObjects }),
  ]);
  expect((await readItems()).items).toMatchObject([{ kind: 'late-sync', detail: 'Paused objects: 1.' }]);
});
