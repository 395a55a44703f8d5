// @module-tag long

import { wizardSentences } from '@portal/contract/deployments-rules';
import { describe, expect } from 'vitest';
import {
  createSchedule,
  fetchSchedule,
  fetchSchedules,
  findWeekday,
  getDataSourceName,
  pickDay,
  prefix,
  releasingSystem,
  resolveScheduleByCall,
  saveSchedule,
  setDraftDate,
  toPayload,
  writeSchedules,
} from './deployment-calls.ts';
import { createTest } from './test.ts';
import { arrive, chooseOption, gone, seen, select, signInByCall } from './user-actions.ts';

const healthDev = { userName: 'health.dev', password: 'health' };
const viewer = { userName: 'viewer', password: 'viewer' };

const test = createTest(releasingSystem);

describe('concurrent changes of a schedule', () => {
  test("does not overwrite another user's save unseen", { tags: 'short' }, async ({ page, portal, visit }) => {
    visit.trouble.expect(/409/);
    await arrive(page, '/deployments');
    const mine = await createSchedule(page, portal, { releaseName: 'Two people', day: findWeekday(22) });
    await page.reload();
    await page.getByRole('button', { name: 'Update Two people' }).click();
    const wizard = page.getByRole('dialog', { name: 'Update a Helium Deployment Schedule' });
    await wizard.getByRole('button', { name: 'Next' }).click();
    await wizard.getByLabel('Helium Release Group').fill('Mine');
    await wizard.getByRole('button', { name: 'Next' }).click();

    const other = await visit.open();
    await signInByCall(other, healthDev);
    await saveSchedule(other, portal, mine.id, { ...toPayload(mine), instructions: 'Theirs' });

    await wizard.getByRole('button', { name: 'Save schedule' }).click();
    await seen(page.getByRole('alert').filter({ hasText: 'Problem merging Deployment Schedule.' }));
    const note = wizard.getByRole('region', { name: 'Changed by another user' });
    await seen(note.getByText(/^health\.dev saved this schedule/));
    await note.getByRole('button', { name: 'Compare' }).click();
    await seen(note.getByRole('row', { name: 'Instructions None Theirs' }));
    await seen(note.getByRole('row', { name: /^Helium Release Group Mine/ }));
    await note.getByRole('button', { name: 'Use theirs' }).click();
    await gone(note);
    await seen(wizard.getByText('Theirs'));
    await wizard.getByRole('button', { name: 'Save schedule' }).click();
    await gone(wizard);
    expect(await fetchSchedule(page, mine.id)).toMatchObject({
      instructions: 'Theirs',
      releaseGroup: mine.releaseGroup,
    });
  });

  test("overwrites another user's save after showing it", async ({ page, portal, visit }) => {
    await arrive(page, '/deployments');
    const mine = await createSchedule(page, portal, { releaseName: 'Mine in the end', day: findWeekday(71) });
    await page.goto(`/#/deployments?wizard=update-${mine.id}`);
    const wizard = page.getByRole('dialog', { name: 'Update a Helium Deployment Schedule' });
    await wizard.getByRole('button', { name: 'Next' }).click();
    await wizard.getByLabel('Helium Release Group').fill('Mine');

    const other = await visit.open();
    await signInByCall(other, healthDev);
    await saveSchedule(other, portal, mine.id, { ...toPayload(mine), instructions: 'Theirs' });
    const note = wizard.getByRole('region', { name: 'Changed by another user' });
    await note.getByRole('button', { name: 'Keep mine' }).click();
    await gone(note);
    await wizard.getByRole('button', { name: 'Next' }).click();
    await wizard.getByRole('button', { name: 'Save schedule' }).click();
    await gone(wizard);
    expect(await fetchSchedule(page, mine.id)).toMatchObject({
      instructions: 'None',
      releaseGroup: 'Mine',
      revision: 3,
    });
  });
});

test('creates one deployment when a save is repeated with changes after a lost response', async ({
  page,
  portal,
  visit,
}) => {
  visit.trouble.expect(/ERR_FAILED/);
  await arrive(page, '/deployments');
  await createSchedule(page, portal, { releaseName: 'The model', day: findWeekday(64) });
  await page.reload();
  await page.getByRole('button', { name: 'Clone The model' }).click();
  const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
  await wizard.getByRole('button', { name: 'Next' }).click();
  await wizard.getByLabel('Release Tag').fill(`${prefix}x/commits/tag/v2`);
  await wizard.getByLabel('Helium Release Name').fill('Sent twice');
  await pickDay(page, findWeekday(64));
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
  const found = (await fetchSchedules(page)).filter((one) => one.releaseName === 'Sent twice');
  expect(found).toMatchObject([{ instructions: 'Added later', revision: 2 }]);
});

