import { savePortalShift } from '@portal/contract/support-roster';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { readBrokenWordsOnPhone } from './broken-words.ts';
import { createIntegration } from './create-integration.ts';
import { findWeekday, getDataSourceName, pickDay, prefix, releasingSystem, saveSchedule } from './deployment-calls.ts';
import type { Portal } from './portal.ts';
import { createTest } from './test.ts';
import { arrive, gone, isFocused, seen } from './user-actions.ts';

const test = createTest({
  ...releasingSystem,
  supportRoster: { teams: [{ name: 'Health', deploymentTeams: ['Health Team'] }, { name: 'Farm support' }] },
});

const day = findWeekday(3);

interface PlayedRelease {
  readonly releaseName: string;
  readonly appIds: readonly string[];
  readonly team?: string;
}

/** Schedules a release of these apps by a call. */
function scheduleRelease(page: Page, portal: Portal, { releaseName, appIds, team = 'Health Team' }: PlayedRelease) {
  return saveSchedule(page, portal, 'null', {
    team,
    jiraProject: team === 'Farm' ? 'FARM' : 'VISIT',
    appIds,
    releaseName,
    releaseGroup: 'Tonight',
    releaseTag: `${prefix}tonight/commits/tag/DEPLOY_Tonight_${day.replaceAll('-', '')}`,
    dataSource: getDataSourceName(portal),
    deploymentDate: `${day}T16:00:00.000Z`,
  });
}

/** Signs in, schedules a release and opens its page. Returns its id. */
async function openRelease(page: Page, portal: Portal, release: PlayedRelease): Promise<string> {
  await arrive(page, '/deployments');
  const { id } = await scheduleRelease(page, portal, release);
  await page.goto(`/#/deployments/${id}`);
  return id;
}

test('prepares a release of two apps with at most eight clicks from the list, all on its page', async ({
  page,
  portal,
}) => {
  const apps = [portal.app('Clinic Visits'), portal.app('Farm Inputs')];
  await arrive(page, '/deployments');
  for (const app of apps) {
    await createIntegration(page, app, app.dataSource.heliumDataSourceName);
    await portal.setSyncStatus('Production', app.id, 'enable');
  }
  await page.request.post(savePortalShift.path, {
    data: {
      team: 'Health',
      id: null,
      name: 'Thabo Mokoena',
      number: '+27 82 555 0142',
      start: `${day}T06:00:00.000Z`,
      end: `${day}T20:00:00.000Z`,
    },
    headers: { origin: portal.origin },
  });
  await scheduleRelease(page, portal, { releaseName: 'Tonight', appIds: apps.map(({ id }) => id) });
  await page.reload();

  let clicks = 0;
  const click = (locator: Locator) => {
    clicks += 1;
    return locator.click();
  };
  await click(page.getByRole('link', { name: 'Tonight', exact: true }));
  await seen(page.getByText('Thabo Mokoena'));
  await seen(page.getByText(/, 18:00 \+02:00, in \d+\s(h|days) · Health Team · VISIT$/));
  const appList = page.getByRole('region', { name: 'Apps', exact: true });
  await expect.poll(() => appList.getByText('Unlocked', { exact: true }).count()).toBe(2);
  await click(page.getByRole('button', { name: 'Lock all', exact: true }));
  const lock = page.getByRole('dialog', { name: 'Lock 2 apps?' });
  await seen(lock.getByText('A locked app blocks logins; background processes continue.'));
  await click(lock.getByRole('button', { name: 'Lock apps' }));
  await gone(lock);
  await expect.poll(() => appList.getByText('Locked', { exact: true }).count()).toBe(2);
  await click(page.getByRole('button', { name: 'Disable all sync' }));
  const disable = page.getByRole('dialog', { name: 'Disable 2 integrations?' });
  await click(disable.getByRole('button', { name: 'Disable', exact: true }));
  await gone(disable);
  await seen(page.getByRole('button', { name: 'Enable sync of Farm Inputs' }));
  // Resolving it takes three more.
  expect(clicks).toBeLessThanOrEqual(5);

  for (const app of apps) expect((await portal.configOnPlatform(app)).locked).toBe(true);
  const { rows } = await portal.server.dependencies.pool.query(
    `select action from audit_entry where action = 'config.lock-app' and outcome = 'done'`,
  );
  expect(rows).toHaveLength(2);

  // What is left locked and disabled is named before the release is resolved.
  await page.getByRole('button', { name: 'Resolve', exact: true }).click();
  const resolve = page.getByRole('dialog', { name: 'Resolve this deployment?' });
  await seen(resolve.getByText('Still locked: Clinic Visits, Farm Inputs.'));
  await seen(resolve.getByText('Sync still disabled: Clinic Visits, Farm Inputs.'));
});

