import { getSchedules, type Schedule, wizardSentences } from '@portal/contract/deployments';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { arrive, chooseOption, gone, seen, select, signInByCall } from './person.ts';
import type { Portal } from './portal.ts';
import { test } from './test.ts';

const prefix = 'https://bitbucket.org/acme/';
const healthDev = { userName: 'health.dev', password: 'health' };
const viewer = { userName: 'viewer', password: 'viewer' };

test.override('system', {
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
});

describe('a deployment', () => {
  test('is scheduled step by step, each thing that is missing asked for in the specified words', async ({
    page,
    portal,
  }) => {
    const day = weekdayFrom(8);
    const compact = day.replaceAll('-', '');
    await arrive(page, '/deployments');
    await seen(page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Scheduled Deployments'));
    await page.getByRole('button', { name: 'New Deployment' }).click();
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await seen(wizard.getByText('Select Helium Apps'));
    const next = () => wizard.getByRole('button', { name: 'Next' }).click();

    await next();
    await seen(wizard.getByText(wizardSentences.dataSource));
    await chooseOption(page, select(wizard, 'Data Source'), sourceOf(portal));
    await next();
    await seen(wizard.getByText(wizardSentences.team));
    expect(await select(wizard, 'JIRA Project').isDisabled()).toBe(true);
    await chooseOption(page, select(wizard, 'Developer Team'), 'Farm');
    await next();
    await seen(wizard.getByText(wizardSentences.jiraProject));
    await chooseOption(page, select(wizard, 'JIRA Project'), 'FARM: Farm inputs');
    await chooseOption(page, select(wizard, 'Developer Team'), 'Health Team');
    await seen(wizard.getByText(wizardSentences.jiraProject));
    await chooseOption(page, select(wizard, 'JIRA Project'), 'VISIT: Visits');
    await seen(wizard.getByText(wizardSentences.apps));
    await wizard.getByRole('checkbox', { name: 'Select all' }).check();
    await wizard.getByRole('checkbox', { name: 'Select all' }).uncheck();
    await wizard.getByRole('checkbox', { name: 'Clinic Visits' }).check();
    await seen(wizard.getByText(/^1 of \d apps? selected$/));
    await next();

    const tag = wizard.getByLabel('Release Tag');
    await next();
    const foreign = `This URL is invalid. It does not begin with ${prefix}. Please enter a valid Bitbucket URL containing the tag to release.`;
    await seen(wizard.getByText(foreign));
    await tag.fill(`${prefix}health`);
    await seen(wizard.getByText(wizardSentences.withoutTag));
    await tag.fill(`${prefix}health/commits/tag/DEPLOY_Helth_20200101`);
    await seen(wizard.getByText(wizardSentences.releaseName));
    await wizard.getByLabel('Helium Release Name').fill(`Helium Apps - ${compact}`);
    await seen(wizard.getByText(wizardSentences.releaseGroup));
    await wizard.getByLabel('Helium Release Group').fill('Health');
    await seen(wizard.getByText(wizardSentences.deploymentDate));
    await pickDay(page, day);
    await seen(wizard.getByText('In Africa/Johannesburg, UTC+02:00'));
    await gone(wizard.getByText(wizardSentences.deploymentDate));
    expect(await wizard.getByRole('button', { name: 'Deployment Date' }).textContent()).toContain('18:00:00');

    await seen(wizard.getByText('The tag is of the group Helth, the release of Health.'));
    await seen(wizard.getByText(`The tag is of 20200101, the deployment is on ${compact}.`));
    await tag.fill(`${prefix}health/commits/tag/DEPLOY_Health_${compact}`);
    await gone(wizard.getByText(/^The tag is of/));
    await next();

    await seen(wizard.getByText('This is what will be scheduled in Production'));
    await seen(wizard.getByText(`${day} 18:00:00`));
    await wizard.getByRole('button', { name: 'Schedule deployment' }).dblclick();
    await gone(wizard);
    await seen(page.getByRole('status').filter({ hasText: 'Deployment scheduled' }));
    const rows = page.getByRole('row', { name: `Helium Apps - ${compact}` });
    await seen(rows);
    expect(await rows.count()).toBe(1);

    const schedules = (await schedulesOf(page)).filter((one) => one.releaseName === `Helium Apps - ${compact}`);
    expect(schedules).toMatchObject([
      {
        deploymentDate: `${day}T16:00:00.000Z`,
        team: 'Health Team',
        jiraProject: 'VISIT',
        appNames: ['Clinic Visits'],
        appSchemas: [portal.app('Clinic Visits').schemaName],
        releaseDescription: `DEPLOY_Health_${compact}`,
        instructions: 'None',
        scheduleStatus: 'MERGE',
        portalUser: 'demo',
        revision: 1,
      },
    ]);
  });

  test('shows all of itself and who changed what, and a link shows the same', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    const schedule = await scheduled(page, portal, { releaseName: 'Seen twice', day: weekdayFrom(15) });
    await merged(page, portal, schedule.id, { ...payloadOf(schedule), instructions: 'Lock the app first' });
    await page.reload();
    await page.getByRole('button', { name: 'View Seen twice' }).click();
    const modal = page.getByRole('dialog', { name: 'Seen twice' });
    await seen(modal.getByText('Scheduled', { exact: true }));
    await seen(modal.getByRole('link', { name: schedule.releaseTag }));
    await seen(modal.getByText('demo updated it'));
    await seen(modal.getByRole('row', { name: 'Instructions' }).getByText('Lock the app first'));
    await page.reload();
    await seen(modal.getByText('demo scheduled it'));
    await page.keyboard.press('Escape');
    await gone(modal);
    expect(page.url()).not.toContain('schedule=');
  });

  test('that somebody else saves meanwhile is not overwritten unseen', async ({ page, portal, visit }) => {
    visit.trouble.expect(/409/);
    await arrive(page, '/deployments');
    const mine = await scheduled(page, portal, { releaseName: 'Two people', day: weekdayFrom(22) });
    await page.reload();
    await page.getByRole('button', { name: 'Update Two people' }).click();
    const wizard = page.getByRole('dialog', { name: 'Update a Helium Deployment Schedule' });
    await wizard.getByRole('button', { name: 'Next' }).click();
    await wizard.getByLabel('Helium Release Group').fill('Mine');
    await wizard.getByRole('button', { name: 'Next' }).click();

    const other = await visit.open();
    await signInByCall(other, healthDev);
    await merged(other, portal, mine.id, { ...payloadOf(mine), instructions: 'Theirs' });

    await wizard.getByRole('button', { name: 'Save schedule' }).click();
    await seen(page.getByRole('alert').filter({ hasText: 'Problem merging Deployment Schedule.' }));
    const note = wizard.getByRole('region', { name: 'Changed by somebody else' });
    await seen(note.getByText(/^health\.dev saved this schedule/));
    await note.getByRole('button', { name: 'Look at theirs' }).click();
    await seen(note.getByRole('row', { name: 'Instructions None Theirs' }));
    await seen(note.getByRole('row', { name: /^Helium Release Group Mine/ }));
    await note.getByRole('button', { name: 'Go on with theirs' }).click();
    await gone(note);
    await seen(wizard.getByText('Theirs'));
    await wizard.getByRole('button', { name: 'Save schedule' }).click();
    await gone(wizard);
    expect(await scheduleOf(page, mine.id)).toMatchObject({ instructions: 'Theirs', releaseGroup: mine.releaseGroup });
  });

  test('is cloned without its date and its tag', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    await scheduled(page, portal, { releaseName: 'To clone', day: weekdayFrom(29) });
    await page.reload();
    await page.getByRole('button', { name: 'Clone To clone' }).click();
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await seen(wizard.getByText(/^1 of \d apps? selected$/));
    await wizard.getByRole('button', { name: 'Next' }).click();
    expect(await wizard.getByLabel('Release Tag').inputValue()).toBe('');
    await wizard.getByLabel('Release Tag').fill(`${prefix}x/commits/tag/v2`);
    await wizard.getByLabel('Helium Release Name').fill('The clone');
    await pickDay(page, weekdayFrom(29));
    await seen(wizard.getByText('The tag v2 does not end in DEPLOY_{releaseGroup}_{YYYYMMDD}.'));
    await seen(wizard.getByText(/^To clone of Health Team is scheduled for .*same app: Clinic Visits/));
    await wizard.getByRole('button', { name: 'Next' }).click();
    await wizard.getByRole('button', { name: 'Schedule deployment' }).click();
    await gone(wizard);
    await seen(page.getByRole('row', { name: 'The clone' }));
    expect((await schedulesOf(page)).map((one) => one.releaseName)).toEqual(
      expect.arrayContaining(['To clone', 'The clone']),
    );
  });

  test('is resolved by a typed word, and is then among the resolved ones', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    await scheduled(page, portal, { releaseName: 'To resolve', day: weekdayFrom(36) });
    await page.reload();
    await page.getByRole('button', { name: 'Resolve To resolve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve this deployment?' });
    const resolve = dialog.getByRole('button', { name: 'Resolve', exact: true });
    await dialog.getByRole('textbox').fill('resolve');
    expect(await resolve.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('RESOLVE');
    await resolve.click();
    await gone(dialog);
    const row = page.getByRole('row', { name: 'To resolve' });
    await gone(row);
    await page.getByLabel('Resolved too').check();
    await seen(row.getByText('Resolved'));
    await row.getByRole('button', { name: 'Update To resolve' }).hover();
    await seen(page.getByRole('tooltip', { name: 'It is resolved already.' }));
    expect(page.url()).toContain('resolved=shown');
  });
});

