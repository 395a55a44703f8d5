import { getAudit } from '@portal/contract/audit';
import * as contract from '@portal/contract/deployments';
import { wizardSentences } from '@portal/contract/deployments-rules';
import type { RequestOf } from '@portal/contract/endpoint';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseProblem } from '../../testing/test-client.ts';
import { type DeploymentsWorld, nextWeekday, startDeploymentsWorld } from './deployments.fixture.ts';

let world: DeploymentsWorld;
let client: DeploymentsWorld['client'];
let request: DeploymentsWorld['request'];
let merge: DeploymentsWorld['merge'];
let save: DeploymentsWorld['save'];
let resolve: DeploymentsWorld['resolve'];

beforeAll(async () => {
  world = await startDeploymentsWorld();
  ({ client, request, merge, save, resolve } = world);
});
afterAll(() => world.stop());

describe('deployments of other teams, without roles', () => {
  it('can be read, but changed and resolved only by those who may change one of the apps', async () => {
    const { id } = await save('null', request);
    const farmer = await world.server.signIn('farm.dev', 'farm');
    const viewer = await world.server.signIn('viewer', 'viewer');
    const reason =
      'You cannot change deployments of the team Health Team, because Helium does not let you change any of its apps.';
    for (const other of [farmer, viewer]) {
      const schedules = await other.call(contract.getSchedules, undefined);
      expect(schedules.map((schedule) => schedule.id)).toContain(id);
      const farm = { ...request, appIds: [world.helium.app('Farm Inputs').id] };
      const resolving = other.send('POST', `/portal-backend/api/deployment/resolve/${id}`, '{}');
      for (const response of [await merge(id, farm, other), await resolving])
        expect([response.status, parseProblem(response).message]).toEqual([403, reason]);
    }
    expect((await merge('null', request, viewer)).status).toBe(403);
    const health = await world.server.signIn('health.dev', 'health');
    expect((await save(id, { ...request, releaseName: 'Ours' }, health)).releaseName).toBe('Ours');
  });
});

describe('deployment wizard data', () => {
  it("returns the teams, a team's projects, a data source's apps and the tag prefix", async () => {
    expect(await client.call(contract.getDeploymentTeams, undefined)).toEqual(['Farm', 'Health Team', 'HealthTeam']);
    const projects = await client.send('GET', '/portal-backend/api/deployment/jira-project/Farm');
    expect(JSON.parse(projects.text)).toEqual([{ key: 'FARM', name: 'Farm' }]);
    const apps = await client.call(contract.getDeploymentApps, { dataSource: request.dataSource });
    expect(apps.map(({ id }) => id)).toContain(request.appIds[0]);
    expect(await client.call(contract.getDeploymentSettings, undefined)).toEqual({
      sourceControlPrefix: 'https://bitbucket.example.com/',
      timeZone: 'Africa/Johannesburg',
    });
  });

  it('returns the projects of both teams whose names differ only in spaces', async () => {
    const { text } = await client.send('GET', '/portal-backend/api/deployment/jira-project/HealthTeam');
    expect(JSON.parse(text).map(({ key }: contract.Project) => key)).toEqual(['VISIT', 'CLINIC']);
    expect((await client.send('GET', '/portal-backend/api/deployment/jira-project/Unknown')).status).toBe(404);
  });
});

