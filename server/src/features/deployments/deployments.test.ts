import { getAudit } from '@portal/contract/audit';
import * as contract from '@portal/contract/deployments';
import type { TakesOf } from '@portal/contract/endpoint';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { type Answered, problemOf, type TestClient } from '../../testing/test-client.ts';

type Wanted = TakesOf<typeof contract.mergeSchedule>;

let world: SmallWorld;
let client: TestClient;
let wanted: Wanted;

/** 18:00 of the first weekday at least so many days from now, in Johannesburg, which knows no summer time. */
function weekday(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000);
  while ([0, 6].includes(date.getUTCDay())) date.setUTCDate(date.getUTCDate() + 1);
  return `${date.toISOString().slice(0, 10)}T16:00:00.000Z`;
}

beforeAll(async () => {
  world = await startSmallWorld({
    deployments: {
      sourceControlPrefix: 'https://bitbucket.example.com',
      teams: [
        { name: 'Health Team', projects: [{ key: 'VISIT', name: 'Visits' }] },
        { name: 'Farm', projects: [{ key: 'FARM', name: 'Farm' }] },
        { name: 'HealthTeam', projects: [{ key: 'CLINIC', name: 'Clinics' }] },
      ],
    },
  });
  client = await world.server.signIn('demo', 'demo');
  const app = world.helium.app('Clinic Visits');
  wanted = {
    environment: 'Production',
    dataSource: app.dataSource.heliumDataSourceName,
    team: 'Health Team',
    jiraProject: 'VISIT',
    appIds: [app.id],
    releaseTag: 'https://bitbucket.example.com/clinic/commits/tag/DEPLOY_clinic_20301204',
    releaseName: 'Helium Apps - 20301204',
    releaseGroup: 'clinic',
    deploymentDate: weekday(7),
  };
});
afterAll(() => world.stop());

function merge(id: string, payload: object, by = client): Promise<Answered> {
  return by.send('POST', `/portal-backend/api/deployment/merge/${id}`, JSON.stringify(payload));
}

async function saved(id: string, payload: object, by = client): Promise<contract.Schedule> {
  const { status, text } = await merge(id, payload, by);
  if (status !== 200) throw new Error(`merge answered ${status} ${text}`);
  return contract.scheduleSchema.parse(JSON.parse(text));
}

function resolve(id: string, payload: object = {}): Promise<Answered> {
  return client.send('POST', `/portal-backend/api/deployment/resolve/${id}`, JSON.stringify(payload));
}

describe('what the wizard asks for', () => {
  it('is teams, the projects of one, the apps of a data source, and where tags are', async () => {
    expect(await client.call(contract.getDeploymentTeams, undefined)).toEqual(['Farm', 'Health Team', 'HealthTeam']);
    const projects = await client.send('GET', '/portal-backend/api/deployment/jira-project/Farm');
    expect(JSON.parse(projects.text)).toEqual([{ key: 'FARM', name: 'Farm' }]);
    const apps = await client.call(contract.getDeploymentApps, { dataSource: wanted.dataSource });
    expect(apps.map(({ id }) => id)).toContain(wanted.appIds[0]);
    expect(await client.call(contract.getDeploymentSettings, undefined)).toEqual({
      sourceControlPrefix: 'https://bitbucket.example.com/',
      timeZone: 'Africa/Johannesburg',
    });
  });

  it('means both of two teams that differ in spaces only', async () => {
    const { text } = await client.send('GET', '/portal-backend/api/deployment/jira-project/HealthTeam');
    expect(JSON.parse(text).map(({ key }: contract.Project) => key)).toEqual(['VISIT', 'CLINIC']);
    expect((await client.send('GET', '/portal-backend/api/deployment/jira-project/Nobody')).status).toBe(404);
  });
});

