import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import { getAudit } from '@portal/contract/audit';
import { getSyncSocketPaths, syncBases } from '@portal/contract/sync/base';
import { maskedPassword } from '@portal/contract/sync/config';
import { syncTexts } from '@portal/contract/sync/texts';
import { fastify } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Enforcer } from '../../access/enforcer.ts';
import { createFinders } from '../../access/subjects.ts';
import { registerSockets } from '../../http/socket.ts';
import {
  createConfig,
  createIntegration,
  type ScriptedSyncService,
  startScriptedSyncService,
} from '../../testing/scripted-sync-service.ts';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { syncSockets } from './sync.socket.ts';
import { defaultSyncSocketLimits } from './sync-socket-limits.ts';
import { watch } from './sync-viewer.fixture.ts';

let service: ScriptedSyncService;
let world: SmallWorld;
let client: TestClient;
let clinic: { readonly id: string; readonly name: string; readonly schemaName: string };

beforeAll(async () => {
  service = await startScriptedSyncService();
  world = await startSmallWorld({ sync: service.sync });
  const { id, name, schemaName } = world.helium.app('Clinic Visits');
  clinic = { id, name, schemaName };
  client = await world.server.signIn('demo', 'demo');
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});
beforeEach(() => {
  service.clear();
  service.script(`GET /api/get/${clinic.id}`, () => ({
    ...createIntegration(clinic),
    config: createConfig(clinic, maskedPassword),
  }));
});

const [path, alias] = getSyncSocketPaths('/sync/api/');
const sendFirst = (first: unknown, { as = client, at = path as string } = {}) =>
  watch(world.server.url.replace('http', 'ws') + at, first, { headers: as.cookieHeaders });
const logs = () => ({ type: 'LOG_SESSION', appId: clinic.id });
const audited = async (action: string) => (await client.call(getAudit, { action })).entries;