test('shows every user which steps of a release are done, and who marked them', async ({ page, portal, visit }) => {
  const id = await openRelease(page, portal, {
    releaseName: 'With steps',
    appIds: [portal.app('Farm Inputs').id],
    team: 'Farm',
  });
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByLabel('Tag deployed').check();
  await seen(steps.getByText(/^demo, /));
  await seen(page.getByText('No support team belongs to Farm in the configuration.'));
  await seen(page.getByRole('link', { name: 'Farm support' }));
  const other = await visit.open({});
  await arrive(other, `/deployments/${id}`, { who: { userName: 'health.dev', password: 'health' } });
  const theirs = other.getByRole('region', { name: 'Steps' });
  await seen(theirs.getByText(/^demo, /));
  await expect.poll(() => theirs.getByLabel('Tag deployed').isChecked()).toBe(true);
});

test('resolves a release after the typed word, and warns first if it is still to come', async ({ page, portal }) => {
  await openRelease(page, portal, {
    releaseName: 'Early',
    appIds: [portal.app('Farm Inputs').id],
  });
  await page.getByRole('button', { name: 'Resolve', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Resolve this deployment?' });
  await expect.poll(() => isFocused(dialog.getByLabel('Type RESOLVE to confirm'))).toBe(true);
  await page.keyboard.type('RESOLVE');
  await dialog.getByRole('button', { name: 'Resolve', exact: true }).click();
  await seen(dialog.getByRole('alert').filter({ hasText: 'which is still to come' }));
  await dialog.getByRole('button', { name: 'Resolve anyway' }).click();
  await gone(dialog);
  await seen(page.getByRole('heading', { name: 'Early' }));
  await seen(page.locator('#main').getByText('Deployed', { exact: true }).first());
});

test('updates a release on its page, and opens its clone when that is saved', async ({ page, portal }) => {
  await openRelease(page, portal, {
    releaseName: 'To be changed',
    appIds: [portal.app('Clinic Visits').id],
  });
  const heading = page.getByRole('heading', { level: 1 });
  await page.getByRole('button', { name: 'Update', exact: true }).click();
  const update = page.getByRole('dialog', { name: 'Update a Helium Deployment Schedule' });
  await seen(update.getByText(/^1 of \d apps? selected$/));
  await page.keyboard.press('Escape');
  await gone(update);
  await expect.poll(() => heading.innerText()).toBe('To be changed');

  await page.getByRole('button', { name: 'Clone', exact: true }).click();
  const clone = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
  await seen(clone.getByText(/^1 of \d apps? selected$/));
  await clone.getByRole('button', { name: 'Next' }).click();
  await clone.getByLabel('Release Tag').fill(`${prefix}x/commits/tag/v2`);
  await clone.getByLabel('Helium Release Name').fill('Its clone');
  await pickDay(page, findWeekday(64));
  await clone.getByRole('button', { name: 'Next' }).click();
  await clone.getByRole('button', { name: 'Schedule deployment' }).click();
  await gone(clone);
  await expect.poll(() => heading.innerText()).toBe('Its clone');
});

test('leads from the palette to the page of a release', async ({ page, portal }) => {
  await arrive(page, '/deployments');
  await scheduleRelease(page, portal, {
    releaseName: 'Found by name',
    appIds: [portal.app('Clinic Visits').id],
  });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find apps and screens' }).fill('found by name');
  await seen(page.getByRole('option', { name: /^Deployment · Found by name/ }));
  await page.keyboard.press('Enter');
  await seen(page.getByRole('heading', { level: 1, name: 'Found by name' }));
});

test('shows a release without accessibility violations, and without broken words on a phone', async ({
  page,
  portal,
  visit,
}) => {
  visit.trouble.expect(/404/);
  const appIds = [portal.app('Farm Inputs').id, portal.app('Clinic Visits').id];
  await openRelease(page, portal, { releaseName: 'For everyone', appIds });
  await seen(page.getByRole('button', { name: 'Lock Farm Inputs' }));
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 780 });
  // What to know before the work comes first.
  await expect
    .poll(() => readSections(page))
    .toEqual(['Apps', expect.stringMatching(/^On call at/), 'Conflicts', 'Release Tag', 'Steps', 'Details']);
  await expect.poll(() => readBrokenWordsOnPhone(page, 'main')).toEqual([]);
  await page.goto('/#/deployments/999999');
  await seen(page.getByText('There is no deployment schedule 999999 in Production.'));
});

/** Returns the headings of the sections, from the top of the page down. */
function readSections(page: Page): Promise<string[]> {
  return page.getByRole('heading', { level: 2 }).evaluateAll((headings) =>
    headings
      .map((heading) => ({ text: heading.textContent, top: heading.getBoundingClientRect().top }))
      .toSorted((a, b) => a.top - b.top)
      .map(({ text }) => text),
  );
}