describe('saving', () => {
  it('takes names, schemas, tag and user from where they are known', async () => {
    const app = world.helium.app('Clinic Visits');
    const lie = { ...wanted, appNames: ['Other'], appSchemas: ['public'], releaseDescription: 'v1', status: 'MERGE' };
    const schedule = await saved('null', lie);
    expect(schedule).toMatchObject({
      appNames: ['Clinic Visits'],
      appSchemas: [app.schemaName],
      releaseDescription: 'DEPLOY_clinic_20301204',
      instructions: 'None',
      scheduleStatus: 'MERGE',
      portalUser: 'demo',
      environment: 'Production',
      deploymentDate: wanted.deploymentDate,
      revision: 1,
    });
    expect(await client.call(contract.getSchedules, undefined)).toContainEqual(schedule);
  });

  it('is listed with the latest date first, all of them or the first so many', async () => {
    for (const day of [9, 8, 9]) await saved('null', { ...wanted, deploymentDate: weekday(day) });
    const all = await client.call(contract.getSchedules, undefined);
    const dates = all.map(({ deploymentDate }) => deploymentDate);
    expect(dates).toEqual(dates.toSorted().reverse());
    expect(await client.call(contract.getSchedules, { limit: 2 })).toEqual(all.slice(0, 2));
    expect(await client.call(contract.getSchedules, { limit: 1_000 })).toEqual(all);
    for (const limit of ['0', '-1', '1.5', 'all', '1e99'])
      expect((await client.send('GET', `${contract.getSchedules.path}?limit=${limit}`)).status).toBe(400);
  });

  it('stores a tag whose name is no text as its address writes it', async () => {
    const releaseTag = 'https://bitbucket.example.com/clinic/commits/tag/v1%00';
    expect((await saved('null', { ...wanted, releaseTag })).releaseDescription).toBe('v1%00');
  });

  it('once, however often it is sent at once', async () => {
    const payload = { ...wanted, requestKey: 'twice', releaseName: 'Sent twice' };
    const both = await Promise.all([saved('null', payload), saved('null', payload), saved('null', payload)]);
    expect(new Set(both.map(({ id }) => id)).size).toBe(1);
    const list = await client.call(contract.getSchedules, undefined);
    expect(list.filter(({ releaseName }) => releaseName === 'Sent twice')).toHaveLength(1);
    expect((await merge(both[0]?.id === '1' ? '2' : '1', payload)).status).toBe(409);
  });

  it('an update that is sent twice at once saves it once', async () => {
    const { id } = await saved('null', wanted);
    const payload = { ...wanted, releaseName: 'Updated twice', expected: 1, requestKey: 'update' };
    const both = await Promise.all([saved(id, payload), saved(id, payload)]);
    expect(both.map(({ revision }) => revision)).toEqual([2, 2]);
  });

  it('is written down, and its history says what became something else', async () => {
    const { id } = await saved('null', { ...wanted, deploymentDate: '2030-12-31T18:00:00' });
    await saved(id, { ...wanted, deploymentDate: '2031-01-01T16:00:00Z', instructions: ' Lock first ', expected: 1 });
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
    const { entries } = await client.call(getAudit, { resource: id });
    expect(entries.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'deployment.update done',
      'deployment.create done',
    ]);
    expect(entries[0]).toMatchObject({ before: { instructions: 'None' }, after: { instructions: 'Lock first' } });
  });

  it('over what somebody else saved meanwhile is refused, saying who and when', async () => {
    const other = await world.server.signIn('health.dev', 'health');
    const { id } = await saved('null', wanted);
    await saved(id, { ...wanted, releaseName: 'First', expected: 1 }, other);
    const answer = await merge(id, { ...wanted, releaseName: 'Second', expected: 1 });
    expect(answer.status).toBe(409);
    expect(problemOf(answer).message).toMatch(
      /^health\.dev saved this deployment on \w{3} \d+ \w+ \d{4} \d\d:\d\d:\d\d UTC\+02:00, after you had opened it\.$/,
    );
    expect((await saved(id, { ...wanted, releaseName: 'Second', expected: 2 })).revision).toBe(3);
  });

  it('keeps a date that has passed, and takes no other that has', async () => {
    const { id } = await saved('null', wanted);
    const past = '2024-06-03T16:00:00.000Z';
    await world.server.dependencies.pool.query('UPDATE deployment_schedules SET deployment_date = $1 WHERE id = $2', [
      past,
      id,
    ]);
    expect((await saved(id, { ...wanted, deploymentDate: past, instructions: 'Running' })).instructions).toBe(
      'Running',
    );
    const other = await merge(id, { ...wanted, deploymentDate: '2024-06-04T16:00:00.000Z' });
    expect(problemOf(other).message).toBe(contract.wizardSentences.past);
  });
});