describe('sync log session', () => {
  it.each([path, alias])(
    "at %s relays the service's frames, identifies the caller, and relays the close",
    async (at) => {
      const received: unknown[] = [];
      service.scriptSocket((socket, first, headers) => {
        received.push(first, headers['x-portal-user'], headers['x-portal-environment']);
        socket.send(JSON.stringify({ value: 'one', seq: 1 }));
        socket.send(JSON.stringify({ value: 'two', seq: 2 }));
        socket.close(1000, 'Complete.');
      });
      const config = { secret: 'x' };
      expect(await sendFirst({ ...logs(), batch: true, after: 3, config }, { at })).toEqual({
        frames: [
          { value: 'one', seq: 1 },
          { value: 'two', seq: 2 },
        ],
        code: 1000,
        reason: 'Complete.',
      });
      expect(received).toEqual([{ ...logs(), batch: true, after: 3 }, 'demo', 'Production']);
    },
  );

  it.each([1000, 1001, 1013, 3001, 4400, 4404, 4409, 4429])("closes with the service's code %i", async (code) => {
    service.scriptSocket((socket) => socket.close(code, 'Why ü.'));
    expect(await sendFirst(logs())).toEqual({ frames: [], code, reason: 'Why ü.' });
  });

  it.each([
    ['sends no close code', (socket: WebSocket) => socket.close()],
    ['is terminated', (socket: WebSocket) => socket.terminate()],
    ['rejects the token', (socket: WebSocket) => socket.close(4401)],
    ['fails internally', (socket: WebSocket) => socket.close(1011)],
  ])('a service that %s makes the viewer reconnect, with the specified message', async (_, end) => {
    service.scriptSocket(end);
    expect(await sendFirst(logs())).toEqual({ frames: [], code: 1013, reason: syncTexts.badGateway });
  });

  it('asks the viewer to reconnect if no service is running', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    const server = await startTestServer({ environments, sync: { url: 'http://127.0.0.1:1' } });
    onTestFinished(() => server.stop());
    const { cookieHeaders: headers } = await server.signIn('demo', 'demo');
    const recording = await watch(server.url.replace('http', 'ws') + path, logs(), { headers });
    expect(recording).toEqual({ frames: [], code: 1013, reason: syncTexts.badGateway });
  });

  it('disconnects from the service when its viewer leaves', async () => {
    service.scriptSocket((socket) => socket.send('{"value":"hello"}'));
    const viewer = new WebSocket(world.server.url.replace('http', 'ws') + path, { headers: client.cookieHeaders });
    await once(viewer, 'open');
    viewer.send(JSON.stringify(logs()));
    await once(viewer, 'message');
    expect(service.open()).toBe(1);
    viewer.terminate();
    await vi.waitFor(() => expect(service.open()).toBe(0), 60_000);
  });

  it('accepts callers who see the app, at the base of their environment', async () => {
    const reached: unknown[] = [];
    service.scriptSocket((_, first) => reached.push(first));
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect(await sendFirst(logs(), { as: farmer })).toMatchObject({ code: 4404 });
    await expect(sendFirst(logs(), { as: world.server.client() })).rejects.toThrow('401');
    for (const base of syncBases.slice(1)) {
      for (const at of getSyncSocketPaths(base)) {
        expect(await sendFirst(logs(), { at })).toMatchObject({
          code: 4400,
          reason: expect.stringContaining('/sync/api/'),
        });
      }
    }
    expect(reached).toEqual([]);
  });

  it('refuses roles without permission', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    const roles = [{ role: 'viewer' as const, users: ['another-user'] }];
    const server = await startTestServer({ environments, sync: service.sync, roles });
    onTestFinished(() => server.stop());
    const { cookieHeaders: headers } = await server.signIn('demo', 'demo');
    expect(await watch(server.url.replace('http', 'ws') + path, logs(), { headers })).toMatchObject({ code: 4403 });
  });

  it("ends when the platform revokes the viewer's access, but not while the platform is unreachable", async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    onTestFinished(() => world.helium.faults.clear());
    await registerSockets(app);
    await app.register(cookie);
    const { permissions, audit, appDatabases } = world.server.dependencies;
    const enforcer = new Enforcer({ permissions, audit, finders: createFinders(appDatabases) });
    syncSockets(app, { ...world.server.dependencies, enforcer }, { ...defaultSyncSocketLimits, recheckMs: 10 });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    let sendFirst = (_: string) => {};
    service.scriptSocket((socket) => {
      sendFirst = (text) => socket.send(JSON.stringify({ value: text }));
      sendFirst('hello');
    });
    const viewer = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: client.cookieHeaders });
    await once(viewer, 'open');
    viewer.send(JSON.stringify(logs()));
    await once(viewer, 'message');
    let received = 0;
    world.network.decide(() => {
      received += 1;
      return 'cut';
    });
    await vi.waitFor(() => expect(received).toBeGreaterThan(2), 60_000);
    sendFirst('still here');
    await once(viewer, 'message');
    world.network.reset();
    // The platform rejects the session, which ends it.
    world.helium.faults.set({ path: '/v2/app', mode: 'error500', status: 401 });
    expect((await once(viewer, 'close'))[0]).toBe(4401);
    world.helium.faults.clear();
    client = await world.server.signIn('demo', 'demo');
  });

  it('accepts exactly one valid frame', async () => {
    service.scriptSocket((socket) => socket.send('{"value":"hello"}'));
    for (const first of ['{', '[]', '{}', { type: 'LOG_SESSION' }, { type: 'SHUTDOWN', appId: clinic.id }]) {
      expect(await sendFirst(first)).toMatchObject({ frames: [], code: 4400 });
    }
    const merge = (config: string) => `{"type":"MERGE","appId":"${clinic.id}","config":${config}}`;
    expect(await sendFirst(merge('['.repeat(120_000) + ']'.repeat(120_000)))).toEqual({
      frames: [],
      code: 4400,
      reason: 'The first frame is nested more than 32 levels deep.',
    });
    expect(await sendFirst(merge(`[${'0,'.repeat(120_000)}0]`))).toEqual({
      frames: [],
      code: 4400,
      reason: 'The first frame has more than 20000 keys and values.',
    });
    for (const strange of ['a\0', 'a\ud800']) {
      const config = createConfig(clinic, strange);
      expect(await sendFirst({ type: 'MERGE', appId: clinic.id, config })).toMatchObject({ frames: [], code: 4400 });
    }
    expect(await sendFirst({ ...logs(), after: 1.5 })).toMatchObject({ frames: [], code: 4400 });
    expect(await sendFirst('x'.repeat(257 * 1024))).toMatchObject({ code: 1009 });
    const viewer = new WebSocket(world.server.url.replace('http', 'ws') + path, { headers: client.cookieHeaders });
    await once(viewer, 'open');
    viewer.send(JSON.stringify(logs()));
    await once(viewer, 'message');
    viewer.send(JSON.stringify({ type: 'DESTROY', appId: clinic.id }));
    expect((await once(viewer, 'close'))[0]).toBe(4400);
    expect(await audited('sync.delete')).toEqual([]);
  });

  it('cannot be opened by a page of another site', async () => {
    const url = world.server.url.replace('http', 'ws') + path;
    const viewer = new WebSocket(url, { headers: { ...client.cookieHeaders, origin: 'https://evil.example' } });
    const [, response] = await once(viewer, 'unexpected-response');
    expect(response.statusCode).toBe(403);
  });
});