describe('deployment errors', () => {
  test('shows errors under the specified titles', async ({ page, visit, portal }) => {
    visit.trouble.expect(/502/);
    const unreachableResponse = { status: 502, json: { kind: 'unreachable', message: 'The server does not respond.' } };
    const product = 'Helium Apps';
    const parts = {
      teams: 'Teams',
      'jira-project/*': 'JIRA Projects',
      'apps/': product,
      'list*': 'Deployment Schedules',
    };
    await arrive(page, '/');
    for (const part of Object.keys(parts)) {
      await page.route(`**/portal-backend/api/deployment/${part}`, (route) => route.fulfill(unreachableResponse));
    }
    await page.goto('/#/deployments?wizard=new');
    const wizard = page.getByRole('dialog');
    await chooseOption(page, select(wizard, 'Data Source'), getDataSourceName(portal));
    for (const what of ['Teams', product, 'Deployment Schedules']) {
      await seen(page.getByRole('alert').getByText(`Problem retrieving ${what}.`));
    }
    await page.unroute('**/portal-backend/api/deployment/teams');
    await wizard.getByRole('button', { name: 'Try again' }).first().click();
    await chooseOption(page, select(wizard, 'Developer Team'), 'Farm');
    await seen(page.getByRole('alert').getByText('Problem retrieving JIRA Projects.'));
  });

  test('reports a past or weekend date when a draft is continued', async ({ page, portal }) => {
    await arrive(page, '/deployments');
    const model = await createSchedule(page, portal, { releaseName: 'The model of a draft', day: findWeekday(78) });
    await page.goto(`/#/deployments?wizard=clone-${model.id}`);
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await wizard.getByRole('button', { name: 'Next' }).click();
    await wizard.getByLabel('Release Tag').fill(`${prefix}x/commits/tag/v2`);
    await pickDay(page, findWeekday(78));
    for (const [date, sentence] of [
      ['2024-06-03 18:00:00', wizardSentences.past],
      ['2040-06-02 18:00:00', wizardSentences.weekend],
    ] as const) {
      await setDraftDate(page, date);
      await page.reload();
      await seen(wizard.getByText(/^Continuing your draft/));
      await wizard.getByRole('button', { name: 'Next' }).click();
      await seen(wizard.getByRole('alert').getByText(sentence));
    }
    expect((await fetchSchedules(page)).filter(({ releaseName }) => releaseName === model.releaseName)).toHaveLength(1);
  });

  test('does not resolve a schedule that another user has resolved', async ({ page, portal, visit }) => {
    visit.trouble.expect(/409/);
    await arrive(page, '/deployments');
    const { id } = await createSchedule(page, portal, { releaseName: 'Resolved twice', day: findWeekday(85) });
    await page.reload();
    await page.getByRole('button', { name: 'Resolve Resolved twice' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve this deployment?' });
    await dialog.getByLabel('Called off').check();
    await dialog.getByLabel('Type RESOLVE to confirm').fill('RESOLVE');
    await resolveScheduleByCall(page, portal, id);
    await dialog.getByRole('button', { name: 'Resolve', exact: true }).click();
    const popup = page.getByRole('alert').filter({ hasText: 'Problem resolving Deployment Schedule.' });
    await seen(popup.getByText(/^This deployment was resolved by demo on /));
    await gone(page.getByRole('row', { name: 'Resolved twice' }));
  });

  test('shows a viewer why nothing can be changed', async ({ page, portal, visit }) => {
    const maintainer = await visit.open();
    await arrive(maintainer, '/deployments');
    await createSchedule(maintainer, portal, { releaseName: 'Only to see', day: findWeekday(57) });
    await arrive(page, '/deployments', { who: viewer });
    const create = page.getByRole('button', { name: 'New Deployment' });
    await expect.poll(() => create.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => create.getAttribute('aria-description')).toMatch(/viewer|may/i);
    const update = page.getByRole('button', { name: 'Update Only to see' });
    await expect.poll(() => update.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'View Only to see' }).click();
    await seen(page.getByRole('dialog', { name: 'Only to see' }));
  });
});

/** Calls that load more than the newest schedules. */
const restOfList = /\/deployment\/list\?limit=\d+&to=/;

describe('long list of schedules', () => {
  test('shows the newest schedules at once, keeps the search, and reports that the rest is loading', async ({
    page,
    portal,
  }) => {
    await arrive(page, '/');
    const totalCount = 150;
    await writeSchedules(portal, totalCount);
    let releaseResponse = () => {};
    const held = new Promise<void>((resolve) => {
      releaseResponse = resolve;
    });
    await page.route(restOfList, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/#/deployments');
    const table = page.getByRole('region', { name: 'Scheduled Deployments' });
    await seen(table.getByText('1–10 of the first 100; the rest is loading …'));
    await expect.poll(() => table.getByRole('row').nth(1).textContent()).toContain(`Long list ${totalCount}`);
    expect(await table.getByRole('navigation', { name: 'Pages of Scheduled Deployments' }).count()).toBe(0);
    expect(await table.getByRole('button', { name: 'Download Scheduled Deployments as CSV' }).count()).toBe(0);

    const search = table.getByRole('searchbox', { name: 'Search Scheduled Deployments' });
    await search.fill('list 149');
    await seen(table.getByText('1–1 of 1, found in the first 100; the rest is loading …'));
    // The schedule is not among the newest, so its existence is still unknown.
    await search.fill('very');
    await seen(table.getByText('Loading …'));
    await search.pressSequentially(' first');
    releaseResponse();
    await seen(table.getByText(/^1–1 of 1, found in \d+$/));
    await expect.poll(() => search.inputValue()).toBe('very first');
    await search.fill('');
    await seen(table.getByText(/^1–10 of 1\d\d$/));
  });

  test('keeps the newest schedules and reports that the rest failed to load', async ({ page, portal, visit }) => {
    visit.trouble.expect(/500/);
    await arrive(page, '/');
    await writeSchedules(portal, 120);
    await page.route(restOfList, (route) => route.fulfill({ status: 500, body: '' }));
    await page.goto('/#/deployments');
    const table = page.getByRole('region', { name: 'Scheduled Deployments' });
    await seen(table.getByText('1–10 of the first 100; the rest could not be loaded'));
    await page.unroute(restOfList);
    await table.getByRole('button', { name: 'Try again' }).click();
    await seen(table.getByText(/^1–10 of \d\d\d$/));
  });
});
