import { getSchedules, type Schedule } from '@portal/contract/deployments';
import type { Page } from 'playwright-core';
import type { Portal, SystemOptions } from './portal.ts';

export const prefix = 'https://bitbucket.org/acme/';

/** A system with two releasing teams, and users with and without permission to schedule. */
export const releasingSystem: SystemOptions = {
  roles: [
    { role: 'viewer', users: ['viewer'] },
    { role: 'maintainer', users: ['demo', 'health.dev'] },
  ],
  deployments: {
    sourceControlPrefix: prefix,
    teams: [
      { name: 'Health Team', projects: [{ key: 'VISIT', name: 'Visits' }] },
      { name: 'Farm', projects: [{ key: 'FARM', name: 'Farm inputs' }] },
    ],
  },
};

/** Returns the first weekday at least this many days ahead, as 'YYYY-MM-DD'. */
export function findWeekday(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000);
  while ([0, 6].includes(date.getUTCDay())) date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

/** Picks a day in the wizard's calendar, with the default time. */
export async function pickDay(page: Page, day: string): Promise<void> {
  await page.getByRole('button', { name: 'Choose the day in a calendar' }).click();
  const calendar = page.getByRole('group', { name: 'Days' });
  const format = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  const dayButton = calendar.getByRole('button', { name: format.format(new Date(day)), exact: true });
  // The calendar must be visible before it can be searched for the day.
  await calendar.waitFor();
  for (let months = 0; months < 4 && (await dayButton.count()) === 0; months++) {
    await calendar.getByRole('button', { name: 'Next month' }).click();
  }
  await dayButton.click();
  await calendar.waitFor({ state: 'hidden' });
}

export function getDataSourceName(portal: Portal): string {
  return portal.app('Clinic Visits').dataSource.heliumDataSourceName;
}

export function toPayload(schedule: Schedule) {
  const { team, jiraProject, appIds, releaseName, releaseGroup, releaseTag, dataSource, deploymentDate } = schedule;
  return { team, jiraProject, appIds, releaseName, releaseGroup, releaseTag, dataSource, deploymentDate };
}

/** Creates a schedule through the API, as scripts do. */
export function createSchedule(
  page: Page,
  portal: Portal,
  { releaseName, day }: { releaseName: string; day: string },
): Promise<Schedule> {
  return saveSchedule(page, portal, 'null', {
    team: 'Health Team',
    jiraProject: 'VISIT',
    appIds: [portal.app('Clinic Visits').id],
    releaseName,
    releaseGroup: 'Health',
    releaseTag: `${prefix}health/commits/tag/DEPLOY_Health_${day.replaceAll('-', '')}`,
    dataSource: getDataSourceName(portal),
    deploymentDate: `${day}T16:00:00.000Z`,
  });
}

export async function saveSchedule(page: Page, portal: Portal, id: string, data: object): Promise<Schedule> {
  const response = await page.request.post(`/portal-backend/api/deployment/merge/${id}`, {
    data,
    headers: { origin: portal.origin },
  });
  if (!response.ok()) throw new Error(`merge returned ${response.status()}: ${await response.text()}`);
  return response.json();
}

export async function fetchSchedules(page: Page): Promise<Schedule[]> {
  const response = await page.request.get(getSchedules.path);
  return getSchedules.response.parse(await response.json());
}

export async function fetchSchedule(page: Page, id: string): Promise<Schedule | undefined> {
  return (await fetchSchedules(page)).find((one) => one.id === id);
}

export async function resolveScheduleByCall(page: Page, portal: Portal, id: string): Promise<void> {
  const response = await page.request.post(`/portal-backend/api/deployment/resolve/${id}`, {
    data: {},
    headers: { origin: portal.origin },
  });
  if (!response.ok()) throw new Error(`resolve returned ${response.status()}: ${await response.text()}`);
}

/**
 * Writes this many schedules, one per day, far in the future. The highest number has the latest
 * date; 'the very first' has the earliest.
 */
export async function writeSchedules({ server }: Portal, count: number): Promise<void> {
  await server.dependencies.pool.query(
    `insert into deployment_schedules (environment, deployment_date, team, jira_project, app_ids, app_names, app_schemas,
       release_name, release_group, release_tag, release_description, instructions, data_source, schedule_status, portal_user,
       revision, updated_at)
     select 'Production', timestamptz '2035-01-01T16:00:00Z' + at * interval '1 day', 'Health Team', 'VISIT', '{1}', '{Clinic}', '{clinic}',
       'Long list ' || at || case at when 1 then ', the very first' else '' end, 'Health', 'tag', 'tag', 'None', 'source',
       'MERGE', 'demo', 1, now()
     from generate_series(1, $1::int) as at`,
    [count],
  );
}

/** Replaces the date of the browser's saved drafts, as if it had been chosen long before. */
export async function setDraftDate(page: Page, deploymentDate: string): Promise<void> {
  await page.evaluate((date) => {
    const key = 'portal.deployment-drafts.Production.demo';
    const drafts = JSON.parse(localStorage.getItem(key) ?? '{}');
    for (const draft of Object.values<{ fields: { deploymentDate: string } }>(drafts))
      draft.fields.deploymentDate = date;
    localStorage.setItem(key, JSON.stringify(drafts));
  }, deploymentDate);
}
