import { addEntryPoint, disableApp, getConfig, lockApp, removeEntryPoint } from '@portal/contract/app-config';
import { getApps } from '@portal/contract/apps';
import { getAudit } from '@portal/contract/audit';
import { getScheduledEvents, toggleScheduledEvent } from '@portal/contract/scheduled-functions';
import { parseSkippedEntries, skippedEntriesHeader } from '@portal/contract/skipped-entries';
import { defaultDialect } from '@portal/platforms/helium/dialect/dialect.config';
import { startTranslator, type Translator } from '@portal/platforms/helium/translator.fixture';
import type { HeliumSimulator } from '@portal/simulators/helium/simulator';
import { smallEnvironment } from '@portal/simulators/helium/small-environment';
import { startTestSimulator } from '@portal/simulators/helium/test-simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseProblem, type TestClient } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let helium: HeliumSimulator;
let platform: Translator;
let server: TestServer;
let client: TestClient;
let appId: string;

beforeAll(async () => {
  helium = await startTestSimulator();
  platform = await startTranslator(helium.baseUrl, defaultDialect);
  const { name, timeZone } = smallEnvironment;
  server = await startTestServer({ environments: [{ name, timeZone, baseUrl: platform.baseUrl }] });
  client = await server.signIn('demo', 'demo');
  appId = helium.app('Clinic Visits').id;
});
afterAll(async () => {
  await server.stop();
  await platform.stop();
  await helium.stop({ dropDatabases: true });
});
afterEach(() => {
  platform.ignoresChanges = false;
  platform.distort = (document) => document;
});

const findLastEntry = async (action: string) => (await client.call(getAudit, { action, resource: appId })).entries[0];

describe('changes on a platform that does not do what it accepts', () => {
  it('reports and audits settings that the platform lost because it replaces the whole configuration', async () => {
    await client.call(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 15 });
    const lock = await client.attempt(lockApp, { appId, locked: true });
    expect(lock.status).toBe(502);
    const message =
      'Not as requested: the platform made the change, and others with it. Changed as well: Entry point Nightly:close removed (was 15 min).';
    expect(parseProblem(lock).message).toBe(message);
    expect(await findLastEntry('config.lock-app')).toMatchObject({ outcome: 'failed', reason: message });

    const added = await client.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:close', duration: 20 });
    expect(parseProblem(added).message).toContain('Changed as well: App unlocked.');
  });

  it('reports a field that the portal does not know and that is lost', async () => {
    const countChanges = () => platform.calls.filter((call) => call.startsWith('POST ')).length;
    const earlier = countChanges();
    platform.distort = (document) =>
      Array.isArray(document) || countChanges() > earlier ? document : Object.assign({ quota: 5 }, document);
    await client.attempt(removeEntryPoint, { appId, entryPoint: 'Nightly:close' });
    const entry = await findLastEntry('config.remove-entry-point');
    expect(entry).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('Changed as well: Field quota removed.'),
    });
  });

  it('notes a message that reads back differently beside the change that was made', async () => {
    platform.distort = (document) =>
      Array.isArray(document) ? document : Object.assign({}, document, { disabledMessage: 'Off' });
    const text = await client.call(disableApp, { appId, disabled: true });
    const note = 'The disabled message reads back differently: it is "Off".';
    expect(text).toContain(note);
    expect(await findLastEntry('config.disable-app')).toMatchObject({ outcome: 'done', reason: note });
    platform.distort = (document) => document;
    await client.call(disableApp, { appId, disabled: false });
  });

  it('reports a setting that reads back with another value, and Undo leaves it alone', async () => {
    const before = await client.call(getConfig, { appId });
    platform.ignoresChanges = true;
    const response = await client.attempt(addEntryPoint, { appId, entryPoint: 'Nightly:open', duration: 30 });
    const message =
      'Not as requested: the platform accepted the change, but the setting reads back differently: Nightly:open is not set.';
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toBe(message);
    expect(await findLastEntry('config.add-entry-point')).toMatchObject({ outcome: 'failed', reason: message });
    const { undoable } = await client.call(getConfig, { appId });
    expect(undoable).toEqual(before.undoable);
  });

  it('reports a scheduled function that keeps its state', async () => {
    platform.ignoresChanges = true;
    const toggle = { appId, scheduledEvent: 'Reminders:sendReminders', state: 'Disabled' } as const;
    const response = await client.attempt(toggleScheduledEvent, toggle);
    const message =
      'Not as requested: the platform accepted the change, but the functions read back differently: Reminders:sendReminders is enabled.';
    expect(response.status).toBe(502);
    expect(parseProblem(response).message).toBe(message);
    expect(await findLastEntry('functions.toggle')).toMatchObject({ outcome: 'failed', reason: message });
  });
});

describe('lists with entries that cannot be read', () => {
  const append = (entry: unknown) => (document: unknown) => (Array.isArray(document) ? [...document, entry] : document);

  it('lists the other apps, at sign-in too, and reports the entries that were skipped', async () => {
    platform.distort = append({ id: 'seven', name: 'Seven' });
    const credentials = { userName: 'demo', password: 'demo' };
    const apps = await client.attempt(getApps, { credentials });
    expect(JSON.parse(apps.text)).toHaveLength(3);
    expect(parseSkippedEntries(apps.headers.get(skippedEntriesHeader))).toEqual({
      count: 1,
      reasons: ['entry 4: schemaName: missing is no text'],
    });
  });

  it('lists the other scheduled functions and reports the entries that were skipped', async () => {
    expect((await client.attempt(getScheduledEvents, { appId })).headers.has(skippedEntriesHeader)).toBe(false);
    platform.distort = append({ schedule: '* * * * *', unit: 'Nightly', event: 'näh', state: 'PAUSED' });
    const events = await client.attempt(getScheduledEvents, { appId });
    expect(JSON.parse(events.text)).toHaveLength(5);
    expect(parseSkippedEntries(events.headers.get(skippedEntriesHeader))).toEqual({
      count: 1,
      reasons: ['entry 6: state: "PAUSED" is neither "Enabled" nor "Disabled"'],
    });
  });
});