test('a save whose answer is lost, then changed and sent again, is one deployment with the change in it', async ({
  page,
  portal,
  visit,
}) => {
  visit.trouble.expect(/ERR_FAILED/);
  await arrive(page, '/deployments');
  await scheduled(page, portal, { releaseName: 'The model', day: weekdayFrom(64) });
  await page.reload();
  await page.getByRole('button', { name: 'Clone The model' }).click();
  const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
  await wizard.getByRole('button', { name: 'Next' }).click();
  await wizard.getByLabel('Release Tag').fill(`${prefix}x/commits/tag/v2`);
  await wizard.getByLabel('Helium Release Name').fill('Sent twice');
  await pickDay(page, weekdayFrom(64));
  await wizard.getByRole('button', { name: 'Next' }).click();
  await page.route(
    '**/deployment/merge/null',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await wizard.getByRole('button', { name: 'Schedule deployment' }).click();
  const popup = page.getByRole('alert').filter({ hasText: 'Problem merging Deployment Schedule.' });
  await popup.getByRole('button', { name: 'Dismiss' }).click();
  await wizard.getByRole('button', { name: 'Back' }).click();
  await wizard.getByLabel('Instructions').fill('Added later');
  await wizard.getByRole('button', { name: 'Next' }).click();
  await wizard.getByRole('button', { name: 'Schedule deployment' }).click();
  await gone(wizard);
  const found = (await schedulesOf(page)).filter((one) => one.releaseName === 'Sent twice');
  expect(found).toMatchObject([{ instructions: 'Added later', revision: 2 }]);
});

test('the screen is there in Localhost too, and the menu does not say so', async ({ page }) => {
  await arrive(page, '/', { environment: 'Localhost' });
  await page.getByRole('link', { name: 'DevOps Deployments' }).click();
  await seen(page.getByText('No deployment is scheduled yet.'));
  await page.getByRole('button', { name: /menu/i }).click();
  const panel = page.getByRole('dialog');
  await seen(panel.getByRole('link', { name: 'Apps', exact: true }));
  expect(await panel.getByRole('link', { name: 'Deployments' }).count()).toBe(0);
});

describe('a draft', () => {
  test('survives a reload, is offered again, and can be thrown away', async ({ page, portal }) => {
    await arrive(page, '/deployments?wizard=new');
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await chooseOption(page, select(wizard, 'Data Source'), sourceOf(portal));
    await chooseOption(page, select(wizard, 'Developer Team'), 'Farm');
    await page.reload();
    await seen(wizard.getByText(/^You go on with what you left here/));
    await expect.poll(() => select(wizard, 'Developer Team').inputValue()).toBe('Farm');
    await page.keyboard.press('Escape');
    await gone(wizard);
    const offer = page.getByRole('note').filter({ hasText: 'You left a new schedule unsaved' });
    await offer.getByRole('button', { name: 'Go on' }).click();
    await wizard.getByRole('button', { name: 'Begin anew' }).click();
    await expect.poll(() => select(wizard, 'Developer Team').inputValue()).toBe('');
    await chooseOption(page, select(wizard, 'Developer Team'), 'Farm');
    await page.keyboard.press('Escape');
    await offer.getByRole('button', { name: 'Discard' }).click();
    await gone(offer);
    await page.reload();
    await seen(page.getByRole('button', { name: 'New Deployment' }));
    expect(await offer.count()).toBe(0);
  });
});

describe('the calendar', () => {
  test('shows what is on a day, is walked by keys, and opens a deployment', async ({ page, portal }) => {
    const day = weekdayFrom(43);
    await arrive(page, '/deployments');
    await scheduled(page, portal, { releaseName: 'On this day', day });
    await page.goto(`/#/deployments?day=${day}`);
    await page.reload();
    const calendar = page.getByRole('region', { name: 'Calendar' });
    const chosen = calendar.locator('[aria-pressed="true"]');
    await expect.poll(() => chosen.getAttribute('aria-label')).toMatch(/, 1 deployment$/);
    await chosen.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-pressed'))).toBe('true');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.url()).toContain(`day=${day}`);
    await calendar.getByRole('button', { name: 'On this day' }).click();
    await seen(page.getByRole('dialog', { name: 'On this day' }));
  });

  test('is subscribed to by an address that is told once and can be taken back', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    await scheduled(page, portal, { releaseName: 'In the feed', day: weekdayFrom(50) });
    await page.getByRole('button', { name: 'Calendar feed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Calendar feed' });
    await seen(dialog.getByText('You have no feed.'));
    await dialog.getByRole('button', { name: 'Make my feed' }).click();
    const address = await dialog.getByLabel('Address of your feed').inputValue();
    const feed = await page.request.get(address);
    expect(await feed.text()).toContain('In the feed');
    await page.keyboard.press('Escape');
    await gone(dialog);
    await page.getByRole('button', { name: 'Calendar feed' }).click();
    await seen(dialog.getByText(/It was last read/));
    expect(await dialog.getByLabel('Address of your feed').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await seen(dialog.getByText('You have no feed.'));
    expect((await page.request.get(address)).status()).toBe(404);
  });
});

describe('trouble', () => {
  test('is told under the specified titles', async ({ page, visit, portal }) => {
    visit.trouble.expect(/502/);
    const away = { status: 502, json: { kind: 'unreachable', message: 'Nobody answers there.' } };
    const product = 'Helium Apps';
    const parts = { teams: 'Teams', 'jira-project/*': 'JIRA Projects', apps: product, list: 'Deployment Schedules' };
    await arrive(page, '/');
    for (const part of Object.keys(parts)) {
      await page.route(`**/portal-backend/api/deployment/${part}`, (route) => route.fulfill(away));
    }
    await page.goto('/#/deployments?wizard=new');
    const wizard = page.getByRole('dialog');
    await chooseOption(page, select(wizard, 'Data Source'), sourceOf(portal));
    for (const what of ['Teams', product, 'Deployment Schedules']) {
      await seen(page.getByRole('alert').getByText(`Problem retrieving ${what}.`));
    }
    await page.unroute('**/portal-backend/api/deployment/teams');
    await wizard.getByRole('button', { name: 'Try again' }).first().click();
    await chooseOption(page, select(wizard, 'Developer Team'), 'Farm');
    await seen(page.getByRole('alert').getByText('Problem retrieving JIRA Projects.'));
  });

  test('somebody who may only look is told why', async ({ page, portal, visit }) => {
    const maintainer = await visit.open();
    await arrive(maintainer, '/deployments');
    await scheduled(maintainer, portal, { releaseName: 'Only to see', day: weekdayFrom(57) });
    await arrive(page, '/deployments', { who: viewer });
    const create = page.getByRole('button', { name: 'New Deployment' });
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    expect(await create.getAttribute('aria-description')).toMatch(/viewer|may/i);
    const update = page.getByRole('button', { name: 'Update Only to see' });
    expect(await update.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'View Only to see' }).click();
    await seen(page.getByRole('dialog', { name: 'Only to see' }));
  });
});

