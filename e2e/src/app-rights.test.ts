// @module-tag long

import { describe, expect } from 'vitest';
import { getDataSourceName, prefix } from './deployment-calls.ts';
import { readFaintValues } from './faint-values.ts';
import { createTest } from './test.ts';
import { arrive, chooseOption, gone, seen, select } from './user-actions.ts';

const test = createTest({
  supportRoster: { teams: [{ name: 'Health Team' }] },
  deployments: {
    sourceControlPrefix: prefix,
    teams: [{ name: 'Health Team', projects: [{ key: 'VISIT', name: 'Visits' }] }],
  },
});

/** The platform lists every app for this user, and lets them change none. */
const who = { userName: 'viewer', password: 'viewer' };
const reason = /^You cannot .*, because Helium does not let you change the app Clinic Visits\.$/;

describe('system without roles', () => {
  test('shows every screen to a user whom the platform lets only read, and explains per app why', async ({
    page,
    portal,
  }) => {
    const app = portal.app('Clinic Visits');
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/session/refusals')) calls.push(request.postData() ?? '');
    });
    await arrive(page, `/config/${app.id}`, { who });
    const add = page.getByRole('button', { name: 'New entry-point' });
    await seen(add);
    await expect.poll(() => add.getAttribute('aria-description')).toMatch(reason);
    await seen(page.getByText("The platform's default applies to every view and scheduled function.", { exact: true }));
    await expect.poll(() => select(page, 'Locked or unlocked').getAttribute('aria-readonly')).toBe('true');
    expect(calls).toHaveLength(1);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => readFaintValues(page)).toEqual([]);
    }
    await select(page, 'Locked or unlocked').focus();
    await expect.poll(() => select(page, 'Locked or unlocked').inputValue()).toBe('Unlocked');

    await page.goto(`/#/scheduledfunctions/${app.id}`);
    const toggle = page.getByRole('button', { name: 'Toggle Nightly:closeOldVisits' });
    await expect.poll(() => toggle.getAttribute('aria-description')).toMatch(reason);

    await page.goto(`/#/config/${app.id}?tab=schema-access`);
    const grant = page.getByRole('button', { name: 'Grant Access' });
    await expect.poll(() => grant.getAttribute('aria-description')).toMatch(reason);

    await page.goto('/#/audit');
    await seen(page.getByText('You see your own entries and those about your apps.'));
  });

  test('explains in the palette why an app cannot be changed, and opens no dialog for it', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await arrive(page, '/apps', { who });
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Find apps and screens' });
    await page.getByRole('combobox', { name: 'Find apps and screens' }).fill('disable clinic');
    const option = palette.getByRole('option', { name: /^Disable… · Clinic Visits/ });
    await expect.poll(() => option.getAttribute('aria-disabled')).toBe('true');
    await seen(palette.getByRole('status').getByText(reason));
    await page.keyboard.press('Enter');
    await seen(option);
    await page.keyboard.press('Escape');
    await gone(palette);

    await page.goto(`/#/config/${app.id}?change=disable`);
    const popup = page.getByRole('alert').filter({ hasText: 'Nothing was changed' });
    await seen(popup.getByText(reason));
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('explains why a shift cannot be added, and sends no request that the server would refuse', async ({ page }) => {
    await arrive(page, '/support-roster/Health Team', { who });
    const add = page.getByRole('button', { name: 'Add shift' });
    await expect.poll(() => add.getAttribute('aria-description')).toMatch(/^You cannot change the support roster of/);
    await seen(page.getByText('No one is on the roster this year.'));
  });

  test('explains why a deployment cannot be scheduled as soon as its team and app are chosen', async ({
    page,
    portal,
  }) => {
    await arrive(page, '/deployments', { who });
    await page.getByRole('button', { name: 'New Deployment' }).click();
    const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
    await chooseOption(page, select(wizard, 'Data Source'), getDataSourceName(portal));
    await chooseOption(page, select(wizard, 'Developer Team'), 'Health Team');
    await chooseOption(page, select(wizard, 'JIRA Project'), 'VISIT: Visits');
    await wizard.getByRole('checkbox', { name: 'Clinic Visits' }).check();
    await seen(wizard.getByText(/^You cannot .* of the team Health Team, because Helium does not let you change/));
    await wizard.getByRole('button', { name: 'Next' }).click();
    await seen(wizard.getByText('Select Helium Apps'));
  });

  test('offers no reset of statistics that would be refused, and explains why', async ({ page }) => {
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1', { who });
    await page.getByRole('button', { name: 'Reset Stats' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset Stats' });
    await seen(
      dialog.getByText(/^You cannot reset statistics of pg-1\.helium\.internal, because it also serves Staging/),
    );
    await dialog.getByLabel('Type RESET to confirm').fill('RESET');
    await expect.poll(() => dialog.getByRole('button', { name: 'Reset', exact: true }).isDisabled()).toBe(true);
  });
});
