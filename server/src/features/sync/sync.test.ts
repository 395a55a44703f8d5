import { getAudit } from '@portal/contract/audit';
import { getActivity, listActivity } from '@portal/contract/sync/activity';
import { withBase } from '@portal/contract/sync/base';
import { getTemplate, getTemplateEnrollment, maskedPassword, testConnection } from '@portal/contract/sync/config';
import { getConflictFile, getConflicts, restoreConflictFile, reviewConflicts } from '@portal/contract/sync/conflicts';
import { auditDrift, getDrift } from '@portal/contract/sync/drift';
import { getEnrollment, removeUnlisted, retryEnrollment } from '@portal/contract/sync/enrollment-status';
import { findRecords, lookAgain } from '@portal/contract/sync/find';
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
import {
  answerRecovery,
  type DeletionsQuestion,
  getRecovery,
  type RestoredQuestion,
} from '@portal/contract/sync/recovery';
import { syncTexts } from '@portal/contract/sync/texts';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createConfig,
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
let clinic: { readonly id: string; readonly name: string; readonly schemaName: string };

const here = <E extends { readonly path: `/${string}` }>(endpoint: E): E => withBase('/sync/api/', endpoint);
const at = <E extends { readonly path: `/${string}` }>(endpoint: E, appId: string): E => ({
  ...here(endpoint),
  path: here(endpoint).path.replace(':appId', encodeURIComponent(appId)),
});

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
beforeEach(() => service.clear());

const audited = async (action: string) => (await client.call(getAudit, { action })).entries;

