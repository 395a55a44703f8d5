import { getTemplate, getTemplateEnrollment, maskedPassword, testConnection } from '@portal/contract/sync/config';
import { getConflicts, restoreConflictFile, reviewConflicts } from '@portal/contract/sync/conflicts';
import { auditDrift, getDifferences, getDrift } from '@portal/contract/sync/drift';
import { syncEndpoints } from '@portal/contract/sync/endpoints';
import { getEnrollment, removeUnlisted, retryEnrollment } from '@portal/contract/sync/enrollment-status';
import {
  getIntegration,
  getStatusHistory,
  listIntegrations,
  moveCursor,
  revealPassword,
  setEnabled,
  tryNow,
} from '@portal/contract/sync/integration';
import {
  getHeldRecords,
  getWaitingFiles,
  retryFiles,
  retryHeld,
  skipFiles,
  skipHeld,
} from '@portal/contract/sync/records';
import { createEncryption } from '@portal/kit/encryption';
import { Secret } from '@portal/kit/secret';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { quickRateLimiter } from '../engine/testing/sync-integration.fixture.ts';
import { createOperations } from '../operations/operations.ts';
import { configFor, grain, startServiceForFile, until } from '../service.fixture.ts';
import { metricsToken } from '../service-config.fixture.ts';
import { HeliumDatabases } from '../sync-state/helium-databases.ts';

const test = await startServiceForFile();

const get = (appId: string, as = {}) => test.call(getIntegration, undefined, { appId, ...as });

