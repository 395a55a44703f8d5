import { Writable } from 'node:stream';
import { createLogger } from '@portal/kit/logger';
import { type JiraSimulator, startJiraSimulator } from '@portal/simulators/projects/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { deploymentsConfig } from './deployments.config.ts';
import { TeamDirectory } from './team-directory.ts';

const token = 'token-of-a-test';
const projects = [
  { key: 'STOCK', name: 'Stock', projectCategory: { name: 'Health Team' } },
  { key: 'COLD', name: 'Cold Chain', projectCategory: { name: 'Health Team' } },
  { key: 'FARM', name: 'Farm', projectCategory: { name: 'Farming' } },
  { key: 'WIKI', name: 'In no category' },
];
const byCategory = [
  { name: 'Farming', projects: [{ key: 'FARM', name: 'Farm' }] },
  {
    name: 'Health Team',
    projects: [
      { key: 'COLD', name: 'Cold Chain' },
      { key: 'STOCK', name: 'Stock' },
    ],
  },
];
const minuteMs = 60_000;

let jira: JiraSimulator;
let now: number;
let logged = '';
const destination = new Writable({
  write(chunk, _encoding, done) {
    logged += chunk;
    done();
  },
});
const logger = createLogger({ name: 'test', level: 'debug', destination });

beforeAll(async () => {
  jira = await startJiraSimulator({ flavor: 'server', projects, token });
});
afterAll(() => jira.stop());
afterEach(() => {
  jira.faults.clear();
  jira.setBusy(null);
  jira.setProjects(projects);
});

function directory(written: z.input<typeof deploymentsConfig> = {}): TeamDirectory {
  now = 0;
  return new TeamDirectory(
    deploymentsConfig.parse({ jira: { baseUrl: jira.baseUrl, flavor: 'server', token }, ...written }),
    logger,
    () => now,
  );
}

describe('deployment teams', () => {
  it('reads the teams from the project categories in Jira', async () => {
    expect(await directory().read()).toEqual({ teams: byCategory, problem: null });
  });

  it('maps categories to teams as the configuration defines', async () => {
    const teams = [{ name: 'Platform', projectKeys: ['WIKI', 'FARM', 'GONE'] }];
    const mapped = directory({ jira: { baseUrl: jira.baseUrl, flavor: 'server', token, teams } });
    expect((await mapped.read()).teams).toEqual([
      {
        name: 'Platform',
        projects: [
          { key: 'FARM', name: 'Farm' },
          { key: 'WIKI', name: 'In no category' },
        ],
      },
    ]);
  });

  it('come from the configuration if there is no Jira', async () => {
    const configured = new TeamDirectory(deploymentsConfig.parse({ teams: byCategory.toReversed() }), logger);
    expect(await configured.read()).toEqual({ teams: byCategory, problem: null });
    expect((await new TeamDirectory(deploymentsConfig.parse({}), logger).read()).teams).toEqual([]);
  });

  it('requests the teams from Jira once in ten minutes, however many users read them', async () => {
    const requestsBefore = jira.requestCount();
    const teamDirectory = directory();
    await Promise.all([teamDirectory.read(), teamDirectory.read()]);
    now = 10 * minuteMs - 1;
    await teamDirectory.read();
    expect(jira.requestCount() - requestsBefore).toBe(1);
    now = 10 * minuteMs;
    jira.setProjects([]);
    expect((await teamDirectory.read()).teams).toEqual([]);
  });
});

describe('deployment teams while Jira fails', () => {
  it('return the last known teams and report that they may be outdated', async () => {
    const teamDirectory = directory();
    await teamDirectory.read();
    now = 10 * minuteMs;
    jira.faults.set({ mode: 'error500' });
    const { teams, problem } = await teamDirectory.read();
    expect(teams).toEqual(byCategory);
    expect(problem).toMatch(/^Jira 127\.0\.0\.1:\d+ returned status 500\.$/);
    expect(logged).toContain('returned status 500');
    expect(logged).not.toContain(token);

    jira.faults.clear();
    expect((await teamDirectory.read()).problem).toBe(problem);
    now += 30_000;
    expect((await teamDirectory.read()).problem).toBeNull();
  });

  it('report the failure if no teams are known', async () => {
    jira.faults.set({ mode: 'refuse' });
    const teamDirectory = directory();
    await expect(teamDirectory.read()).rejects.toThrow(/cannot be reached/);
    await expect(teamDirectory.read()).rejects.toThrow(/cannot be reached/);
  });

  it('wait as long as Jira requests', async () => {
    jira.setBusy('120');
    const teamDirectory = directory();
    await expect(teamDirectory.read()).rejects.toThrow(/a pause of 120 s/);
    const requestsBefore = jira.requestCount();
    jira.setBusy(null);
    now = 2 * minuteMs - 1;
    await expect(teamDirectory.read()).rejects.toThrow(/a pause of/);
    expect(jira.requestCount()).toBe(requestsBefore);
    now = 2 * minuteMs;
    expect((await teamDirectory.read()).teams).toEqual(byCategory);
  });
});