describe('forwarded sync calls', () => {
  it('carry the token, the user, the environment and the request id', async () => {
    service.script('POST /api/list', () => [createIntegration(clinic)]);
    const response = await client.attempt(here(listIntegrations), { environment: 'Production' });
    expect(JSON.parse(response.text)).toEqual([createIntegration(clinic)]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(service.calls).toMatchObject([
      {
        body: { environment: 'Production' },
        headers: {
          'x-portal-user': 'demo',
          'x-portal-environment': 'Production',
          'x-request-id': response.headers.get('x-request-id'),
        },
      },
    ]);
  });

  it('return only the apps that the platform lists for the caller', async () => {
    const stranger = createIntegration({ id: 'not-listed', name: 'Elsewhere' });
    const otherPlace = createIntegration(world.helium.app('Stock Room'), { environment: 'Staging' });
    service.script('POST /api/list', () => [
      stranger,
      createIntegration(clinic, { journeyPassword: 'leaked' }),
      otherPlace,
    ]);
    expect(await client.call(here(listIntegrations), {})).toEqual([createIntegration(clinic)]);
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect(await farmer.call(here(listIntegrations), {})).toEqual([]);
    const before = service.calls.length;
    for (const endpoint of [getIntegration, getStatusHistory, getDrift, getRecovery]) {
      expect((await farmer.attempt(at(endpoint, clinic.id), undefined)).status).toBe(404);
    }
    expect((await farmer.attempt(here(auditDrift), { appId: clinic.id })).status).toBe(404);
    expect((await farmer.attempt(here(findRecords), { appId: clinic.id })).status).toBe(404);
    expect((await farmer.attempt(here(setEnabled), { appIds: [clinic.id], enabled: false })).status).toBe(404);
    const answer = { appId: clinic.id, questionId: 'q-1', answer: 'keep-both' } as const;
    expect((await farmer.attempt(here(answerRecovery), answer)).status).toBe(404);
    expect(service.calls).toHaveLength(before);
  });

  it('keep their query and path', async () => {
    service.script(`GET /api/held/${clinic.id}`, () => ({ records: [], total: 0 }));
    service.script(`GET /api/conflicts/${clinic.id}`, () => ({ conflicts: [], total: 3, fields: [] }));
    service.script(`GET /api/files/${clinic.id}`, () => ({ files: [], total: 1 }));
    await client.call(at(getHeldRecords, clinic.id), { state: 'dead', limit: 7 });
    expect(await client.call(at(getConflicts, clinic.id), { after: '12' })).toEqual({
      conflicts: [],
      total: 3,
      fields: [],
    });
    expect(await client.call(at(getWaitingFiles, clinic.id), { limit: 2 })).toEqual({ files: [], total: 1 });
    expect(service.calls.map(({ query }) => query)).toEqual([
      { state: 'dead', limit: '7' },
      { after: '12' },
      { limit: '2' },
    ]);
    for (const asked of [{ limit: 5_000 }, { after: 'x' }, { after: '-1' }])
      expect((await client.attempt(at(getHeldRecords, clinic.id), asked)).status).toBe(400);
    expect((await client.attempt(here(skipHeld), { appId: clinic.id, nos: ['1', 'x'] })).status).toBe(400);
  });

  it('return the results of drift comparisons', async () => {
    const point = {
      table: 'visit',
      at: '2026-11-20T02:00:00.000Z',
      helium: 12,
      journey: 11,
      drifted: 1,
      held: 0,
      leftAsIs: 0,
    };
    service.script(`GET /api/drift/${clinic.id}`, () => [point]);
    expect(await client.call(at(getDrift, clinic.id), undefined)).toEqual([point]);
  });

  it('return the activity of an app, and of all apps that the caller sees', async () => {
    const intervals = [{ at: 1_800_000, toJourney: 4, toHelium: 0, toJourneyLagMs: 20, toHeliumLagMs: 0 }];
    service.script(`GET /api/activity/${clinic.id}`, () => ({ from: 900_000, intervals }));
    expect(await client.call(at(getActivity, clinic.id), { span: 'week' })).toEqual({ from: 900_000, intervals });
    expect(service.calls.map(({ query }) => query)).toEqual([{ span: 'week' }]);
    const ids = [clinic.id, 'not-listed'];
    service.script('GET /api/activity', () => ({ from: 0, integrations: ids.map((appId) => ({ appId, intervals })) }));
    expect(await client.call(here(listActivity), undefined)).toEqual({
      from: 0,
      integrations: [{ appId: clinic.id, intervals }],
    });
  });

  it('return the last list of enrollment and what waits', async () => {
    const status = { listedAt: null, users: 0, sessions: 0, problem: 'not whole', waiting: [], total: 0 };
    service.script(`GET /api/enrollment/${clinic.id}`, () => status);
    expect(await client.call(at(getEnrollment, clinic.id), undefined)).toEqual(status);
  });

  it('accept platform credentials from scripts', async () => {
    service.script(`GET /api/get/${clinic.id}`, () => ({
      ...createIntegration(clinic),
      config: createConfig(clinic, 'secret'),
    }));
    const script = world.server.client();
    script.headers.authorization = `Basic ${btoa('demo:demo')}`;
    const { config, ...integration } = await script.call(at(getIntegration, clinic.id), undefined);
    // The fields of the integration are at the top level.
    expect(integration).toEqual(createIntegration(clinic));
    expect(config.journey.restAPICredentials).toEqual({ userName: '5f1c', password: maskedPassword });
    script.headers.authorization = `Basic ${btoa('demo:wrong')}`;
    expect((await script.attempt(at(getIntegration, clinic.id), undefined)).status).toBe(401);
  });

  it("include the app's data that the service needs", async () => {
    const context = { app: clinic };
    const { dataSource } = await world.server.dependencies.appDatabases
      .find(world.server.dependencies.environments.require({}), clinic.schemaName)
      .then(({ name }) => ({ dataSource: name }));
    service.script('POST /api/get-template', () => createConfig(clinic));
    service.script('POST /api/get-template-enrollment', () => createConfig(clinic).journeyToHeliumEnrollment);
    service.script('POST /api/test-connection', () => ({
      helium: { reached: true, message: 'Reached' },
      journey: { reached: false, message: 'Wrong password' },
      problems: [{ field: 'journey.baseUrl', reason: 'x' }],
      notes: [],
    }));
    const wanted = { uuid: clinic.id, journeyUserMode: 'user' } as const;
    expect(await client.call(here(getTemplate), { ...wanted, dataSource })).toEqual(createConfig(clinic));
    await client.call(here(getTemplateEnrollment), wanted);
    await client.call(here(testConnection), { config: createConfig(clinic, 'secret') });
    expect(service.calls.map(({ body }) => body)).toMatchObject([
      { ...context, dataSource, environment: 'Production' },
      { ...context, environment: 'Production' },
      { ...context, dataSource, config: createConfig(clinic, 'secret') },
    ]);
    const [entry] = await audited('sync.test-connection');
    expect(entry).toMatchObject({ resource: clinic.id, outcome: 'done', after: { helium: true, journey: false } });
    expect(JSON.stringify(entry)).not.toContain('secret');
    expect((await client.attempt(here(getTemplate), { ...wanted, dataSource: 'unknown' })).status).toBe(400);
    expect(service.calls).toHaveLength(3);
  });

  it('refuses a configuration with too many names in a list without asking the service', async () => {
    const config = createConfig(clinic);
    for (const name of ['', 'x']) {
      const changeLogSkipTables = Array.from({ length: 1_001 }, () => name);
      const tooLong = { ...config, heliumToJourney: { ...config.heliumToJourney, changeLogSkipTables } };
      const response = await client.attempt(here(testConnection), { config: tooLong });
      expect(response.status).toBe(400);
      const field = 'config.heliumToJourney.changeLogSkipTables';
      expect(parseProblem(response).fields).toEqual({ [field]: 'must have at most 1000 names' });
    }
    expect(service.calls).toEqual([]);
  });
});

describe('sync base', () => {
  it('must match the environment', async () => {
    for (const base of ['/sync-zm/api/', '/sync-stb/api/'] as const) {
      const response = await client.attempt(withBase(base, listIntegrations), {});
      expect(response.status).toBe(400);
      expect(parseProblem(response).message).toContain('/sync/api/');
    }
    expect(service.calls).toEqual([]);
  });

  it.each([
    ['Zambia-production', '/sync-zm/api/'],
    ['Staging ü', '/sync-stb/api/'],
  ] as const)('of %s is %s', async (name, base) => {
    const server = await startTestServer({ environments: [{ name, baseUrl: world.baseUrl }], sync: service.sync });
    onTestFinished(() => server.stop());
    service.script('POST /api/list', () => [createIntegration(clinic, { environment: name })]);
    const signedIn = await server.signIn('demo', 'demo');
    expect(await signedIn.call(withBase(base, listIntegrations), {})).toHaveLength(1);
    expect(service.calls[0]?.headers['x-portal-environment']).toBe(encodeURIComponent(name));
    expect((await signedIn.attempt(here(listIntegrations), {})).status).toBe(400);
  });
});

describe('service account', () => {
  const accounts = {
    syncServiceAccounts: [
      { name: 'monitor', token: 'read-only', environments: ['Production', 'Staging'] },
      { name: 'elsewhere', token: 'read-too', environments: ['Staging'] },
    ],
  };
  const startWith = async (...names: string[]) => {
    const environments = names.map((name, at) => ({
      name,
      baseUrl: at === 0 ? world.baseUrl : `http://127.0.0.1:${at}`,
    }));
    const server = await startTestServer({ environments, sync: service.sync, ...accounts });
    onTestFinished(() => server.stop());
    return (user: string) => {
      const script = server.client();
      script.headers.authorization = `Basic ${btoa(user)}`;
      return script;
    };
  };
  beforeEach(() => {
    service.script(`GET /api/get/${clinic.id}`, () => ({
      ...createIntegration(clinic),
      config: createConfig(clinic, 'secret'),
    }));
  });

  it('reads an integration where it has access, and nothing else', async () => {
    const as = await startWith('Production', 'Staging', 'Testing');
    const path = at(getIntegration, clinic.id).path;
    const { status, text } = await as('monitor:read-only').send('GET', path);
    expect([status, text.includes('secret')]).toEqual([200, false]);
    expect(service.calls[0]?.headers).toMatchObject({
      'x-portal-user': 'service%20account%20monitor',
      'x-portal-environment': 'Production',
    });
    expect((await as('elsewhere:read-too').send('GET', path)).status).toBe(403);
    for (const user of ['monitor:wrong', 'monitor:', 'unknown:read-only']) {
      expect((await as(user).send('GET', `${path}?environment=Production`)).status, user).toBe(401);
    }
    const query = '?environment=Production';
    expect((await as('monitor:read-only').send('GET', at(getStatusHistory, clinic.id).path + query)).status).toBe(401);
    const reveal = JSON.stringify({ appId: clinic.id, environment: 'Production' });
    expect((await as('monitor:read-only').send('POST', here(revealPassword).path, reveal)).status).toBe(401);
    expect(service.calls).toHaveLength(1);
  });

  it('must name the environment if its base has several', async () => {
    const as = await startWith('Production', 'Staging', 'Testing');
    const path = `/sync-stb/api/get/${clinic.id}`;
    expect((await as('monitor:read-only').send('GET', path)).status).toBe(400);
    expect((await as('monitor:read-only').send('GET', `${path}?environment=Staging`)).status).toBe(200);
    expect((await as('monitor:read-only').send('GET', `${path}?environment=Testing`)).status).toBe(403);
    expect((await as('monitor:read-only').send('GET', `${path}?environment=Production`)).status).toBe(400);
    const both = `${path}?environment=Staging&environment=Testing`;
    expect((await as('monitor:read-only').send('GET', both)).status).toBe(400);
    expect(service.calls.map(({ headers }) => headers['x-portal-environment'])).toEqual(['Staging']);
  });
});

describe('sync actions', () => {
  it('audits changes with the values before and after', async () => {
    service.script(`GET /api/get/${clinic.id}`, () => ({
      ...createIntegration(clinic),
      config: createConfig(clinic),
    }));
    service.script('POST /api/move-cursor', () => createIntegration(clinic, { changeLogVersion: '0' }));
    const move = { appId: clinic.id, direction: 'helium-to-journey', version: '0', confirmation: 'MOVE' } as const;
    await client.call(here(moveCursor), move);
    expect((await audited('sync.move-cursor'))[0]).toMatchObject({
      resource: clinic.id,
      resourceName: 'Clinic Visits',
      description: 'helium-to-journey continues from version 0',
      before: { changeLogVersion: '9007199254740993', oplogVersion: '7' },
      after: { changeLogVersion: '0', oplogVersion: '7' },
      outcome: 'done',
    });
    service.script('POST /api/retry', () => ({ records: 2 }));
    service.script('POST /api/skip', () => ({ records: 5 }));
    service.script('POST /api/audit-drift', () => ({ message: 'Comparing.' }));
    await client.call(here(retryHeld), { appId: clinic.id, nos: ['1', '2'] });
    await client.call(here(skipHeld), { appId: clinic.id, kind: 'overflow' });
    await client.call(here(auditDrift), { appId: clinic.id });
    service.script('POST /api/retry-files', () => ({ files: 4 }));
    expect(await client.call(here(retryFiles), { appId: clinic.id })).toEqual({ files: 4 });
    expect(await audited('sync.retry-files')).toMatchObject([
      { description: 'All files retried', after: { files: 4 } },
    ]);
    service.script('POST /api/skip-files', () => ({ files: 1 }));
    expect(await client.call(here(skipFiles), { appId: clinic.id, nos: ['5'] })).toEqual({ files: 1 });
    expect(await audited('sync.skip-files')).toMatchObject([{ description: 'Files skipped: 1', after: { files: 1 } }]);
    service.script('POST /api/retry-enrollment', () => ({ retried: 1 }));
    const subjects = ['Re-enrollment of appuser 7'];
    expect(await client.call(here(retryEnrollment), { appId: clinic.id, subjects })).toEqual({ retried: 1 });
    expect(await audited('sync.retry-enrollment')).toMatchObject([
      { description: 'Enrollment retried: Re-enrollment of appuser 7', after: { retried: 1 } },
    ]);
    const message = 'Up to 3 users will be removed now, if Journey still does not list them.';
    service.script('POST /api/remove-unlisted', () => ({ message }));
    const removal = { appId: clinic.id, subject: 'users', confirmation: 'REMOVE' } as const;
    expect(await client.call(here(removeUnlisted), removal)).toEqual({ message });
    expect(await audited('sync.remove-unlisted')).toMatchObject([
      { description: 'Removal of what Journey no longer lists: users', after: { message } },
    ]);
    service.script('POST /api/try-now', () => ({ message: 'The next attempt starts within a second.' }));
    await client.call(here(tryNow), { appId: clinic.id });
    expect(await audited('sync.try-now')).toMatchObject([{ description: 'Next attempt requested', outcome: 'done' }]);
    const id = '7f4a5f0e-2f5d-4d39-9a5e-1f6f3c1d2b3a';
    service.script('POST /api/look-again', () => ({ message: 'The record is read again on both sides.' }));
    await client.call(here(lookAgain), { appId: clinic.id, records: [{ table: 'visit', id }] });
    expect(await audited('sync.look-again')).toMatchObject([{ description: `Records read again: visit/${id}` }]);
    const found = { records: [], isCut: false, notSearched: [], objects: [], isLoggingIds: false, problem: null };
    service.script('POST /api/find-records', () => found);
    expect(await client.call(here(findRecords), { appId: clinic.id, id })).toEqual(found);
    expect((await audited('sync.retry'))[0]).toMatchObject({
      description: 'Held records retried: 1, 2',
      after: { records: 2 },
    });
    expect((await audited('sync.skip'))[0]?.description).toBe('Held records skipped: all of kind overflow');
    expect(await audited('sync.audit-drift')).toHaveLength(1);
  });

  it('downloads a file of a conflict so that no browser shows it in this origin, and audits that', async () => {
    const fileName = 'José "1".html';
    service.script(`GET /api/conflict-file/${clinic.id}`, (_, reply) =>
      reply
        .headers({ 'x-file-name': encodeURIComponent(fileName), 'content-type': 'text/html' })
        .send(Buffer.from('<script>1</script>')),
    );
    const { status, headers, text } = await client.attempt(at(getConflictFile, clinic.id), { no: '12' });
    expect([status, text]).toEqual([200, '<script>1</script>']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '18',
      'content-disposition': `attachment; filename="Jos_ _1_.html"; filename*=UTF-8''Jos%C3%A9%20%221%22.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'no-store',
    });
    expect(service.calls.at(-1)?.query).toEqual({ no: '12' });
    expect(await audited('sync.download-file')).toMatchObject([
      { resource: clinic.id, description: 'File 12 of a conflict downloaded', after: { fileName, size: 18 } },
    ]);
  });

  it('forwards why a file of a conflict cannot be downloaded', async () => {
    const message = 'The file is not kept any more: its time is over.';
    service.script(`GET /api/conflict-file/${clinic.id}`, (_, reply) =>
      reply.code(404).send({ message, requestId: 's-1', kind: 'not-found' }),
    );
    const response = await client.attempt(at(getConflictFile, clinic.id), { no: '12' });
    expect([response.status, parseProblem(response).message]).toEqual([404, message]);
    expect((await audited('sync.download-file'))[0]).toMatchObject({ outcome: 'refused' });
  });

  it('restores a file of a conflict of an app that the platform lists for the caller, and audits that', async () => {
    service.script('POST /api/restore-conflict-file', () => ({ message: 'The file is in photo again.' }));
    const request = { appId: clinic.id, no: '12' };
    expect(await client.call(here(restoreConflictFile), request)).toEqual({
      message: 'The file is in photo again.',
    });
    expect((await audited('sync.restore-file'))[0]).toMatchObject({
      resource: clinic.id,
      description: 'File 12 of a conflict restored',
      outcome: 'done',
    });
    const before = service.calls.length;
    const stranger = await world.server.signIn('farm.dev', 'farm');
    for (const attempt of [
      stranger.attempt(here(restoreConflictFile), request),
      stranger.attempt(at(getConflictFile, clinic.id), { no: '12' }),
    ])
      expect((await attempt).status).toBe(404);
    expect(service.calls).toHaveLength(before);
  });

  it('audits what was done about conflicts, without values of records', async () => {
    service.script('POST /api/review-conflicts', () => ({ reviewed: 3, refused: [], next: null }));
    const field = { table: 'visit', column: 'note' };
    await client.call(here(reviewConflicts), { appId: clinic.id, take: 'journey', field });
    await client.call(here(reviewConflicts), { appId: clinic.id, take: 'value', value: 'secret', nos: ['12'] });
    const [second, first] = await audited('sync.review-conflicts');
    expect(first).toMatchObject({
      resource: clinic.id,
      description: 'Conflicts reviewed: Journey’s value taken, all of visit.note',
      after: { reviewed: 3 },
    });
    expect(second).toMatchObject({ description: 'Conflicts reviewed: another value written, 12' });
    expect(JSON.stringify(second)).not.toContain('secret');
  });

  it('audits the answer to a question with the question, without values of records, and the predicted effect', async () => {
    const about = { id: 'q-1', askedAt: '2026-11-20T02:00:00.000Z', reason: 'Entry 4 differs.' };
    const object = { table: 'visit', toHelium: true, toJourney: true, comingBack: 0 };
    const restored: RestoredQuestion = {
      ...about,
      kind: 'restored',
      side: 'helium',
      asOf: '2026-11-19T22:00:00.000Z',
      objects: [{ ...object, onlyInHelium: 0, onlyInJourney: 2, differ: 1 }],
    };
    service.script(`GET /api/recovery/${clinic.id}`, () => ({ question: restored }));
    service.script('POST /api/answer-recovery', () => createIntegration(clinic, { journeyPassword: 'leaked' }));
    expect(await client.call(at(getRecovery, clinic.id), undefined)).toEqual({ question: restored });
    const answer = { appId: clinic.id, questionId: 'q-1', answer: 'helium', confirmation: 'DELETE' } as const;
    expect(await client.call(here(answerRecovery), answer)).toEqual(createIntegration(clinic));
    expect(service.calls.at(-1)?.body).toEqual(answer);
    const none = { created: 0, changed: 0, deleted: 0 };
    const { kind, side, asOf, askedAt, reason } = restored;
    expect((await audited('sync.answer-recovery'))[0]).toMatchObject({
      resource: clinic.id,
      resourceName: 'Clinic Visits',
      description: 'Question that halted the integration answered: helium',
      before: { question: { kind, side, asOf, askedAt, reason } },
      after: { answer: 'helium', effect: { helium: none, journey: { created: 0, changed: 1, deleted: 2 } } },
      outcome: 'done',
    });

    const values = { name: 'a patient' };
    const deletions: DeletionsQuestion = {
      ...about,
      kind: 'deletions',
      side: 'journey',
      table: 'visit',
      known: 30,
      absent: 30,
      isSyncedBack: true,
      clearedReferences: [{ table: 'referral', column: 'visit_fk', records: 4 }],
      sample: [{ id: 'v-1', values }],
    };
    service.script(`GET /api/recovery/${clinic.id}`, () => ({ question: deletions }));
    service.script('POST /api/answer-recovery', (_, reply) =>
      reply.code(409).send({ title: 'Already decided', message: 'Too late.', requestId: 'x', kind: 'conflict' }),
    );
    const refused = await client.attempt(here(answerRecovery), { ...answer, answer: 'delete' });
    expect([refused.status, parseProblem(refused).message]).toEqual([409, 'Too late.']);
    const [entry] = await audited('sync.answer-recovery');
    expect(entry).toMatchObject({
      before: { question: { kind: 'deletions', side: 'journey', table: 'visit', known: 30, absent: 30 } },
      outcome: 'refused',
      reason: 'Too late.',
    });
    expect(JSON.stringify(entry)).not.toContain(values.name);
    const unknown = JSON.stringify({ ...answer, answer: 'neither' });
    expect((await client.send('POST', here(answerRecovery).path, unknown)).status).toBe(400);
  });

  it('audit each app when several are switched, including those that were refused', async () => {
    const stock = world.helium.app('Stock Room');
    service.script('POST /api/list', () => [
      createIntegration(clinic),
      createIntegration(stock, { status: 'Disabled' }),
    ]);
    service.script('POST /api/set-enabled', () => [
      { appId: clinic.id, status: 'Disabled', message: 'Disabled' },
      { appId: stock.id, status: 'Enabled', message: 'There is no integration.' },
    ]);
    await client.call(here(setEnabled), { appIds: [clinic.id, stock.id], enabled: false });
    expect(await audited('sync.disable')).toMatchObject([
      { resource: stock.id, before: { status: 'Disabled' }, outcome: 'refused', reason: 'There is no integration.' },
      { resource: clinic.id, before: { status: 'Enabled' }, after: { status: 'Disabled' }, outcome: 'done' },
    ]);
    service.script('POST /api/set-enabled', () => [
      { appId: clinic.id, status: 'Halted', message: 'It needs a decision first.' },
    ]);
    await client.call(here(setEnabled), { appIds: [clinic.id], enabled: true });
    expect(await audited('sync.enable')).toMatchObject([{ outcome: 'refused', reason: 'It needs a decision first.' }]);
    service.script('POST /api/set-enabled', (_, reply) =>
      reply.code(503).send({ message: 'Busy', requestId: 'x', kind: '' }),
    );
    await client.attempt(here(setEnabled), { appIds: [clinic.id], enabled: true });
    expect((await audited('sync.enable'))[0]).toMatchObject({ outcome: 'failed', reason: 'Busy' });
  });

  it('revealing a password is audited without the password', async () => {
    service.script('POST /api/reveal-password', () => ({ password: 'open sesame' }));
    expect(await client.call(here(revealPassword), { appId: clinic.id })).toEqual({ password: 'open sesame' });
    const [entry] = await audited('sync.reveal-password');
    expect(entry).toMatchObject({ outcome: 'done', description: 'Journey password shown', after: null });
    expect(JSON.stringify(entry)).not.toContain('sesame');
    expect(world.server.logged()).not.toContain('sesame');
  });

  it('refuses changes without the required role', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    const roles = [
      { role: 'viewer', users: ['demo'] },
      { role: 'maintainer', users: ['health.dev'] },
    ] as const;
    const server = await startTestServer({
      environments,
      sync: service.sync,
      roles: roles.map(({ role, users }) => ({ role, users: [...users] })),
    });
    onTestFinished(() => server.stop());
    service.script('POST /api/list', () => [createIntegration(clinic)]);
    service.script('POST /api/audit-drift', () => ({ message: 'Comparing.' }));
    service.script(`GET /api/recovery/${clinic.id}`, () => ({ question: null }));
    const viewer = await server.signIn('demo', 'demo');
    expect(await viewer.call(here(listIntegrations), {})).toHaveLength(1);
    expect(await viewer.call(at(getRecovery, clinic.id), undefined)).toEqual({ question: null });
    const answer = { appId: clinic.id, questionId: 'q-1', answer: 'keep-both' } as const;
    expect((await viewer.attempt(here(answerRecovery), answer)).status).toBe(403);
    expect((await viewer.attempt(here(auditDrift), { appId: clinic.id })).status).toBe(403);
    expect((await viewer.attempt(here(setEnabled), { appIds: [clinic.id], enabled: true })).status).toBe(403);
    expect((await viewer.attempt(here(tryNow), { appId: clinic.id })).status).toBe(403);
    const file = { appId: clinic.id, no: '12' };
    expect((await viewer.attempt(here(restoreConflictFile), file)).status).toBe(403);
    const look = { appId: clinic.id, records: [{ table: 'visit', id: '7f4a5f0e-2f5d-4d39-9a5e-1f6f3c1d2b3a' }] };
    expect((await viewer.attempt(here(lookAgain), look)).status).toBe(403);
    const maintainer = await server.signIn('health.dev', 'health');
    expect((await maintainer.attempt(here(auditDrift), { appId: clinic.id })).status).toBe(200);
    expect((await maintainer.attempt(here(revealPassword), { appId: clinic.id })).status).toBe(403);
    expect(service.calls.map(({ what }) => what)).toEqual([
      'POST /api/list',
      `GET /api/recovery/${clinic.id}`,
      'POST /api/audit-drift',
    ]);
  });
});

describe('failing sync service', () => {
  const get = () => client.attempt(at(getIntegration, clinic.id), undefined);
  const path = () => `GET /api/get/${clinic.id}`;

  it('forwards that the service is busy, with the time to wait', async () => {
    service.script(path(), (_, reply) =>
      reply.code(429).send({ message: 'The sync service is busy.', requestId: 'x', kind: 'busy' }),
    );
    const response = await get();
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
    expect(parseProblem(response)).toMatchObject({ kind: 'busy', message: 'The sync service is busy.' });
  });

  it("forwards the service's error", async () => {
    service.script(path(), (_, reply) =>
      reply.code(409).send({ title: 'Changed', message: 'Changed by A.', requestId: 'theirs', kind: 'conflict' }),
    );
    const response = await get();
    expect(response.status).toBe(409);
    expect(parseProblem(response)).toEqual({
      title: 'Changed',
      message: 'Changed by A.',
      kind: 'conflict',
      requestId: response.headers.get('x-request-id'),
    });
    service.script(path(), (_, reply) =>
      reply.code(400).send({ message: 'Not so.', requestId: 'x', kind: 'invalid', fields: { 'config.a': 'is wrong' } }),
    );
    expect(parseProblem(await get())).toMatchObject({ message: 'Not so.', fields: { 'config.a': 'is wrong' } });
  });

  it.each([
    ['its own 502', (reply) => reply.code(502).send({ message: 'x', requestId: 'x', kind: 'unreachable' })],
    ['a page', (reply) => reply.type('text/html').send('<html>')],
    ['an empty response', (reply) => reply.send('')],
    ['an invalid response', (reply) => reply.send({ id: 7 })],
    ['an error without a reason', (reply) => reply.code(500).send('oh')],
    ['a redirect', (reply) => reply.redirect('http://169.254.169.254/')],
    ['a rejected token', (reply) => reply.code(401).send({ message: 'x', requestId: 'x', kind: 'not-signed-in' })],
    [
      'half a response',
      (reply) => {
        reply.hijack();
        reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        reply.raw.write('{"integration":', () => reply.raw.destroy());
      },
    ],
    ['a cut connection', (reply) => reply.hijack().raw.destroy()],
  ] satisfies [string, (reply: Parameters<Parameters<ScriptedSyncService['script']>[1]>[1]) => unknown][])(
    'responds to %s with 502 and the specified message',
    async (_, say) => {
      service.script(path(), (_call, reply) => say(reply));
      const response = await get();
      expect(response.status).toBe(502);
      expect(parseProblem(response).message).toBe('Bad Gateway - Invalid response from the upstream server');
      expect((await client.attempt(getAudit, {})).status).toBe(200);
    },
  );

  it('responds to an unreachable service with 502 and the specified message', async () => {
    const environments = [{ name: 'Production', baseUrl: world.baseUrl }];
    const server = await startTestServer({ environments, sync: { url: 'http://127.0.0.1:1' } });
    onTestFinished(() => server.stop());
    const response = await (await server.signIn('demo', 'demo')).attempt(here(listIntegrations), {});
    expect(response.status).toBe(502);
    expect(parseProblem(response)).toMatchObject({ message: syncTexts.badGateway, unavailable: 'the sync service' });
  });
});
