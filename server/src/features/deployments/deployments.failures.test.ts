import * as contract from '@portal/contract/deployments';
import { type JiraSimulator, startJiraSimulator } from '@portal/simulators/projects/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmallWorld, startSmallWorld } from '../../testing/small-world.ts';
import { parseProblem } from '../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

const token = 'token-of-a-test';
const projects = [{ key: 'VISIT', name: 'Visits', projectCategory: { name: 'Health Team' } }];
const calls = Object.values(contract).flatMap((value) =>
  typeof value === 'object' && 'method' in value
    ? [{ method: value.method, path: value.path, fields: listFields(value.request) }]
    : [],
);

function listFields(request: object | null): string[] {
  return request !== null && 'shape' in request && typeof request.shape === 'object' && request.shape !== null
    ? Object.keys(request.shape)
    : [];
}

let jira: JiraSimulator;
let world: SmallWorld;

beforeAll(async () => {
  jira = await startJiraSimulator({ flavor: 'cloud', projects, user: 'portal', token });
  world = await startSmallWorld({ deployments: settings() });
});
afterAll(async () => {
  await world.stop();
  await jira.stop();
});

function settings() {
  return {
    jira: { baseUrl: jira.baseUrl, flavor: 'cloud' as const, user: 'portal', token },
    sourceControlPrefix: 'https://bitbucket.example.com/',
  };
}

/** Starts another portal on the same platform. */
function startPortal(name: string, rest: Partial<Parameters<typeof startTestServer>[0]> = {}): Promise<TestServer> {
  const dataSources = [...world.helium.dataSources];
  return startTestServer({
    environments: [{ name, baseUrl: world.baseUrl, dataSources }],
    deployments: settings(),
    ...rest,
  });
}

function createRequest() {
  const app = world.helium.app('Clinic Visits');
  return {
    dataSource: app.dataSource.heliumDataSourceName,
    team: 'Health Team',
    jiraProject: 'VISIT',
    appIds: [app.id],
    releaseTag: 'https://bitbucket.example.com/clinic/commits/tag/v1',
    releaseName: 'Clinic',
    releaseGroup: 'clinic',
    deploymentDate: '2031-01-01T16:00:00Z',
  };
}

describe('deployments outside Production', () => {
  it('refuses every call in Staging', async () => {
    const portal = await startPortal('Staging');
    const client = await portal.signIn('demo', 'demo');
    expect(calls).toHaveLength(12);
    const values = Object.entries(createRequest());
    for (const { method, path, fields } of calls) {
      const body = Object.fromEntries(values.filter(([field]) => fields.includes(field)));
      const response = await client.send(method, path, method === 'GET' ? undefined : JSON.stringify(body));
      expect(response.status, path).toBe(403);
      expect(parseProblem(response).message).toBe(
        'Deployments are available in Production only; you are signed in to Staging.',
      );
    }
    await portal.stop();
  });

  it("allows deployments in the developers' own environment", async () => {
    const portal = await startPortal('Localhost');
    const client = await portal.signIn('demo', 'demo');
    expect(await client.call(contract.getSchedules, undefined)).toEqual([]);
    await portal.stop();
  });
});

describe('deployments with roles', () => {
  it("a viewer can read but not change, and a feed ends with its owner's role", async () => {
    const grant = { role: 'viewer' as const, users: ['viewer'] };
    const portal = await startPortal('Production', { roles: [grant] });
    const client = await portal.signIn('viewer', 'viewer');
    expect(await client.call(contract.getDeploymentTeams, undefined)).toEqual(['Health Team']);
    const saved = await client.send(
      'POST',
      '/portal-backend/api/deployment/merge/null',
      JSON.stringify(createRequest()),
    );
    expect(saved.status).toBe(403);
    expect((await client.send('POST', '/portal-backend/api/deployment/resolve/1', '{}')).status).toBe(403);
    const { path } = await client.call(contract.createCalendarFeed, undefined);
    expect((await portal.client().send('GET', path)).status).toBe(200);

    const { databaseUrl } = portal;
    const later = await startPortal('Production', { databaseUrl, roles: [{ ...grant, users: ['demo'] }] });
    expect((await later.client().send('GET', path)).status).toBe(404);
    await later.stop();
    await portal.stop();
  });
});

describe('calendar feed', () => {
  it('limits calendars that poll without pause', async () => {
    const portal = await startPortal('Production');
    const signedOut = portal.client();
    const path = `/portal-backend/api/deployment/calendar/${'x'.repeat(43)}.ics`;
    const responses = await Promise.all(Array.from({ length: 300 }, () => signedOut.send('GET', path)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404, 429]));
    await portal.stop();
  });
});

describe('deployments while Jira is unreachable', () => {
  it('nothing can be scheduled if Jira never responded, and everything if it did before', async () => {
    const knows = await world.server.signIn('demo', 'demo');
    expect(await knows.call(contract.getDeploymentTeams, undefined)).toEqual(['Health Team']);
    jira.faults.set({ mode: 'error500' });
    const save = { method: 'POST', path: '/portal-backend/api/deployment/merge/null' } as const;
    expect((await knows.send(save.method, save.path, JSON.stringify(createRequest()))).status).toBe(200);

    const portal = await startPortal('Production');
    const client = await portal.signIn('demo', 'demo');
    for (const response of [
      await client.send('GET', contract.getDeploymentTeams.path),
      await client.send(save.method, save.path, JSON.stringify(createRequest())),
    ]) {
      expect(response.status).toBe(502);
      expect(parseProblem(response).message).toMatch(/^Jira 127\.0\.0\.1:\d+ returned status 500\.$/);
      expect(response.text).not.toContain(token);
    }
    expect(portal.logged()).not.toContain(token);
    jira.faults.clear();
    await portal.stop();
  });
});
