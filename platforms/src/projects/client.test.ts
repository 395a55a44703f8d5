import { Unreachable } from '@portal/kit/problems';
import { Secret } from '@portal/kit/secret';
import { type JiraSimulator, startJiraSimulator } from '@portal/simulators/projects/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fetchJiraProjects, type JiraOptions } from './client.ts';
import { JiraBusy } from './read-json.ts';
import type { JiraProject } from './wire.ts';

const projects: JiraProject[] = [
  ...Array.from({ length: 120 }, (_, index) => ({
    key: `P${index}`,
    name: `Project ${index}`,
    projectCategory: { name: index % 2 === 0 ? 'Health' : 'Farming' },
  })),
  { key: 'LOOSE', name: 'In no category' },
  { key: 'OLD', name: 'Archived', archived: true },
];
const seen = projects.filter(({ archived }) => !archived).map(({ key }) => key);

const token = 'token-of-a-test';

describe.each(['cloud', 'server'] as const)('Jira %s', (flavor) => {
  let jira: JiraSimulator;
  let options: JiraOptions;
  beforeAll(async () => {
    const user = flavor === 'cloud' ? 'portal@example.com' : undefined;
    jira = await startJiraSimulator({ flavor, projects, token, ...(user && { user }), pageSize: 25 });
    options = { baseUrl: `${jira.baseUrl}/`, flavor, user, token: new Secret(token), timeoutMs: 5_000 };
  });
  afterAll(() => jira.stop());
  afterEach(() => {
    jira.faults.clear();
    jira.setBusy(null);
    jira.setProjects(projects);
  });

  async function problem(other: Partial<JiraOptions> = {}): Promise<Unreachable> {
    const error: unknown = await fetchJiraProjects({ ...options, ...other }).catch((thrown: unknown) => thrown);
    if (!(error instanceof Unreachable)) throw new Error(`expected Unreachable, not ${error}`);
    expect(error.message).not.toContain(token);
    return error;
  }

  it('reads all projects to the last page', async () => {
    const found = await fetchJiraProjects(options);
    expect(found.map(({ key }) => key)).toEqual(seen);
    expect(found[0]).toEqual({ key: 'P0', name: 'Project 0', projectCategory: { name: 'Health' } });
  });

  it('returns an empty list when there are no projects', async () => {
    jira.setProjects([]);
    expect(await fetchJiraProjects(options)).toEqual([]);
  });

  it('reports a rejected token', async () => {
    const { message } = await problem({ token: new Secret('wrong') });
    expect(message).toContain("does not accept the portal's token.");
    const ofCloud = /after a year at most\. .* https:\/\/api\.atlassian\.com\/ex\/jira\/\{cloudId\}\.$/;
    expect(message).toMatch(flavor === 'cloud' ? ofCloud : /expired\.$/);
  });

  it('reports when to retry a busy Jira', async () => {
    jira.setBusy('17');
    const busy = await problem();
    expect(busy).toBeInstanceOf(JiraBusy);
    expect(busy).toMatchObject({ retryAfterSeconds: 17 });
    jira.setBusy(new Date(Date.now() + 86_400_000).toUTCString());
    expect(await problem()).toMatchObject({ retryAfterSeconds: 3_600 });
    jira.setBusy('soon');
    expect(await problem()).toMatchObject({ retryAfterSeconds: 60 });
  });

  it.each([
    ['refuse', /cannot be reached: the connection was closed\.$/],
    ['half-body', /cannot be reached/],
    ['html', /returned something that is not JSON\.$/],
    ['error500', /returned status 500\.$/],
  ] as const)('throws Unreachable for the fault %s', async (mode, words) => {
    jira.faults.set({ mode });
    expect((await problem()).message).toMatch(words);
  });

  it('gives up on a Jira that does not respond', async () => {
    jira.faults.set({ mode: 'hang' });
    const { message, status } = await problem({ timeoutMs: 50 });
    expect(message).toMatch(/did not respond within 0\.05 s\.$/);
    expect(status).toBe(504);
  });

  it('does not follow a redirect', async () => {
    jira.faults.set({ mode: 'error500', status: 302 });
    expect((await problem()).message).toMatch(/returned status 302\.$/);
  });
});

/** `JIRA_URL`, `JIRA_FLAVOUR`, `JIRA_USER`, and `JIRA_TOKEN` configure a real one. */
const { JIRA_URL = '', JIRA_FLAVOUR = 'cloud', JIRA_USER, JIRA_TOKEN = '' } = process.env;

it.skipIf(JIRA_URL === '')('reads the projects of a real Jira', async () => {
  const flavor = JIRA_FLAVOUR === 'server' ? 'server' : 'cloud';
  const found = await fetchJiraProjects({
    baseUrl: JIRA_URL,
    flavor,
    user: JIRA_USER,
    token: new Secret(JIRA_TOKEN),
  });
  expect(found.length).toBeGreaterThan(0);
});