/** The first weekday at least so many days ahead, 'YYYY-MM-DD'. */
function weekdayFrom(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000);
  while ([0, 6].includes(date.getUTCDay())) date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

/** Picks a day in the wizard; its time is the default one. */
async function pickDay(page: Page, day: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Deployment Date' }).click();
  const picker = page
    .getByRole('dialog')
    .filter({ has: page.getByRole('button', { name: 'Next month' }) })
    .last();
  const format = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  const wanted = picker.getByRole('button', { name: format.format(new Date(day)), exact: true });
  for (let months = 0; months < 4 && (await wanted.count()) === 0; months++) {
    await picker.getByRole('button', { name: 'Next month' }).click();
  }
  await wanted.click();
  await picker.getByRole('button', { name: 'Take this date' }).click();
}

function sourceOf(portal: Portal): string {
  return portal.app('Clinic Visits').dataSource.heliumDataSourceName;
}

function payloadOf(schedule: Schedule) {
  const { team, jiraProject, appIds, releaseName, releaseGroup, releaseTag, dataSource, deploymentDate } = schedule;
  return { team, jiraProject, appIds, releaseName, releaseGroup, releaseTag, dataSource, deploymentDate };
}

/** Schedules as scripts do. */
function scheduled(
  page: Page,
  portal: Portal,
  { releaseName, day }: { releaseName: string; day: string },
): Promise<Schedule> {
  return merged(page, portal, 'null', {
    team: 'Health Team',
    jiraProject: 'VISIT',
    appIds: [portal.app('Clinic Visits').id],
    releaseName,
    releaseGroup: 'Health',
    releaseTag: `${prefix}health/commits/tag/DEPLOY_Health_${day.replaceAll('-', '')}`,
    dataSource: sourceOf(portal),
    deploymentDate: `${day}T16:00:00.000Z`,
  });
}

async function merged(page: Page, portal: Portal, id: string, data: object): Promise<Schedule> {
  const answer = await page.request.post(`/portal-backend/api/deployment/merge/${id}`, {
    data,
    headers: { origin: portal.origin },
  });
  if (!answer.ok()) throw new Error(`merge answered ${answer.status()}: ${await answer.text()}`);
  return answer.json();
}

async function schedulesOf(page: Page): Promise<Schedule[]> {
  const answer = await page.request.get(getSchedules.path);
  return getSchedules.answers.parse(await answer.json());
}

async function scheduleOf(page: Page, id: string): Promise<Schedule | undefined> {
  return (await schedulesOf(page)).find((one) => one.id === id);
}