describe('sync configuration change', () => {
  const merge = (password?: string) => ({ type: 'MERGE', appId: clinic.id, config: createConfig(clinic, password) });

  it("is sent with the app's data, and the socket closes after the first reply", async () => {
    const received: unknown[] = [];
    service.scriptSocket((socket, first) => {
      received.push(first);
      socket.send(JSON.stringify({ value: 'Saved' }));
      socket.send(JSON.stringify({ value: 'more' }));
    });
    expect(await sendFirst(merge('open sesame'))).toEqual({ frames: [{ value: 'Saved' }], code: 1000, reason: '' });
    expect(received).toEqual([{ ...merge('open sesame'), app: clinic, dataSource: expect.any(String) }]);
    const [entry] = await audited('sync.save');
    expect(entry).toMatchObject({
      resource: clinic.id,
      outcome: 'done',
      before: { journey: { restAPICredentials: { userName: '5f1c' } } },
      after: { enabled: true, journey: { restAPICredentials: { userName: '5f1c', password: 'changed' } } },
    });
    expect(JSON.stringify(entry)).not.toContain('sesame');
    expect(world.server.logged()).not.toContain('sesame');
  });

  it('of a new integration has no previous state, and may be large', async () => {
    service.script(`GET /api/get/${clinic.id}`, (_, reply) =>
      reply.code(404).send({ message: 'None.', requestId: 'x', kind: 'not-found' }),
    );
    service.scriptSocket((socket) => socket.send(JSON.stringify({ value: 'Saved' })));
    const config = createConfig(clinic);
    const changeLogSkipTables = Array.from({ length: 500 }, (_, at) => `${at}_${'t'.repeat(400)}`);
    const large = { ...config, heliumToJourney: { ...config.heliumToJourney, changeLogSkipTables } };
    expect(await sendFirst({ ...merge(), config: large })).toMatchObject({ frames: [{ value: 'Saved' }], code: 1000 });
    expect((await audited('sync.save'))[0]).toMatchObject({ before: null, outcome: 'done' });
  });

  it('refused by the service is returned in its own words and audited as refused', async () => {
    const reply = { value: 'Not so.', failed: true, problems: [{ field: 'journey.baseUrl', reason: 'is unknown' }] };
    service.scriptSocket((socket) => socket.send(JSON.stringify(reply)));
    expect(await sendFirst(merge())).toEqual({ frames: [reply], code: 1000, reason: '' });
    expect((await audited('sync.save'))[0]).toMatchObject({ outcome: 'refused', reason: 'Not so.', after: null });
    service.scriptSocket((socket) => socket.close(4404, 'No such app.'));
    expect(await sendFirst(merge())).toMatchObject({ frames: [{ value: 'No such app.', failed: true }], code: 4403 });
  });

  it.each([
    ['disconnects without a reply', (socket: WebSocket) => socket.terminate()],
    ['sends an invalid reply', (socket: WebSocket) => socket.send('<html>')],
  ])('of a service that %s is reported as failed', async (_, end) => {
    service.scriptSocket(end);
    expect(await sendFirst({ type: 'DESTROY', appId: clinic.id })).toEqual({
      frames: [{ value: syncTexts.badGateway, failed: true }],
      code: 1013,
      reason: syncTexts.badGateway,
    });
    expect((await audited('sync.delete'))[0]).toMatchObject({ outcome: 'failed', reason: syncTexts.badGateway });
  });

  it('completes and audits a command even if the sender leaves before the reply', async () => {
    let release = () => {};
    const arrived = new Promise<void>((resolve) => {
      service.scriptSocket((socket) => {
        release = () => socket.send(JSON.stringify({ value: 'Deleted' }));
        resolve();
      });
    });
    const done = async () => (await audited('sync.delete')).filter(({ outcome }) => outcome === 'done');
    expect(await done()).toEqual([]);
    const viewer = new WebSocket(world.server.url.replace('http', 'ws') + path, { headers: client.cookieHeaders });
    await once(viewer, 'open');
    viewer.send(JSON.stringify({ type: 'DESTROY', appId: clinic.id }));
    await arrived;
    viewer.terminate();
    await once(viewer, 'close');
    release();
    await vi.waitFor(async () => expect(await done()).toMatchObject([{ resource: clinic.id, after: null }]), 60_000);
  });

  it("is refused without permission or for another user's app", async () => {
    const reached: unknown[] = [];
    service.scriptSocket((_, first) => reached.push(first));
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect(await sendFirst(merge(), { as: farmer })).toMatchObject({ frames: [{ failed: true }], code: 4404 });
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    const roles = [{ role: 'viewer' as const, users: 'everyone' as const }];
    const server = await startTestServer({ environments, sync: service.sync, roles });
    onTestFinished(() => server.stop());
    const { cookieHeaders: headers } = await server.signIn('demo', 'demo');
    const recording = await watch(server.url.replace('http', 'ws') + path, merge(), { headers });
    expect(recording).toMatchObject({ frames: [{ failed: true, value: expect.stringContaining('role') }], code: 4403 });
    expect(await sendFirst(merge(), { at: '/sync-zm/ws' })).toMatchObject({ frames: [{ failed: true }], code: 4400 });
    expect(reached).toEqual([]);
  });
});