describe('saving a schedule', () => {
  it('takes names, schemas, tag and user from the platform and the session', async () => {
    const app = world.helium.app('Clinic Visits');
    const lie = { ...request, appNames: ['Other'], appSchemas: ['public'], releaseDescription: 'v1', status: 'MERGE' };
    const schedule = await save('null', lie);
    expect(schedule).toMatchObject({
      appNames: ['Clinic Visits'],
      appSchemas: [app.schemaName],
      releaseDescription: 'DEPLOY_clinic_20301204',
      instructions: 'None',
      scheduleStatus: 'MERGE',
      portalUser: 'demo',
      environment: 'Production',
      deploymentDate: request.deploymentDate,
      revision: 1,
    });
    expect(await client.call(contract.getSchedules, undefined)).toContainEqual(schedule);
  });

  it('lists all schedules or a limited number, latest date first', async () => {
    for (const day of [9, 8, 9]) await save('null', { ...request, deploymentDate: nextWeekday(day) });
    const all = await client.call(contract.getSchedules, undefined);
    const dates = all.map(({ deploymentDate }) => deploymentDate);
    expect(dates).toEqual(dates.toSorted().reverse());
    // Nothing filters the fields of a list that is written while it is read.
    expect(all).toEqual(contract.getSchedules.response.parse(all));
    expect(await client.call(contract.getSchedules, { limit: 2 })).toEqual(all.slice(0, 2));
    expect(await client.call(contract.getSchedules, { limit: 1_000 })).toEqual(all);
    for (const limit of ['0', '-1', '1.5', 'all', '1e99'])
      expect((await client.send('GET', `${contract.getSchedules.path}?limit=${limit}`)).status).toBe(400);
  });

  it('lists the schedules of a period, of a status, and those saved since an instant', async () => {
    const list = (filters: RequestOf<typeof contract.getSchedules>) => client.call(contract.getSchedules, filters);
    // More than a weekend apart: a date on a weekend is moved to Monday.
    const saveOn = (day: number) => save('null', { ...request, deploymentDate: nextWeekday(day) });
    const [first, second, { deploymentDate: to }] = [await saveOn(20), await saveOn(23), await saveOn(26)];
    const period = { from: first.deploymentDate, to };
    const ids = (schedules: readonly contract.Schedule[]) => schedules.map(({ id }) => id);
    expect(ids(await list(period))).toEqual([second.id, first.id]);
    await resolve(first.id);
    expect(ids(await list({ ...period, status: 'MERGE' }))).toEqual([second.id]);
    expect(ids(await list({ ...period, status: 'RESOLVED' }))).toEqual([first.id]);

    const { pool } = world.server.dependencies;
    await pool.query(`update deployment_schedules set updated_at = updated_at - interval '5 minutes' where id <> $1`, [
      second.id,
    ]);
    expect(ids(await list({ since: second.updatedAt }))).toEqual([second.id]);
    expect((await client.send('GET', `${contract.getSchedules.path}?since=yesterday`)).status).toBe(400);
  });

  it('returns less than 20 kB of 300 long schedules to a page that has them while no one saves', async () => {
    const { pool } = world.server.dependencies;
    const { rows } = await pool.query<{ newest: Date }>(
      `with added as (
         insert into deployment_schedules (environment, deployment_date, team, jira_project, app_ids, app_names, app_schemas,
           release_name, release_group, release_tag, release_description, instructions, data_source, schedule_status,
           portal_user, revision, updated_at)
         select 'Production', now() + interval '90 days', 'Health', 'HLT', '{1}', '{Clinic}', '{a}', 'Release ' || n,
           'Nightly', '', 'Idle', repeat('x', 2000), 'helium-app-1', 'MERGE', 'demo', 1, now() + n * interval '20 seconds'
         from generate_series(1, 300) n returning updated_at)
       select max(updated_at) as newest from added`,
    );
    onTestFinished(async () => {
      await pool.query(`delete from deployment_schedules where release_description = 'Idle'`);
    });
    const read = (query: string) => client.send('GET', contract.getSchedules.path + query);
    expect(Buffer.byteLength((await read('')).text)).toBeGreaterThan(600_000);
    const { text } = await read(`?since=${rows[0]?.newest.toISOString()}`);
    const names = contract.getSchedules.response.parse(JSON.parse(text)).map(({ releaseName }) => releaseName);
    expect(names).toEqual(['Release 300', 'Release 299', 'Release 298', 'Release 297']);
    expect(Buffer.byteLength(text)).toBeLessThan(20_000);
  });

  it('stores the tag as in its URL if the encoding is invalid', async () => {
    const releaseTag = 'https://bitbucket.example.com/clinic/commits/tag/v1%00';
    expect((await save('null', { ...request, releaseTag })).releaseDescription).toBe('v1%00');
  });

  it('saves a schedule once if it is sent several times at once', async () => {
    const payload = { ...request, requestKey: 'twice', releaseName: 'Sent twice' };
    const both = await Promise.all([save('null', payload), save('null', payload), save('null', payload)]);
    expect(new Set(both.map(({ id }) => id)).size).toBe(1);
    const list = await client.call(contract.getSchedules, undefined);
    expect(list.filter(({ releaseName }) => releaseName === 'Sent twice')).toHaveLength(1);
    expect((await merge(both[0]?.id === '1' ? '2' : '1', payload)).status).toBe(409);
  });

  it('saves an update once if it is sent twice at once', async () => {
    const { id } = await save('null', request);
    const payload = { ...request, releaseName: 'Updated twice', expected: 1, requestKey: 'update' };
    const both = await Promise.all([save(id, payload), save(id, payload)]);
    expect(both.map(({ revision }) => revision)).toEqual([2, 2]);
  });

  it('audits a change, and lists the changed fields in the history', async () => {
    const { id } = await save('null', { ...request, deploymentDate: '2030-12-31T18:00:00' });
    await save(id, { ...request, deploymentDate: '2031-01-01T16:00:00Z', instructions: ' Lock first ', expected: 1 });
    const { text } = await client.send('GET', `/portal-backend/api/deployment/history/${id}`);
    const [updated, created] = JSON.parse(text);
    expect(updated).toMatchObject({
      revision: 2,
      by: 'demo',
      kind: 'updated',
      changes: [
        {
          field: 'Deployment Date',
          before: 'Tue 31 Dec 2030 18:00:00 UTC+02:00',
          after: 'Wed 1 Jan 2031 18:00:00 UTC+02:00',
        },
        { field: 'Instructions', before: 'None', after: 'Lock first' },
      ],
    });
    expect(created).toMatchObject({ revision: 1, kind: 'created' });
    expect(created.changes).toContainEqual({ field: 'Helium Apps', before: null, after: 'Clinic Visits' });
    const { entries } = await client.call(getAudit, { resourceKind: 'schedule', resource: id });
    expect(entries.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'deployment.update done',
      'deployment.create done',
    ]);
    expect(entries[0]).toMatchObject({ before: { instructions: 'None' }, after: { instructions: 'Lock first' } });
  });

  it("refuses to overwrite another user's change, with the user and time", async () => {
    const other = await world.server.signIn('health.dev', 'health');
    const { id } = await save('null', request);
    await save(id, { ...request, releaseName: 'First', expected: 1 }, other);
    const response = await merge(id, { ...request, releaseName: 'Second', expected: 1 });
    expect(response.status).toBe(409);
    expect(parseProblem(response).message).toMatch(
      /^health\.dev saved this deployment on \w{3} \d+ \w+ \d{4} \d\d:\d\d:\d\d UTC\+02:00, after you opened it\.$/,
    );
    expect((await save(id, { ...request, releaseName: 'Second', expected: 2 })).revision).toBe(3);
  });

  it('keeps a date that has passed, but accepts no other past date', async () => {
    const { id } = await save('null', request);
    const past = '2024-06-03T16:00:00.000Z';
    await world.server.dependencies.pool.query('update deployment_schedules set deployment_date = $1 where id = $2', [
      past,
      id,
    ]);
    expect((await save(id, { ...request, deploymentDate: past, instructions: 'Running' })).instructions).toBe(
      'Running',
    );
    const other = await merge(id, { ...request, deploymentDate: '2024-06-04T16:00:00.000Z' });
    expect(parseProblem(other).message).toBe(wizardSentences.past);
  });
});