describe('authentication', () => {
  it('refuses every call without the token', async () => {
    for (const { method, path } of syncEndpoints) {
      const response = await fetch(`${test.service.address}/api${path.replace(':appId', 'x')}`, { method });
      expect([path, response.status]).toEqual([path, 401]);
    }
  });

  it('accepts only callers with the complete token', async () => {
    for (const token of ['', 'wrong', test.parts.token.reveal().slice(0, -1), `${test.parts.token.reveal()}0`]) {
      const { status, body } = await test.call(listIntegrations, {}, { token });
      expect([status, body]).toMatchObject([401, { kind: 'not-signed-in', requestId: 'test-1' }]);
    }
    const { closed } = test.socket({ type: 'LOG_SESSION', appId: 'x' }, { token: 'wrong' });
    expect(await closed).toEqual({ code: 1006, reason: 'Unexpected server response: 401' });
    expect((await fetch(`${test.service.address}/metrics`)).status).toBe(401);
  });

  it('lets the metrics token read the metrics and nothing else', async () => {
    const headers = { authorization: `Bearer ${metricsToken}` };
    const metrics = await fetch(`${test.service.address}/metrics`, { headers });
    expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining('sync_running_integrations')]);
    expect(await test.call(listIntegrations, {}, { token: metricsToken })).toMatchObject({ status: 401 });
    expect(await test.call(revealPassword, { appId: grain.id }, { token: metricsToken })).toMatchObject({
      status: 401,
    });
  });

  it('serves /health without a token', async () => {
    const response = await fetch(`${test.service.address}/health`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('rejects an environment that is not configured or differs from the header', async () => {
    const template = { uuid: grain.id, dataSource: 'apps-1', journeyUserMode: 'user', app: grain };
    expect(await test.call(getTemplate, template, { environment: 'Nowhere' })).toMatchObject({ status: 400 });
    expect(await test.call(listIntegrations, { environment: 'Staging' })).toMatchObject({
      status: 400,
      body: { fields: { environment: 'is not Production' } },
    });
  });
});

describe('template', () => {
  it('returns a template for both directions from the beginning, which can be saved once it has credentials', async () => {
    const { status, body } = await test.call(getTemplate, {
      uuid: grain.id,
      dataSource: 'apps-1',
      journeyUserMode: 'session',
      app: grain,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      helium: { appId: grain.id, dbSchema: grain.schemaName, baseUrl: 'https://helium-production.example.com' },
      enableHeliumToJourney: true,
      enableJourneyToHelium: true,
      heliumToJourney: { changeLogMinVersionAsString: '0', changeLogSkipTables: [] },
      journeyToHeliumEnrollment: { type: 'session', enabled: false, lockedFieldName: 'locked', updateIntervalMins: 15 },
      basedOn: null,
    });
    const app = { id: 'template', name: 'Template', schemaName: 'template' };
    const restAPICredentials = { userName: 'someone', password: 'sesame' };
    const filled = {
      ...body,
      helium: { ...body.helium, appId: app.id, dbSchema: app.schemaName },
      journey: { ...body.journey, baseUrl: 'https://run-testing-us.example.com/api/v4/1', restAPICredentials },
    };
    expect(await test.merge(filled, app)).toEqual({ value: 'Saved and enabled.' });
  });

  it('returns an enrollment template with a name for every field of its mode', async () => {
    const { body } = await test.call(getTemplateEnrollment, { uuid: grain.id, journeyUserMode: 'user' });
    expect(body).toMatchObject({ type: 'user', allowedAccessFieldName: 'allowedAccess', urlFieldName: 'url' });
  });

  it('rejects a template for a data source that is not configured', async () => {
    const request = { uuid: grain.id, dataSource: 'apps-9', journeyUserMode: 'user', app: grain };
    expect(await test.call(getTemplate, request)).toMatchObject({
      status: 400,
      body: { fields: { dataSource: 'is not one of Production' } },
    });
  });
});

describe('integration', () => {
  beforeAll(async () => {
    expect(await test.merge(configFor())).toEqual({ value: 'Saved and enabled.' });
  });

  it('lists and shows an integration without its password, only in its own environment', async () => {
    const { body } = await test.call(listIntegrations, { environment: 'Production' });
    expect(body.find(({ id }) => id === grain.id)).toMatchObject({
      appName: 'Grain',
      status: 'Enabled',
      journeyPassword: '********',
      journeyEnvironment: 'Testing',
      changeLogVersion: '0',
      changedBy: 'thandi',
    });
    const shown = await get(grain.id);
    expect(shown.body.config.journey.restAPICredentials).toEqual({
      userName: '5f0000000000000000000001',
      password: '********',
    });
    expect(shown.body.config.basedOn).toBe(shown.body.changedAt);
    expect(await get(grain.id, { environment: 'Staging' })).toMatchObject({ status: 404 });
    expect(await test.call(listIntegrations, {}, { environment: 'Staging' })).toMatchObject({ body: [] });
  });

  it('reveals the password on request and stores it encrypted', async () => {
    const { body } = await test.call(revealPassword, { appId: grain.id });
    expect(body).toEqual({ password: 'sesame' });
    const { rows } = await test.parts.pool.query('select i::text as whole from sync.integration i');
    expect(JSON.stringify(rows)).not.toContain('sesame');
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('sesame').toString('hex'));
  });

  it('shows the figures that the run reports', async () => {
    await until(() => test.engine.running(grain.id).length === 1);
    const nowMs = Date.now();
    test.engine.running(grain.id)[0]?.run.publish({
      heliumSyncStatus: 'Live',
      lastPingedMs: nowMs,
      heliumToJourneyWaitingSinceMs: nowMs - 150_000,
      changeLogVersion: '9007199254740993',
      deadLetters: 2,
    });
    await until(async () => (await get(grain.id)).body.deadLetters === 2);
    const { body: integration } = await get(grain.id);
    expect(integration).toMatchObject({
      heliumSyncStatus: 'Live',
      changeLogVersion: '9007199254740993',
      lastPinged: nowMs,
      health: 'Late',
      journeyToHeliumLagMs: 0,
    });
    expect(integration.heliumToJourneyLagMs).toBeGreaterThanOrEqual(150_000);
    const headers = { authorization: `Bearer ${test.parts.token.reveal()}` };
    const metrics = await (await fetch(`${test.service.address}/metrics`, { headers })).text();
    expect(metrics).toContain('sync_held_records{environment="Production",app="7a0c",kind="dead"} 2');
    expect(metrics).toContain('sync_status{environment="Production",app="template",status="Enabled"} 1');
  });

  it('enables and disables several integrations at once, or none', async () => {
    const unknown = Array.from({ length: 2_000 }, (_, at) => `unknown ${at}`);
    const none = await test.call(setEnabled, { appIds: [grain.id, ...unknown], enabled: false });
    expect(none.status).toBe(404);
    expect((await get(grain.id)).body.status).toBe('Enabled');

    const both = await test.call(setEnabled, { appIds: [grain.id, 'template'], enabled: false }, { user: 'sipho' });
    expect(both.body).toEqual([
      { appId: grain.id, status: 'Disabled', message: 'Disabled.' },
      { appId: 'template', status: 'Disabled', message: 'Disabled.' },
    ]);
    await until(() => test.engine.running(grain.id).length === 0);
    const { body } = await get(grain.id);
    // Two dead letters and a waiting change were reported before.
    expect(body).toMatchObject({ changedBy: 'sipho', health: 'Late', config: { enabled: false } });

    await test.call(setEnabled, { appIds: [grain.id], enabled: true });
    await until(() => test.engine.running(grain.id).length === 1);
    const repeated = await test.call(setEnabled, { appIds: [grain.id], enabled: true }, { user: 'unknown' });
    expect(repeated.body).toEqual([{ appId: grain.id, status: 'Enabled', message: 'It is already enabled.' }]);
    expect((await get(grain.id)).body.changedBy).toBe('thandi');
    const history = await test.call(getStatusHistory, undefined, { appId: grain.id });
    expect(history.body.map(({ status, by, reason }) => [status, by, reason])).toEqual([
      ['Enabled', 'thandi', null],
      ['Disabled', 'sipho', null],
      ['Enabled', 'thandi', 'created'],
    ]);
  });

  it('passes operator actions to the engine and wakes the run', async () => {
    let wakeUps = 0;
    test.engine.running(grain.id)[0]?.run.onWake(() => {
      wakeUps += 1;
    });
    expect(await test.call(retryHeld, { appId: grain.id, kind: 'overflow' })).toMatchObject({
      body: { records: 3 },
    });
    await until(() => wakeUps === 1);
    expect(await test.call(skipHeld, { appId: grain.id, nos: ['4'] })).toMatchObject({ body: { records: 2 } });
    await until(() => wakeUps === 2);
    expect(await test.call(retryHeld, { appId: grain.id })).toMatchObject({ status: 400 });
    expect(await test.call(retryFiles, { appId: grain.id })).toMatchObject({ body: { files: 4 } });
    await until(() => wakeUps === 3);
    await test.call(retryFiles, { appId: grain.id, nos: ['5'] });
    await until(() => wakeUps === 4);
    expect(await test.call(skipFiles, { appId: grain.id, nos: ['6'] })).toMatchObject({ body: { files: 1 } });
    await until(() => wakeUps === 5);
    expect(await test.call(retryEnrollment, { appId: grain.id })).toMatchObject({ body: { retried: 3 } });
    await until(() => wakeUps === 6);
    await test.call(retryEnrollment, { appId: grain.id, subjects: ['appuser 7'] });
    await until(() => wakeUps === 7);
    const remove = { appId: grain.id, confirmation: 'REMOVE' } as const;
    expect(await test.call(removeUnlisted, { ...remove, subject: 'users' })).toMatchObject({
      body: { message: 'Up to 7 users will be removed now, if Journey still does not list them.' },
    });
    await until(() => wakeUps === 8);
    expect(await test.call(removeUnlisted, { ...remove, subject: 'rows of x' })).toMatchObject({
      status: 409,
      body: { message: 'No removal of rows of x waits any more. Reload the list.' },
    });
    await test.call(getWaitingFiles, { limit: '7', after: '2' }, { appId: grain.id });
    await test.call(getHeldRecords, { limit: '7', state: 'dead' }, { appId: grain.id });
    await test.call(getConflicts, {}, { appId: grain.id });
    expect(await test.call(getDrift, undefined, { appId: grain.id })).toMatchObject({ status: 200, body: [] });
    await test.call(getDifferences, { limit: '9' }, { appId: grain.id });
    await test.call(getEnrollment, undefined, { appId: grain.id });
    expect(test.engine.calls.map(({ name, args }) => [name, args[1]])).toEqual([
      ['retry', { kind: 'overflow' }],
      ['skip', { numbers: ['4'] }],
      ['retryFiles', null],
      ['retryFiles', ['5']],
      ['skipFiles', ['6']],
      ['retryEnrollment', null],
      ['retryEnrollment', ['appuser 7']],
      ['removeUnlisted', 'users'],
      ['removeUnlisted', 'rows of x'],
      ['readWaitingFiles', { limit: 7, after: '2' }],
      ['readHeld', { limit: 7, state: 'dead' }],
      ['readConflicts', { limit: 100 }],
      ['readDrift', undefined],
      ['readDifferences', { limit: 9 }],
      ['readEnrollment', undefined],
    ]);
  });

  it('passes a requested attempt to the run, and refuses it while the integration is disabled', async () => {
    let attempts = 0;
    test.engine.running(grain.id)[0]?.run.onTryNow(() => {
      attempts += 1;
    });
    expect((await test.call(tryNow, { appId: grain.id })).status).toBe(200);
    await until(() => attempts === 1);
    await test.call(setEnabled, { appIds: [grain.id], enabled: false });
    expect(await test.call(tryNow, { appId: grain.id })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('is disabled. Enable it') },
    });
    await test.call(setEnabled, { appIds: [grain.id], enabled: true });
    await until(() => test.engine.running(grain.id).length === 1);
  });

  it('shows since when a call to Journey is unanswered', async () => {
    test.engine.running(grain.id)[0]?.run.publish({
      heliumSyncStatus: 'Live',
      journeySyncStatus: 'Waiting: Journey is slow.',
      lastPingedMs: Date.now(),
      heliumToJourneyWaitingSinceMs: null,
      deadLetters: 0,
      unansweredSinceMs: Date.now() - 7_000,
    });
    await until(async () => (await get(grain.id)).body.deadLetters === 0);
    const { body: integration } = await get(grain.id);
    expect(integration.heliumSyncStatus).toMatch(/^Waiting for an answer from Journey since \d+ s$/);
    expect(integration).toMatchObject({ journeySyncStatus: 'Waiting: Journey is slow.', health: 'Late' });
  });

  it('says which record has waited for more than 10 s, and why, in the status of its direction', async () => {
    await until(() => test.engine.running(grain.id).length > 0);
    const reason = 'Its row in Helium is locked: held 1 s by pid 7 (till 7, since 2026-11-20 02:00 UTC).';
    const oldestWaiting = { direction: 'journey-to-helium', object: 'crop', id: 'c-1', reason } as const;
    const report = async (sinceMs: number, waiting: number) => {
      const [active] = test.engine.running(grain.id);
      const live = { heliumSyncStatus: 'Live', journeySyncStatus: 'Live', unansweredSinceMs: null };
      active?.run.publish({ ...live, waiting, oldestWaiting: { ...oldestWaiting, sinceMs } });
      await until(async () => (await get(grain.id)).body.waiting === waiting);
      return (await get(grain.id)).body;
    };
    expect(await report(Date.now() + 3_600_000, 2)).toMatchObject({ journeySyncStatus: 'Live', health: 'Late' });
    const { heliumSyncStatus, journeySyncStatus } = await report(Date.now() - 11_000, 3);
    expect(heliumSyncStatus).toBe('Live');
    expect(journeySyncStatus).toMatch(/^Waiting: crop\/c-1 for \d+ s, and 2 more records: Its row in Helium is locked/);
    test.engine.running(grain.id)[0]?.run.publish({ waiting: 0, oldestWaiting: null });
  });

  it('names the objects that are paused in the status of each direction that is live', async () => {
    await until(() => test.engine.running(grain.id).length > 0);
    const first = ['crop', 'field', 'region'].map((object) => ({
      object,
      reason: 'code: It can no longer be synced.',
    }));
    test.engine.running(grain.id)[0]?.run.publish({
      heliumSyncStatus: 'Live',
      journeySyncStatus: 'Waiting: Journey is slow.',
      lastPingedMs: Date.now(),
      unansweredSinceMs: null,
      pausedObjects: { count: 5, first },
    });
    await until(async () => (await get(grain.id)).body.pausedObjects.count === 5);
    expect((await get(grain.id)).body).toMatchObject({
      heliumSyncStatus: 'Paused: crop, field, region and 2 more objects',
      journeySyncStatus: 'Waiting: Journey is slow.',
      health: 'Late',
      pausedObjects: { count: 5, first },
    });
    test.engine.running(grain.id)[0]?.run.publish({ pausedObjects: { count: 0, first: [] } });
  });

  it('moves a cursor under a later fence while nothing runs, then restarts the run', async () => {
    const [before] = test.engine.running(grain.id);
    const move = { appId: grain.id, direction: 'journey-to-helium', version: '77', confirmation: 'MOVE' };
    expect(await test.call(moveCursor, { ...move, confirmation: 'move' })).toMatchObject({ status: 400 });
    test.engine.versionProblem = 'The op-log ends at 5.';
    expect(await test.call(moveCursor, move)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('The op-log ends at 5.') },
    });
    test.engine.versionProblem = null;
    const { body } = await test.call(moveCursor, move);
    expect(body.oplogVersion).toBe('77');
    const to = test.engine.calls.find(({ name }) => name === 'moveCursor')?.args[1] as { fence: string };
    await until(() => test.engine.running(grain.id).some(({ run }) => run !== before?.run));
    const [after] = test.engine.running(grain.id);
    const fences = [before?.run.fence, to.fence, after?.run.fence].map((fence) => BigInt(fence ?? 0));
    expect(before?.isOver).toBe(true);
    expect([...fences].sort((a, b) => (a < b ? -1 : 1))).toEqual(fences);
    expect(new Set(fences).size).toBe(3);
  });

  it('tests a connection with the stored password, and reports invalid configurations without connecting', async () => {
    const { config } = (await get(grain.id)).body;
    const sound = await test.call(testConnection, { config, app: grain, dataSource: 'apps-1' });
    expect(sound.body).toMatchObject({ helium: { reached: true }, problems: [] });
    const target = test.engine.targets[test.engine.targets.length - 1];
    expect(target?.journeyPassword.reveal()).toBe('sesame');
    const testCount = test.engine.targets.length;
    const wrong = await test.call(testConnection, { config, app: grain, dataSource: null });
    expect(wrong.body).toMatchObject({ helium: { reached: false }, problems: [{ field: 'helium.dbSchema' }] });
    expect(test.engine.targets.length).toBe(testCount);
  });

  it("reports an unreachable or slow data source as such, not as a failure of the portal's database or a bug", async () => {
    const databases = new HeliumDatabases(test.parts.config.environments, 1);
    const { operations } = test.engine;
    const scripted = { readHeld: operations.readHeld, moveCursor: operations.moveCursor };
    onTestFinished(() => {
      Object.assign(operations, scripted);
      return databases.stop();
    });
    const real = createOperations(databases, quickRateLimiter());
    Object.assign(operations, { readHeld: real.readHeld, moveCursor: real.moveCursor });
    const query = vi.spyOn(databases.get('Production', 'apps-1').reading, 'query');
    const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    query.mockImplementation(() => Promise.reject(outage));
    const expected = {
      status: 503,
      body: { message: 'The data source apps-1 cannot be reached. Try again in a moment.' },
    };
    expect(await test.call(getHeldRecords, {}, { appId: grain.id })).toMatchObject(expected);
    const move = { appId: grain.id, direction: 'journey-to-helium', version: '77', confirmation: 'MOVE' };
    expect(await test.call(moveCursor, move)).toMatchObject(expected);
    const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    query.mockImplementation(() => Promise.reject(slow));
    const message = 'The database took too long. Request less data, or try again.';
    expect(await test.call(getHeldRecords, {}, { appId: grain.id })).toMatchObject({
      status: 504,
      body: { message },
    });
  });

  it('reports a password that was encrypted with another key', async () => {
    const { pool } = test.parts;
    const app = { id: 'rekeyed', name: 'Rekeyed', schemaName: 'rekeyed' };
    const config = { ...configFor(app), enabled: false };
    expect(await test.merge(config, app)).toEqual({ value: 'Saved.' });
    const sealed = createEncryption(new Secret('cd'.repeat(32))).encrypt('sesame', 'anything');
    await pool.query('update sync.integration set journey_password = $1 where app_id = $2', [sealed, app.id]);
    const message =
      'The Journey password of rekeyed was encrypted with a different key and cannot be read. Enter it again.';
    expect(await test.call(revealPassword, { appId: app.id })).toMatchObject({ status: 400, body: { message } });
    const { journey } = config;
    const masked = { ...journey, restAPICredentials: { ...journey.restAPICredentials, password: maskedPassword } };
    expect(await test.merge({ ...config, enabled: true, journey: masked }, app)).toMatchObject({
      failed: true,
      value: message,
    });
    expect(await test.merge({ ...config, enabled: true }, app)).toEqual({ value: 'Saved and enabled.' });
  });

  it('sends a file that lost a conflict as plain bytes with its name and size, and restores it', async () => {
    const response = await fetch(`${test.service.address}/api/conflict-file/${grain.id}?no=12`, {
      headers: test.headers(),
    });
    expect(await response.text()).toBe('<script>1//');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '11',
      'x-file-name': encodeURIComponent('José "1".html'),
    });
    expect(test.engine.calls.at(-1)).toMatchObject({ name: 'readConflictFile', args: [{ appId: grain.id }, '12'] });
    const { body } = await test.call(restoreConflictFile, { appId: grain.id, no: '12' });
    expect(body.message).toBe('The file is in photo of visit v-1 again. Sync treats it as an edit in Helium.');
    expect(test.engine.calls.at(-1)).toMatchObject({ name: 'restoreConflictFile', args: [{ appId: grain.id }, '12'] });
    expect(await test.call(restoreConflictFile, { appId: grain.id, no: 'x' })).toMatchObject({ status: 400 });
  });

  it('reviews conflicts by number or by field, and writes a value into one record only', async () => {
    const field = { table: 'visit', column: 'note' };
    const { body } = await test.call(reviewConflicts, { appId: grain.id, take: 'journey', field, after: '7' });
    expect(body).toEqual({ reviewed: 2, refused: [], next: null });
    expect(test.engine.calls.at(-1)).toMatchObject({
      name: 'reviewConflicts',
      args: [{ appId: grain.id }, { take: 'journey', value: null, selection: { field, after: '7' }, by: 'thandi' }],
    });
    await test.call(reviewConflicts, { appId: grain.id, take: 'value', value: 'agreed', nos: ['3'] });
    expect(test.engine.calls.at(-1)).toMatchObject({
      args: [{ appId: grain.id }, { take: 'value', value: 'agreed', selection: { numbers: ['3'] } }],
    });
    const take = 'winner' as const;
    for (const wrong of [{ take }, { take, field, nos: ['3'] }, { take: 'value', value: 'x', field } as const])
      expect(await test.call(reviewConflicts, { appId: grain.id, ...wrong })).toMatchObject({ status: 400 });
    await test.call(getConflicts, { reviewed: 'no', table: 'visit', column: '' }, { appId: grain.id });
    expect(test.engine.calls.at(-1)).toMatchObject({
      args: [{ appId: grain.id }, { limit: 100, isReviewed: false, field: { table: 'visit', column: null } }],
    });
  });

  it('counts again what is held and in conflict while the integration does not run', async () => {
    await test.call(setEnabled, { appIds: [grain.id], enabled: false });
    await test.call(reviewConflicts, { appId: grain.id, take: 'winner', nos: ['3'] });
    expect((await get(grain.id)).body).toMatchObject({ status: 'Disabled', conflicts: 5 });
    await test.call(setEnabled, { appIds: [grain.id], enabled: true });
  });

  it('requests a comparison of both sides', async () => {
    const { body } = await test.call(auditDrift, { appId: grain.id });
    expect(body.message).toBe('Both sides are being compared; the log shows what is found.');
    expect(test.engine.calls.some(({ name }) => name === 'requestComparison')).toBe(true);
  });
});
