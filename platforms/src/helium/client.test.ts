import type { HeliumSimulator } from '@portal/simulators/helium/simulator';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import type { Fault } from '@portal/simulators/kit/faults';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { examineEnvironment } from '../doctor/examine-environment.ts';
import { readSuggestion } from '../doctor/read-suggestion.fixture.ts';
import { createHeliumClient, type HeliumClient } from './client.ts';
import { defaultDialect, type HeliumDialect } from './dialect/dialect.config.ts';
import { otherDialect, startTranslator } from './translator.fixture.ts';
import { heliumPaths } from './wire.ts';

const credentials = { userName: 'demo', password: 'demo' };

/** The names of a list's fields can only be found in a list that is not empty. */
async function setFirstTimeout({ baseUrl, app }: HeliumSimulator): Promise<void> {
  const patch = { processEntryPointTimeouts: { 'Vouchers:expireVouchers': 7 } };
  await createHeliumClient({ baseUrl }).patchAppConfig({ credentials, appId: app('Farm Inputs').id, patch });
}

interface Platform {
  readonly baseUrl: string;
  readonly dialect: HeliumDialect;
  stop?(): Promise<void>;
}

/**
 * A platform whose administration differs in everything, with the settings that the doctor
 * suggests.
 */
async function startWithOtherSpellings(simulator: HeliumSimulator): Promise<Platform> {
  const translator = await startTranslator(simulator.baseUrl, otherDialect);
  const { suggestion } = await examineEnvironment({
    name: 'Production',
    platform: { baseUrl: translator.baseUrl, credentials, timeoutMs: 5_000 },
    dialect: defaultDialect,
    dataSources: [],
    logMs: 0,
  });
  return { baseUrl: translator.baseUrl, dialect: readSuggestion(suggestion), stop: translator.stop };
}