describe('bad input', () => {
  const { wizardSentences: sentences } = contract;
  const tag = 'https://bitbucket.example.com/clinic/commits/tag/';

  it.each<[string, string, Partial<Wanted>]>([
    ['dataSource', sentences.dataSource, { dataSource: '' }],
    ['team', sentences.team, { team: '' }],
    ['jiraProject', sentences.jiraProject, { jiraProject: '' }],
    ['appIds', sentences.apps, { appIds: [] }],
    [
      'releaseTag',
      contract.foreignUrlSentence('https://bitbucket.example.com/'),
      { releaseTag: `https://evil.example.com/${tag}v1` },
    ],
    [
      'releaseTag',
      contract.foreignUrlSentence('https://bitbucket.example.com/'),
      { releaseTag: 'https://bitbucket.example.com.evil.example/commits/tag/v1' },
    ],
    ['releaseTag', sentences.withoutTag, { releaseTag: 'https://bitbucket.example.com/clinic/commits/v1' }],
    ['releaseTag', sentences.withoutTag, { releaseTag: tag }],
    ['releaseName', sentences.releaseName, { releaseName: '  ' }],
    ['releaseGroup', sentences.releaseGroup, { releaseGroup: '' }],
    ['deploymentDate', sentences.deploymentDate, { deploymentDate: '' }],
    ['deploymentDate', sentences.deploymentDate, { deploymentDate: 'tomorrow' }],
    ['deploymentDate', sentences.deploymentDate, { deploymentDate: '+020000-01-03T00:00:00Z' }],
    // A Friday in Greenwich, when Saturday has begun in Johannesburg; and a Monday there that is a Sunday in Greenwich.
    ['deploymentDate', sentences.weekend, { deploymentDate: '2030-12-06T22:00:00Z' }],
    ['deploymentDate', sentences.past, { deploymentDate: '2024-06-02T22:00:00Z' }],
    ['dataSource', 'There is no data source nowhere in Production.', { dataSource: 'nowhere' }],
    ['team', 'There is no team Nobody.', { team: 'Nobody' }],
    ['jiraProject', 'The team Farm has no JIRA project VISIT.', { team: 'Farm' }],
    ['appIds', /^There is no app 123 among yours in helium-app-\d\.$/.source, { appIds: ['123'] }],
  ])('%s: %s', async (field, sentence, part) => {
    const answer = await merge('null', { ...wanted, ...part });
    expect(answer.status).toBe(400);
    const { message, fields } = problemOf(answer);
    if (sentence.startsWith('^')) expect(message).toMatch(new RegExp(sentence));
    else expect(message).toBe(sentence);
    expect(fields).toEqual({ [field]: message });
  });

  it('is an app of another data source, or of somebody else', async () => {
    const stock = world.helium.app('Stock Room');
    expect(stock.dataSource.heliumDataSourceName).not.toBe(wanted.dataSource);
    const elsewhere = await merge('null', { ...wanted, appIds: [...wanted.appIds, stock.id] });
    expect(problemOf(elsewhere).message).toBe(`There is no app ${stock.id} among yours in ${wanted.dataSource}.`);
    const farmer = await world.server.signIn('farm.dev', 'farm');
    expect((await merge('null', wanted, farmer)).status).toBe(400);
  });

  it('is somebody else’s name, another status, and an unknown schedule', async () => {
    expect((await merge('null', { ...wanted, portalUser: 'boss' })).status).toBe(403);
    expect((await merge('null', { ...wanted, status: 'DONE' })).status).toBe(400);
    for (const id of ['999999', 'undefined', '1e3', '99999999999999999999', '%27']) {
      expect((await merge(id, wanted)).status).toBe(404);
      expect((await resolve(id)).status).toBe(404);
      expect((await client.send('GET', `/portal-backend/api/deployment/history/${id}`)).status).toBe(404);
    }
  });
});

