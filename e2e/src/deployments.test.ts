// @module-tag long

import { wizardSentences } from '@portal/contract/deployments-rules';
import { describe, expect } from 'vitest';
import { readBrokenWordsOnPhone } from './broken-words.ts';
import {
  createSchedule,
  fetchSchedules,
  findWeekday,
  getDataSourceName,
  pickDay,
  prefix,
  releasingSystem,
  saveSchedule,
  toPayload,
} from './deployment-calls.ts';
import { expectActionsInSight } from './hidden-actions.ts';
import { createTest } from './test.ts';
import { arrive, chooseOption, gone, isFocused, seen, select, showsBriefly } from './user-actions.ts';

const test = createTest(releasingSystem);

describe('deployment', () => {
  test('schedules a deployment step by step, and reports missing fields in the specified words', {
    tags: 'short',
  }, async ({ page, portal }) => {
    const day = findWeekday(8);
    const compact = day.replaceAll('-', '');
    await arrive(page, '/deployments');
    await seen(page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Scheduled Deployments'));
    await page.getByRole('button', { name: 'New Deployment' }).click();
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await seen(wizard.getByText('Select Helium Apps'));
    const next = () => wizard.getByRole('button', { name: 'Next' }).click();

    await next();
    await seen(wizard.getByText(wizardSentences.dataSource));
    await chooseOption(page, select(wizard, 'Data Source'), getDataSourceName(portal));
    await next();
    await seen(wizard.getByText(wizardSentences.team));
    await expect.poll(() => select(wizard, 'JIRA Project').isDisabled()).toBe(true);
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
    await tag.fill(`${prefix}health/commits/tag/v2`);
    await seen(wizard.getByText(wizardSentences.releaseName));
    await wizard.getByLabel('Helium Release Name').fill(`Helium Apps - ${compact}`);
    await seen(wizard.getByText(wizardSentences.releaseGroup));
    await wizard.getByLabel('Helium Release Group').fill('Health');
    await seen(wizard.getByText(wizardSentences.deploymentDate));
    await pickDay(page, day);
    await seen(wizard.getByText('In Africa/Johannesburg, UTC+02:00'));
    await gone(wizard.getByText(wizardSentences.deploymentDate));
    await expect.poll(() => wizard.getByLabel('Deployment Date').inputValue()).toBe(day);
    await expect.poll(() => wizard.getByLabel('Time').inputValue()).toBe('18:00:00');

    await tag.fill(`${prefix}health/commits/tag/DEPLOY_Helth_20200101`);
    await seen(wizard.getByText('The tag says Helth, but the release group is Health.'));
    await seen(wizard.getByText(`The tag says 20200101, but the deployment is on ${compact}.`));
    await tag.fill(`${prefix}health/commits/tag/DEPLOY_Health_${compact}`);
    await gone(wizard.getByText(/^The tag says/));
    await next();

    await seen(wizard.getByText('The following will be scheduled in Production'));
    await seen(wizard.getByText(`${day} 18:00:00`));
    await showsBriefly(page.getByRole('status').filter({ hasText: 'Deployment scheduled' }), () =>
      wizard.getByRole('button', { name: 'Schedule deployment' }).dblclick(),
    );
    await gone(wizard);
    const rows = page.getByRole('row', { name: `Helium Apps - ${compact}` });
    await seen(rows);
    await expect.poll(() => rows.count()).toBe(1);

    const schedules = (await fetchSchedules(page)).filter((one) => one.releaseName === `Helium Apps - ${compact}`);
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

  test('schedules by the server’s clock where the computer’s is days fast', async ({ visit, portal }) => {
    const page = await visit.open({});
    await page.clock.install({ time: Date.now() + 5 * 24 * 3_600_000 });
    await arrive(page, '/deployments');
    // Past for the computer, also after a weekend.
    const day = findWeekday(1);
    const fields = {
      dataSource: getDataSourceName(portal),
      team: 'Health Team',
      jiraProject: 'VISIT',
      appIds: [portal.app('Clinic Visits').id],
      releaseTag: `${prefix}health/commits/tag/v3`,
      releaseGroup: 'Health',
      releaseName: 'By another clock',
      deploymentDate: `${day} 18:00:00`,
      instructions: '',
    };
    await page.evaluate(
      (drafts) => {
        localStorage.setItem('portal.deployment-drafts.Production.demo', drafts);
      },
      JSON.stringify({ new: { fields, step: 1, expected: null, changedAt: Date.now() } }),
    );
    await page.getByRole('button', { name: 'New Deployment' }).click();
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await wizard.getByRole('button', { name: 'Next' }).click();
    await seen(wizard.getByText('The following will be scheduled in Production'));
    await wizard.getByRole('button', { name: 'Schedule deployment' }).click();
    await gone(wizard);
    await seen(page.getByRole('row', { name: 'By another clock' }));
  });

  test('supports the keyboard in the wizard, and moves to what is missing', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    await page.getByRole('button', { name: 'New Deployment' }).press('Enter');
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    const source = select(wizard, 'Data Source');
    await expect.poll(() => isFocused(source)).toBe(true);
    await chooseOption(page, source, getDataSourceName(portal));
    const team = select(wizard, 'Developer Team');
    await team.focus();
    await page.keyboard.press('ArrowDown');
    await seen(page.getByRole('option', { name: 'Farm' }));
    await page.keyboard.type('Far');
    await seen(page.locator('[data-combobox-selected]').filter({ hasText: 'Farm' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => team.inputValue()).toBe('Farm');
    expect(await wizard.getByText(wizardSentences.jiraProject).count()).toBe(0);
    await chooseOption(page, select(wizard, 'JIRA Project'), 'FARM: Farm inputs');
    await seen(wizard.getByRole('checkbox', { name: 'Select all' }));
    await wizard.getByRole('button', { name: 'Next' }).click();
    await seen(wizard.getByText(wizardSentences.apps));
    await expect.poll(() => isFocused(wizard.getByRole('checkbox', { name: 'Select all' }))).toBe(true);
  });

  test('shows all details and the history of a schedule, also through a link', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    const schedule = await createSchedule(page, portal, { releaseName: 'Seen twice', day: findWeekday(15) });
    const releaseTag = `${prefix}agricultural-services/commits/tag/DEPLOY_livestock_20261124`;
    await saveSchedule(page, portal, schedule.id, {
      ...toPayload(schedule),
      instructions: 'Lock the app\u200B first\nUnlock it',
      releaseGroup: 'Health\u202E',
      releaseTag,
    });
    await page.reload();
    await page.getByRole('button', { name: 'View Seen twice' }).click();
    const modal = page.getByRole('dialog', { name: 'Seen twice' });
    await seen(modal.getByText('Scheduled', { exact: true }));
    await seen(modal.getByRole('link', { name: releaseTag }));
    await seen(modal.locator('dd').getByText('HealthU+202E'));
    await seen(modal.getByText('demo updated it'));
    await seen(modal.getByRole('row', { name: 'Instructions' }).getByText('Lock the appU+200B first'));
    await page.setViewportSize({ width: 360, height: 780 });
    await expect.poll(() => readBrokenWordsOnPhone(page, '[role="dialog"]')).toEqual([]);
    await page.reload();
    await seen(modal.getByText('demo scheduled it'));
    await page.keyboard.press('Escape');
    await gone(modal);
    expect(page.url()).not.toContain('schedule=');
  });

  test('clones a schedule without its date and tag', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    await createSchedule(page, portal, { releaseName: 'To clone', day: findWeekday(29) });
    await page.reload();
    await page.getByRole('button', { name: 'Clone To clone' }).click();
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await seen(wizard.getByText(/^1 of \d apps? selected$/));
    await wizard.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => wizard.getByLabel('Release Tag').inputValue()).toBe('');
    await wizard.getByLabel('Release Tag').fill(`${prefix}x/commits/tag/v2`);
    await wizard.getByLabel('Helium Release Name').fill('The clone');
    await pickDay(page, findWeekday(29));
    await seen(wizard.getByText('The tag v2 does not end in DEPLOY_{releaseGroup}_{YYYYMMDD}.'));
    await seen(wizard.getByText(/^To clone of Health Team is scheduled for .*same app: Clinic Visits/));
    await wizard.getByRole('button', { name: 'Next' }).click();
    await wizard.getByRole('button', { name: 'Schedule deployment' }).click();
    await gone(wizard);
    await seen(page.getByRole('row', { name: 'The clone' }));
    expect((await fetchSchedules(page)).map((one) => one.releaseName)).toEqual(
      expect.arrayContaining(['To clone', 'The clone']),
    );
  });

  test('fills in what the tag says, and marks it until it is changed', async ({ page, portal }) => {
    const day = findWeekday(92);
    const compact = day.replaceAll('-', '');
    await arrive(page, '/deployments');
    const { id } = await createSchedule(page, portal, { releaseName: 'To refill', day: findWeekday(99) });
    await page.goto(`/#/deployments?wizard=clone-${id}`);
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await wizard.getByRole('button', { name: 'Next' }).click();
    const [group, name] = [wizard.getByLabel('Helium Release Group'), wizard.getByLabel('Helium Release Name')];
    await group.fill('');
    await name.fill('');
    await wizard.getByLabel('Release Tag').fill(`${prefix}x/commits/tag/DEPLOY_visits_${compact}`);
    await expect.poll(() => group.inputValue()).toBe('visits');
    await expect.poll(() => name.inputValue()).toBe(`Helium Apps - ${compact}`);
    await seen(wizard.getByText('Filled in from the tag, in Africa/Johannesburg, UTC+02:00'));
    const marks = wizard.getByText('Filled in from the tag', { exact: true });
    await expect.poll(() => marks.count()).toBe(2);
    await name.fill('Our own name');
    await expect.poll(() => marks.count()).toBe(1);
    await wizard.getByRole('button', { name: 'Next' }).click();
    await seen(wizard.getByText(`${day} 18:00:00`));
    await wizard.getByRole('button', { name: 'Schedule deployment' }).click();
    await gone(wizard);
    await seen(page.getByRole('row', { name: 'Our own name' }));
  });

  test('counts what is overdue, today and in the next week, and shows only those', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    const { id } = await createSchedule(page, portal, { releaseName: 'Forgotten', day: findWeekday(99) });
    await createSchedule(page, portal, { releaseName: 'Far away', day: findWeekday(99) });
    await portal.server.dependencies.pool.query(
      `update deployment_schedules set deployment_date = now() - interval '2 days' where id = $1`,
      [id],
    );
    await page.reload();
    const table = page.getByRole('region', { name: 'Scheduled Deployments', exact: true });
    const overdue = table.getByRole('button', { name: '1 overdue' });
    await overdue.click();
    await gone(page.getByRole('row', { name: 'Far away' }));
    await seen(page.getByRole('row', { name: 'Forgotten' }));
    await page.waitForURL(/period=overdue/);
    await page.reload();
    await expect.poll(() => overdue.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Resolve Forgotten' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve this deployment?' });
    await dialog.getByLabel('Called off').check();
    await dialog.getByLabel('Type RESOLVE to confirm').fill('RESOLVE');
    await dialog.getByRole('button', { name: 'Resolve', exact: true }).click();
    await seen(table.getByText('No deployments are overdue.'));
    await table.getByRole('button', { name: 'Show all', exact: true }).click();
    await seen(page.getByRole('row', { name: 'Far away' }));
  });

  test('finds a deployment by its tag, and counts only what the search found in each period', async ({
    page,
    portal,
  }) => {
    await arrive(page, '/deployments');
    const { id } = await createSchedule(page, portal, { releaseName: 'By its tag', day: findWeekday(120) });
    await createSchedule(page, portal, { releaseName: 'Not this one', day: findWeekday(2) });
    await saveSchedule(page, portal, id, {
      ...toPayload(await createSchedule(page, portal, { releaseName: 'By its tag', day: findWeekday(2) })),
      releaseName: 'By its tag',
      releaseTag: `${prefix}x/commits/tag/DEPLOY_Unusual_20310101`,
    });
    await page.reload();
    const table = page.getByRole('region', { name: 'Scheduled Deployments', exact: true });
    await table.getByRole('searchbox').fill('deploy_unusual');
    await gone(page.getByRole('row', { name: 'Not this one' }));
    await seen(page.getByRole('row', { name: 'By its tag' }));
    await seen(table.getByRole('button', { name: '1 in the next 7 days' }));
  });

  test('resolves a schedule after a typed confirmation, with how it ended', async ({ page, portal, visit }) => {
    visit.trouble.expect(/500/);
    await arrive(page, '/deployments');
    await createSchedule(page, portal, { releaseName: 'To resolve', day: findWeekday(36) });
    await createSchedule(page, portal, { releaseName: 'The next one', day: findWeekday(29) });
    await page.reload();
    await page.getByRole('button', { name: 'Resolve To resolve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve this deployment?' });
    const resolve = dialog.getByRole('button', { name: 'Resolve', exact: true });
    const word = dialog.getByLabel('Type RESOLVE to confirm');
    await word.fill('resolve');
    await expect.poll(() => resolve.isDisabled()).toBe(true);
    await word.fill('RESOLVE');
    await dialog.getByLabel('Rolled back').check();
    await dialog.getByLabel('Note').fill('The migration took too long');
    const path = '**/deployment/resolve/*';
    await page.route(path, (route) => route.fulfill({ status: 500, body: '' }));
    await resolve.click();
    const anyway = dialog.getByRole('button', { name: 'Resolve anyway' });
    await anyway.click();
    await seen(page.getByRole('alert').filter({ hasText: 'Problem resolving Deployment Schedule.' }));
    await page.unroute(path);
    await anyway.click();
    await gone(dialog);
    await expect.poll(() => isFocused(page.getByRole('button', { name: 'Resolve The next one' }))).toBe(true);
    const row = page.getByRole('row', { name: 'To resolve' });
    await gone(row);
    await page.getByLabel('Show resolved').check();
    await seen(row.getByText('Rolled back'));
    await row.getByRole('button', { name: 'Update To resolve' }).hover();
    await seen(page.getByRole('tooltip', { name: 'This deployment is already resolved.' }));
    expect(page.url()).toContain('resolved=shown');
    await page.getByRole('button', { name: 'View To resolve' }).click();
    const details = page.getByRole('dialog', { name: 'To resolve' });
    await seen(details.getByText('The migration took too long').first());
  });
});