describe('resolving a schedule', () => {
  it('ends the schedule, which cannot be changed afterwards', async () => {
    const { id } = await save('null', request);
    expect((await resolve(id, { expected: 7 })).status).toBe(409);
    expect(JSON.parse((await resolve(id)).text)).toEqual({ id, scheduleStatus: 'RESOLVED' });
    for (const response of [
      await resolve(id),
      await merge(id, request),
      await merge(id, { ...request, expected: 2 }),
    ]) {
      expect(response.status).toBe(409);
      expect(parseProblem(response).message).toMatch(/^This deployment was resolved by demo on /);
    }
    const { entries } = await client.call(getAudit, {
      resourceKind: 'schedule',
      resource: id,
      action: 'deployment.resolve',
    });
    expect(entries).toMatchObject([
      { outcome: 'refused' },
      { outcome: 'done', before: { scheduleStatus: 'MERGE' } },
      { outcome: 'refused' },
    ]);
  });

  it('records the outcome and its note, in the schedule, in its history and in the audit trail', async () => {
    const { id } = await save('null', { ...request, releaseName: 'Went back' });
    expect((await resolve(id, { outcome: 'vanished' })).status).toBe(400);
    const resolution = { outcome: 'rolledBack', note: ' The migration took too long. ' };
    expect((await resolve(id, resolution)).status).toBe(200);
    const schedules = await client.call(contract.getSchedules, undefined);
    const outcomeNote = 'The migration took too long.';
    expect(schedules.find((one) => one.id === id)).toMatchObject({ outcome: 'rolledBack', outcomeNote });
    const history = await client.send('GET', contract.getScheduleHistory.path.replace(':scheduleId', id));
    expect(JSON.parse(history.text)[0].changes).toEqual([
      { field: 'Status', before: 'Scheduled', after: 'Resolved' },
      { field: 'Outcome', before: null, after: 'Rolled back' },
      { field: 'Note', before: null, after: outcomeNote },
    ]);
    const { entries } = await client.call(getAudit, {
      resourceKind: 'schedule',
      resource: id,
      action: 'deployment.resolve',
    });
    expect(entries[0]).toMatchObject({
      description: 'Deployment Went back resolved: rolled back',
      after: { scheduleStatus: 'RESOLVED', outcome: 'rolledBack', outcomeNote },
    });
  });

  it('resolves once if it is requested several times at once', async () => {
    const { id } = await save('null', request);
    const responses = await Promise.all([resolve(id), resolve(id), resolve(id)]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });
});

describe('deployment conflicts', () => {
  it('finds open schedules within two hours that affect the same apps, schemas or data source', async () => {
    const at = (clock: string) => `2032-03-01T${clock}Z`;
    const stock = world.helium.app('Stock Room');
    const ofStock = { dataSource: stock.dataSource.heliumDataSourceName, appIds: [stock.id] };
    const near = await save('null', { ...request, deploymentDate: at('10:00:00'), releaseName: 'Near' });
    await save('null', { ...request, deploymentDate: at('09:59:59'), releaseName: 'Too early' });
    await save('null', { ...request, ...ofStock, deploymentDate: at('12:00:00'), releaseName: 'Other things' });
    const over = await save('null', { ...request, deploymentDate: at('12:00:00'), releaseName: 'Over' });
    await resolve(over.id);
    const conflictRequest = { dataSource: request.dataSource, appIds: request.appIds, deploymentDate: at('12:00:00') };
    expect(await client.call(contract.findScheduleConflicts, conflictRequest)).toEqual([
      {
        id: near.id,
        releaseName: 'Near',
        team: 'Health Team',
        deploymentDate: at('10:00:00.000'),
        reasons: ['same app: Clinic Visits', `same data source: ${request.dataSource}`],
      },
    ]);
    expect(await client.call(contract.findScheduleConflicts, { ...conflictRequest, id: near.id })).toEqual([]);
    const undated = await client.attempt(contract.findScheduleConflicts, {
      ...conflictRequest,
      deploymentDate: 'soon',
    });
    expect(undated.status).toBe(400);
  });
});