describe('resolving', () => {
  it('ends a schedule, which nothing changes from then on', async () => {
    const { id } = await saved('null', wanted);
    expect((await resolve(id, { expected: 7 })).status).toBe(409);
    expect(JSON.parse((await resolve(id)).text)).toEqual({ id, scheduleStatus: 'RESOLVED' });
    for (const answer of [await resolve(id), await merge(id, wanted), await merge(id, { ...wanted, expected: 2 })]) {
      expect(answer.status).toBe(409);
      expect(problemOf(answer).message).toMatch(/^This deployment was resolved by demo on /);
    }
    const { entries } = await client.call(getAudit, { resource: id, action: 'deployment.resolve' });
    expect(entries).toMatchObject([{ outcome: 'done', before: { scheduleStatus: 'MERGE' } }]);
  });

  it('happens once, however often it is asked for at once', async () => {
    const { id } = await saved('null', wanted);
    const answers = await Promise.all([resolve(id), resolve(id), resolve(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });
});

describe('conflicts', () => {
  it('are open schedules within two hours that touch the same', async () => {
    const at = (clock: string) => `2032-03-01T${clock}Z`;
    const stock = world.helium.app('Stock Room');
    const ofStock = { dataSource: stock.dataSource.heliumDataSourceName, appIds: [stock.id] };
    const near = await saved('null', { ...wanted, deploymentDate: at('10:00:00'), releaseName: 'Near' });
    await saved('null', { ...wanted, deploymentDate: at('09:59:59'), releaseName: 'Too early' });
    await saved('null', { ...wanted, ...ofStock, deploymentDate: at('12:00:00'), releaseName: 'Other things' });
    const over = await saved('null', { ...wanted, deploymentDate: at('12:00:00'), releaseName: 'Over' });
    await resolve(over.id);
    const asked = { dataSource: wanted.dataSource, appIds: wanted.appIds, deploymentDate: at('12:00:00') };
    expect(await client.call(contract.findScheduleConflicts, asked)).toEqual([
      {
        id: near.id,
        releaseName: 'Near',
        team: 'Health Team',
        deploymentDate: at('10:00:00.000'),
        reasons: ['same app: Clinic Visits', `same data source: ${wanted.dataSource}`],
      },
    ]);
    expect(await client.call(contract.findScheduleConflicts, { ...asked, id: near.id })).toEqual([]);
    const undated = await client.attempt(contract.findScheduleConflicts, { ...asked, deploymentDate: 'soon' });
    expect(undated.status).toBe(400);
  });
});

describe('the calendar feed', () => {
  const feed = () => client.call(contract.getCalendarFeed, undefined);

  it('is read without a session, by who knows its address, until that is taken back', async () => {
    expect(await feed()).toEqual({ createdAt: null, lastReadAt: null });
    const odd = { ...wanted, releaseName: 'A;b,c\\d', instructions: 'One\nEND:VCALENDAR\nTwo' };
    const { id, deploymentDate } = await saved('null', odd);
    const { path } = await client.call(contract.createCalendarFeed, undefined);
    const anybody = world.server.client();
    const first = await anybody.send('GET', path);
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(first.headers.get('cache-control')).toBe('no-store');
    const event = eventOf(first.text, id);
    expect(event.startDate.toJSDate().toISOString()).toBe(deploymentDate);
    expect(event.startDate.zone.tzid).toBe('UTC');
    expect(event.summary).toBe('A;b,c\\d (Health Team)');
    expect(event.description).toContain('One\nEND:VCALENDAR\nTwo');
    expect(event.sequence).toBe(1);
    expect((await feed()).lastReadAt).not.toBeNull();

    await resolve(id);
    const after = eventOf((await anybody.send('GET', path)).text, id);
    expect(after.component.getFirstPropertyValue('status')).toBe('CANCELLED');
    expect(after.sequence).toBe(2);

    const { path: newer } = await client.call(contract.createCalendarFeed, undefined);
    expect((await anybody.send('GET', path)).status).toBe(404);
    expect((await anybody.send('GET', newer)).status).toBe(200);
    await client.call(contract.revokeCalendarFeed, undefined);
    expect((await anybody.send('GET', newer)).status).toBe(404);
    expect(await feed()).toEqual({ createdAt: null, lastReadAt: null });
    const secret = newer.split('/').at(-1)?.replace('.ics', '') ?? 'none';
    expect(world.server.logged()).not.toContain(secret);
    const { rows } = await world.server.dependencies.pool.query('SELECT * FROM audit_entry');
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  function eventOf(text: string, id: string): ICAL.Event {
    const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
    const found = events
      .map((component) => new ICAL.Event(component))
      .find(({ uid }) => uid.startsWith(`deployment-${id}@`));
    if (!found) throw new Error(`no event of schedule ${id} in ${text}`);
    return found;
  }
});