test('keeps the actions of a deployment in sight at every width', async ({ page, portal }) => {
  await arrive(page, '/deployments');
  await createSchedule(page, portal, { releaseName: 'Helium Apps - 20261210', day: findWeekday(15) });
  await page.reload();
  await seen(page.getByRole('button', { name: 'View Helium Apps - 20261210' }));
  await expectActionsInSight(page, '/deployments');
});

test('hides no column of the deployments behind the actions from 960 px on', async ({ page, portal }) => {
  await page.setViewportSize({ width: 960, height: 700 });
  await arrive(page, '/deployments');
  const schedule = await createSchedule(page, portal, {
    releaseName: 'Community Health Visits - 20261210',
    day: findWeekday(15),
  });
  await saveSchedule(page, portal, schedule.id, {
    ...toPayload(schedule),
    appIds: [portal.app('Clinic Visits').id, portal.app('Farm Inputs').id],
    releaseGroup: 'community-health',
  });
  await page.reload();
  await seen(page.getByRole('link', { name: 'Community Health Visits - 20261210' }));
  for (const width of [960, 1024, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    const findCovered = () =>
      page.evaluate(() => {
        const headers = [...document.querySelectorAll('[aria-label="Scheduled Deployments"] thead th')];
        const edge = headers.at(-1)?.getBoundingClientRect().left ?? 0;
        return headers
          .slice(0, -1)
          .filter((header) => header.getBoundingClientRect().right > edge + 1)
          .map((header) => header.textContent);
      });
    await expect.poll(findCovered, { message: `at ${width} px` }).toEqual([]);
  }
});

test('opens the screen in Localhost, without a menu entry', async ({ page }) => {
  await arrive(page, '/', { environment: 'Localhost' });
  await page.getByRole('link', { name: 'DevOps Deployments' }).click();
  await seen(page.getByText('No deployments are scheduled yet.'));
  await page.getByRole('button', { name: /menu/i }).click();
  const panel = page.getByRole('dialog');
  await seen(panel.getByRole('link', { name: 'Apps', exact: true }));
  expect(await panel.getByRole('link', { name: 'Deployments' }).count()).toBe(0);
});

describe('deployment draft', () => {
  test('survives a reload, is offered again, and can be discarded', async ({ page, portal }) => {
    await arrive(page, '/deployments?wizard=new');
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await chooseOption(page, select(wizard, 'Data Source'), getDataSourceName(portal));
    await chooseOption(page, select(wizard, 'Developer Team'), 'Farm');
    await page.reload();
    await seen(wizard.getByText(/^Continuing your draft/));
    await expect.poll(() => select(wizard, 'Developer Team').inputValue()).toBe('Farm');
    await page.keyboard.press('Escape');
    await gone(wizard);
    const offer = page.getByRole('note').filter({ hasText: 'Unsaved draft of a new schedule' });
    await offer.getByRole('button', { name: 'Continue' }).click();
    await wizard.getByRole('button', { name: 'Start over' }).click();
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

describe('deployment calendar', () => {
  test('shows the deployments of a day, supports the keyboard, and opens a deployment', async ({ page, portal }) => {
    const day = findWeekday(43);
    await arrive(page, '/deployments');
    await createSchedule(page, portal, { releaseName: 'On this day', day });
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
    await calendar.getByRole('link', { name: 'On this day' }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'On this day' }));
  });

  test('creates a feed address that is shown once and can be revoked', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    await createSchedule(page, portal, { releaseName: 'In the feed', day: findWeekday(50) });
    await page.getByRole('button', { name: 'Calendar feed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Calendar feed' });
    await seen(dialog.getByText('You have no feed yet.'));
    await dialog.getByRole('button', { name: 'Create feed' }).click();
    const address = await dialog.getByLabel('Your feed address').inputValue();
    const feed = await page.request.get(address);
    expect(await feed.text()).toContain('In the feed');
    await page.keyboard.press('Escape');
    await gone(dialog);
    await page.getByRole('button', { name: 'Calendar feed' }).click();
    await seen(dialog.getByText(/It was last read/));
    expect(await dialog.getByLabel('Your feed address').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await seen(dialog.getByText('You have no feed yet.'));
    expect((await page.request.get(address)).status()).toBe(404);
  });
});