describe.each<[spelling: string, start: (simulator: HeliumSimulator) => Promise<Platform>]>([
  ['with default settings', async ({ baseUrl }) => ({ baseUrl, dialect: defaultDialect })],
  ['with other spellings and the settings that the doctor suggests', startWithOtherSpellings],
])('Helium client %s', (_, start) => {
  let simulator: HeliumSimulator;
  let platform: Platform;
  let client: HeliumClient;

  beforeAll(async () => {
    simulator = await startTestSimulator();
    await setFirstTimeout(simulator);
    platform = await start(simulator);
    client = createHeliumClient(platform);
  });
  afterAll(async () => {
    await platform.stop?.();
    await simulator.stop({ dropDatabases: true });
  });
  afterEach(() => simulator.faults.clear());

  const clinic = () => simulator.app('Clinic Visits');
  const namesFor = async (userName: string, password: string) =>
    (await client.listApps({ credentials: { userName, password } })).entries.map(({ name }) => name);

  describe('app list', () => {
    it('lists the apps each user can see', async () => {
      expect(await namesFor('demo', 'demo')).toEqual(['Clinic Visits', 'Farm Inputs', 'Stock Room']);
      expect(await namesFor('health.dev', 'health')).toEqual(['Clinic Visits']);
    });

    it.each([
      ['demo', 'wrong'],
      ['unknown', 'demo'],
      ['', ''],
      ['de:mo', 'demo'],
      ['demo', 'déjà:vu'],
    ])('rejects user %j with password %j', async (userName, password) => {
      await expect(namesFor(userName, password)).rejects.toMatchObject({ name: 'NotSignedIn' });
    });

    it('accepts a base URL with and without a trailing slash', async () => {
      const slashed = createHeliumClient({ ...platform, baseUrl: `${platform.baseUrl}/` });
      expect((await slashed.listApps({ credentials })).entries).toHaveLength(3);
    });
  });

  describe('app configuration', () => {
    const get = () => client.getAppConfig({ credentials, appId: clinic().id });
    const patch = (change: Parameters<HeliumClient['patchAppConfig']>[0]['patch']) =>
      client.patchAppConfig({ credentials, appId: clinic().id, patch: change });

    it('changes only the given settings and names them', async () => {
      await patch({ processEntryPointTimeouts: { 'Nightly:closeOldVisits': 15, 'processViewResponse:Visits': 1 } });
      expect(await patch({ maxDatabaseResults: 2500 })).toBe(
        'Set the maximum database results to 2500 for Clinic Visits.',
      );
      expect(await patch({ processEntryPointTimeouts: { 'processViewResponse:Visits': null } })).toContain('Removed');
      expect(await get()).toMatchObject({
        processEntryPointTimeouts: { 'Nightly:closeOldVisits': 15 },
        maxDatabaseResults: 2500,
        disabled: false,
      });
      expect(await patch({ maxDatabaseResults: 2500 })).toBe('Nothing changed for Clinic Visits.');
    });

    it('applies every one of many concurrent patches', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `Unit:function${index}`);
      await Promise.all(names.map((name, index) => patch({ processEntryPointTimeouts: { [name]: index + 1 } })));
      expect(Object.keys((await get()).processEntryPointTimeouts)).toEqual(expect.arrayContaining(names));
    });

    it('returns the platform’s own message for an invalid value', async () => {
      const wrong = patch({ processEntryPointTimeouts: { 'Nightly:closeOldVisits': 0 } });
      await expect(wrong).rejects.toMatchObject({
        name: 'Invalid',
        message: expect.stringContaining('closeOldVisits'),
      });
    });

    it('lets a read-only user read but not change the configuration', async () => {
      const viewer = { credentials: { userName: 'viewer', password: 'viewer' }, appId: clinic().id };
      expect(await client.getAppConfig(viewer)).toHaveProperty('locked', false);
      await expect(client.patchAppConfig({ ...viewer, patch: { locked: true } })).rejects.toMatchObject({
        name: 'Refused',
      });
    });

    it.each(['00000000-0000-4000-8000-000000000000', '../../secrets', ''])(
      'returns not found for the unknown app %j',
      async (appId) => {
        await expect(client.getAppConfig({ credentials, appId })).rejects.toMatchObject({ name: 'NotFound' });
      },
    );

    it('returns not found for an app the user cannot see', async () => {
      const health = { userName: 'health.dev', password: 'health' };
      const appId = simulator.app('Farm Inputs').id;
      await expect(client.getAppConfig({ credentials: health, appId })).rejects.toMatchObject({ name: 'NotFound' });
    });
  });

  describe('scheduled events', () => {
    const list = async () => (await client.listScheduledEvents({ credentials, appId: clinic().id })).entries;
    const toggle = (scheduledEvent: string, state: 'Enabled' | 'Disabled') =>
      client.toggleScheduledEvent({ credentials, appId: clinic().id, scheduledEvent, state });

    it('lists scheduled events with schedule and state, and toggles them', async () => {
      expect(await list()).toContainEqual({
        schedule: '15 2 * * *',
        unit: 'Nightly',
        event: 'closeOldVisits',
        state: 'Enabled',
      });
      expect(await toggle('Nightly:closeOldVisits', 'Disabled')).toBe(
        'Nightly:closeOldVisits of Clinic Visits is disabled.',
      );
      expect(await list()).toContainEqual(expect.objectContaining({ event: 'closeOldVisits', state: 'Disabled' }));
      await toggle('Nightly:closeOldVisits', 'Enabled');
      expect(await list()).not.toContainEqual(expect.objectContaining({ state: 'Disabled' }));
    });

    it('rejects toggling an event that does not exist', async () => {
      await expect(toggle('Nightly:nothing', 'Disabled')).rejects.toMatchObject({ name: 'NotFound' });
    });
  });

  it('reads the service’s own configuration', async () => {
    expect(await client.getServiceConfig({ credentials })).toEqual({
      processTimeoutGlobalDefault: 5,
      maxDatabaseResults: 1000,
      outboundApiTimeoutGlobalDefault: 12,
    });
  });

  describe('Helium client failures', () => {
    const listApps = (options: { timeoutMs?: number; maxResponseBytes?: number } = {}, signal?: AbortSignal) =>
      createHeliumClient({ ...platform, ...options }).listApps({ credentials, signal });

    it.each<[Fault, RegExp]>([
      [{ mode: 'refuse' }, /cannot be reached: the connection was closed/],
      [{ mode: 'drop' }, /cannot be reached: the connection was closed/],
      [{ mode: 'html' }, /with a web page \(status 200\)/],
      [{ mode: 'html', status: 502 }, /with status 502/],
      [{ mode: 'error500' }, /with status 500/],
      [{ mode: 'error500', status: 503 }, /with status 503/],
      [{ mode: 'error500', status: 302 }, /with status 302/],
      [{ mode: 'half-body' }, /closed the connection during its response/],
    ])('%j becomes a readable message', async (fault, sentence) => {
      simulator.faults.set(fault);
      const problem = await listApps().catch((error: unknown) => error);
      expect(problem).toMatchObject({ name: 'Unreachable', status: 502, message: expect.stringMatching(sentence) });
    });

    it.each<Fault>([{ mode: 'hang' }, { mode: 'delay', delayMs: 60_000 }])(
      'reports %j as a time-out',
      async (fault) => {
        simulator.faults.set(fault);
        await expect(listApps({ timeoutMs: 50 })).rejects.toMatchObject({ name: 'Unreachable', status: 504 });
      },
    );

    it('calls a silent platform no more until a probe without credentials is answered', async () => {
      const reachability = { firstProbeMs: 20, maxProbePauseMs: 20 };
      const own = createHeliumClient({ ...platform, timeoutMs: 1_000, reachability });
      simulator.faults.set({ mode: 'hang' });
      await expect(own.listApps({ credentials })).rejects.toMatchObject({ name: 'Unreachable', status: 504 });
      await expect(own.listApps({ credentials })).rejects.toMatchObject({
        name: 'Silent',
        status: 502,
        message: expect.stringMatching(/^The Helium platform 127\.0\.0\.1:\d+ has not answered since \d\d:\d\d\.$/),
      });
      simulator.faults.clear();
      await expect.poll(() => own.silence).toBeUndefined();
      expect((await own.listApps({ credentials })).entries).toHaveLength(3);
      own.close();
    });

    it('finds a silent platform by a call that its caller abandons', async () => {
      simulator.faults.set({ mode: 'hang' });
      const reachability = { firstProbeMs: 3_600_000, suspiciousMs: 0 };
      const own = createHeliumClient({ ...platform, timeoutMs: 1_000, reachability });
      const abandoned = own.listApps({ credentials, signal: AbortSignal.timeout(20) });
      await expect(abandoned).rejects.toMatchObject({ name: 'TimeoutError' });
      await expect.poll(() => own.silence).toBeDefined();
      own.close();
    });

    it('is not silent when it answers another call during one that takes too long', async () => {
      simulator.faults.set({ mode: 'hang', path: heliumPaths.apps });
      const own = createHeliumClient({ ...platform, timeoutMs: 1_000 });
      const late = expect(own.listApps({ credentials })).rejects.toMatchObject({ status: 504 });
      expect(await own.getServiceConfig({ credentials })).toBeDefined();
      await late;
      expect(own.silence).toBeUndefined();
      own.close();
    });

    it('reports a lost response even though the call was applied', async () => {
      simulator.faults.set({ mode: 'drop', path: 'app-config', method: 'POST' });
      const as = { credentials, appId: simulator.app('Farm Inputs').id };
      await expect(client.patchAppConfig({ ...as, patch: { locked: true } })).rejects.toMatchObject({
        name: 'Unreachable',
      });
      simulator.faults.clear();
      expect(await client.getAppConfig(as)).toMatchObject({ locked: true });
    });

    it('changes nothing when the platform refuses a call', async () => {
      simulator.faults.set({ mode: 'refuse', path: 'app-config', method: 'POST' });
      const as = { credentials, appId: simulator.app('Stock Room').id };
      await expect(client.patchAppConfig({ ...as, patch: { locked: true } })).rejects.toMatchObject({
        name: 'Unreachable',
      });
      simulator.faults.clear();
      expect(await client.getAppConfig(as)).toMatchObject({ locked: false });
    });

    it('succeeds when a delay is shorter than the time-out', async () => {
      simulator.faults.set({ mode: 'delay', delayMs: 20 });
      expect((await listApps()).entries).toHaveLength(3);
    });

    it('reports a refused connection', async () => {
      const stopped = await startTestSimulator({ definition: { ...smallEnvironment, apps: [] } });
      await stopped.stop({ dropDatabases: true });
      const disconnected = createHeliumClient({ baseUrl: stopped.baseUrl });
      await expect(disconnected.listApps({ credentials })).rejects.toMatchObject({
        name: 'Unreachable',
        message: `The Helium platform 127.0.0.1:${stopped.port} cannot be reached: connection refused.`,
      });
    });

    it('stops reading an endless response', async () => {
      await expect(listApps({ maxResponseBytes: 100 })).rejects.toMatchObject({
        message: expect.stringContaining('more than 100 bytes'),
      });
    });

    it('reports a response of an unexpected shape', async () => {
      const wrongShape = createHeliumClient({ baseUrl: `${platform.baseUrl}/simulator/faults?` });
      await expect(wrongShape.getServiceConfig({ credentials })).rejects.toMatchObject({
        name: 'Unreachable',
        message: expect.stringContaining('an unexpected response'),
      });
    });

    it('never includes the password in an error', async () => {
      simulator.faults.set({ mode: 'error500' });
      const secret = { userName: 'demo', password: 'hunter2-hunter2' };
      const problem = await client.listApps({ credentials: secret }).catch((error: unknown) => error);
      const printed = JSON.stringify(problem, Object.getOwnPropertyNames(problem)) + String(problem);
      expect(printed).not.toContain('hunter2');
      expect(printed).not.toContain(Buffer.from('demo:hunter2-hunter2').toString('base64'));
    });

    it('ends an aborted call with the caller’s reason', async () => {
      simulator.faults.set({ mode: 'hang' });
      const giveUp = new AbortController();
      const call = listApps({}, giveUp.signal);
      giveUp.abort(new Error('not needed any more'));
      await expect(call).rejects.toThrow('not needed any more');
    });
  });
});

describe.runIf(process.env.HELIUM_URL)('Helium platform at HELIUM_URL', () => {
  const real = () => ({
    client: createHeliumClient({ baseUrl: process.env.HELIUM_URL ?? '' }),
    credentials: { userName: process.env.HELIUM_USER ?? '', password: process.env.HELIUM_PASSWORD ?? '' },
  });

  it('lists apps and reads the configuration and events of the first one', async () => {
    const { client: platform, credentials: own } = real();
    const {
      entries: [app],
    } = await platform.listApps({ credentials: own });
    const as = { credentials: own, appId: app?.id ?? '' };
    expect(await platform.getAppConfig(as)).toHaveProperty('processEntryPointTimeouts');
    expect((await platform.listScheduledEvents(as)).entries).toBeInstanceOf(Array);
  });

  it('rejects a wrong password', async () => {
    const { client: platform, credentials: own } = real();
    const wrong = { ...own, password: `${own.password}x` };
    await expect(platform.listApps({ credentials: wrong })).rejects.toMatchObject({ name: 'NotSignedIn' });
  });
});
