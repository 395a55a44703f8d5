import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, createCaller } from './deployment-caller.fixture.ts';
import type { DeploymentHandle, JourneySimulator } from './simulator.ts';
import { smallDeployment } from './small-deployment.ts';
import { startTestJourney } from './test-simulator.ts';

let simulator: JourneySimulator;
let deployment: DeploymentHandle;
let call: Caller;
let user: string;

beforeAll(async () => {
  simulator = await startTestJourney();
  deployment = simulator.deployment(smallDeployment.id);
  call = createCaller(deployment);
});
beforeEach(async () => {
  deployment.setMultiDevice(true);
  user = randomUUID();
  await call('PUT', `objects/user/${user}.json`, { user: { name: 'Grace' } });
});
afterAll(() => simulator.stop({ dropDatabase: true }));

async function enroll(device = randomUUID()): Promise<string> {
  const { body } = await call('POST', `users/${user}/authentication-token`);
  return deployment.device.enroll(body.token, { device: { id: device } });
}
const readSessions = async () => (await call('GET', `users/${user}`)).body.sessions;
const states = async () => (await readSessions()).map(({ state }: { state: string }) => state);

describe('app users with several devices', () => {
  it('lists the objects of the user model in pages', async () => {
    const { body } = await call('GET', 'users?limit=1&skip=0');
    const { count } = (await call('GET', 'objects/user/count.json')).body;
    expect(body).toMatchObject({ total: count, count: 1, more: count > 1 });
    const all = (await call('GET', 'users')).body;
    expect(all).toMatchObject({ total: count, count, more: false });
    expect(all.objects).toContainEqual({
      id: user,
      last_connected_at: null,
      enrolled: false,
      locked: false,
      sessions: [],
    });
    expect((await call('GET', `users?skip=${count}`)).body).toEqual({
      total: count,
      count: 0,
      more: false,
      objects: [],
    });
  });

  it('signs users in with a one-time code', async () => {
    const { status, body } = await call('POST', `users/${user}/authentication-token`);
    expect({ status, body }).toEqual({
      status: 200,
      body: { token: expect.any(String), expires_at: expect.stringMatching(/Z$/) },
    });
    const session = await deployment.device.enroll(body.token);
    const seen = (await call('GET', `users/${user}/sessions/${session}`)).body;
    expect(seen).toEqual({
      id: session,
      state: 'ENROLLED',
      last_authenticated_at: expect.stringMatching(/Z$/),
      created_at: expect.stringMatching(/Z$/),
      signed_out_at: null,
      last_connected_at: expect.stringMatching(/Z$/),
      container: { version: expect.any(String), bundle_id: expect.any(String), platform: 'ANDROID' },
      runtime: { version: expect.any(String) },
      device: { id: expect.any(String) },
      label: expect.any(String),
      sync_status: { last_full_sync: expect.any(String) },
    });
    expect((await call('GET', `users/${user}`)).body).toMatchObject({ enrolled: true, sessions: [seen] });
    await expect(deployment.device.enroll(body.token)).rejects.toThrow('unknown, used, expired');
  });

  it('creates a session per device, or only one when multiple devices are off', async () => {
    await enroll();
    await enroll();
    expect(await states()).toEqual(['ENROLLED', 'ENROLLED']);
    deployment.setMultiDevice(false);
    await enroll();
    expect((await states()).sort()).toEqual(['ENROLLED', 'LOCKED', 'LOCKED']);
  });

  it('locks and unlocks users, who then sign in again on the same session', async () => {
    const device = randomUUID();
    const session = await enroll(device);
    expect((await call('POST', `users/${user}/lock`)).body).toMatchObject({ id: user, locked: true, enrolled: false });
    expect(await readSessions()).toMatchObject([{ state: 'LOCKED', signed_out_at: expect.any(String) }]);
    await expect(enroll(device)).rejects.toThrow('locked user');
    expect((await call('POST', `users/${user}/unlock`)).body).toMatchObject({ locked: false, enrolled: false });
    expect(await enroll(device)).toBe(session);
    expect(await readSessions()).toMatchObject([{ id: session, state: 'ENROLLED', signed_out_at: expect.any(String) }]);
  });

  it('wipes or signs out one session without affecting the others', async () => {
    const [first, second, third] = [await enroll(), await enroll(), await enroll()];
    expect((await call('POST', `users/${user}/sessions/${first}/wipe`)).body).toMatchObject({
      id: first,
      state: 'RESET',
    });
    expect((await call('POST', `users/${user}/sessions/${second}/re-authenticate`)).body).toMatchObject({
      state: 'LOCKED',
    });
    const byId = Object.fromEntries(
      (await readSessions()).map(({ id, state }: { id: string; state: string }) => [id, state]),
    );
    expect(byId).toEqual({ [first]: 'RESET', [second]: 'LOCKED', [third]: 'ENROLLED' });
  });

  it('permanently locks and wipes users when their object is deleted', async () => {
    await enroll();
    await call('POST', 'batch.json', { operations: [{ method: 'delete', object: { type: 'user', id: user } }] });
    expect((await call('GET', `users/${user}`)).body).toMatchObject({
      locked: true,
      enrolled: false,
      sessions: [{ state: 'RESET' }],
    });
    for (const runAction of ['unlock', 'authentication-token'])
      expect(await call('POST', `users/${user}/${runAction}`)).toMatchObject({
        status: 404,
        body: { type: 'OBJECT_NOT_FOUND' },
      });
  });

  it.each(['', '/sessions/x'])('returns not found for unknown ids: users/x%s', async (rest) => {
    expect(await call('GET', `users/${randomUUID()}${rest}`)).toMatchObject({
      status: 404,
      body: { type: 'OBJECT_NOT_FOUND' },
    });
  });
});

describe('legacy users with one device', () => {
  const enrollment = async () => (await call('GET', `objects/user/${user}.json`)).body.enrollment;
  beforeEach(() => deployment.setMultiDevice(false));

  it('shows a code until it is scanned, and then the device', async () => {
    const before = await enrollment();
    expect(before).toEqual({
      enrolled: false,
      url: expect.stringMatching(/^https:/),
      launcher_version: null,
      device_os: null,
      device_model: null,
      last_connected_at: null,
    });
    expect(await enrollment()).toEqual(before);
    await deployment.device.enroll(before.url, { os: 'Android 12', model: 'A7' });
    expect(await enrollment()).toMatchObject({
      enrolled: true,
      url: null,
      device_os: 'Android 12',
      device_model: 'A7',
    });
    const listed = (await call('GET', `objects/user.json?query[id]=${user}`)).body.objects;
    expect(listed[0].enrollment.last_connected_at).toMatch(/Z$/);
  });

  it('signs users out on re-enrollment until they scan the new code', async () => {
    const { url } = await enrollment();
    await deployment.device.enroll(url);
    expect(await call('POST', `objects/user/${user}/re_enroll.json`)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    const after = await enrollment();
    expect(after.enrolled).toBe(false);
    await expect(deployment.device.enroll(url)).rejects.toThrow();
    await deployment.device.enroll(after.url);
    expect((await enrollment()).enrolled).toBe(true);
  });

  it('shows no enrollment when users have several devices', async () => {
    deployment.setMultiDevice(true);
    expect(await enrollment()).toBeUndefined();
    expect(await call('POST', `objects/user/${user}/re_enroll.json`)).toMatchObject({
      status: 404,
      body: { type: 'ROUTE_ERROR' },
    });
  });
});
