import { saveSyncDashboard } from '@portal/contract/sync/dashboards';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { createIntegration } from './create-integration.ts';
import type { Portal, SystemOptions } from './portal.ts';
import { arrive, chooseOption, seen, select } from './user-actions.ts';

/** What the screens and overlays need of the system. */
export const walkedSystem: SystemOptions = {
  supportRoster: { teams: [{ name: 'Night Shift' }] },
  teams: [{ name: 'Night Shift', apps: ['clinic_visits_001'] }],
};

/** Every screen; APP is the id of an app. */
export const screens = [
  '/',
  '/apps',
  '/config/APP',
  '/config/APP?tab=schema-access',
  '/scheduledfunctions/APP',
  '/logs/APP',
  '/audit',
  '/doctor',
  '/dbspy',
  '/dbspy/APP',
  '/app/APP',
  '/app/APP?view=bars&metric=calls',
  '/app/APP?tab=stats',
  '/app/APP?tab=functions',
  '/schema-access',
  '/deployments',
  '/deployments?app=APP',
  '/helium-dev-latest',
  '/support-roster',
  '/support-roster/Night Shift',
  '/sync',
  '/sync?app=APP',
  '/sync/APP',
  '/sync?info=APP',
  '/sync?records=APP',
  '/sync?tab=maintenance&records=APP',
  '/sync?tab=files&records=APP',
  '/sync?tab=enrollment&records=APP',
  '/sync?tab=find&records=APP',
  '/sync/form',
  '/sync/form/APP',
  '/sync-guide',
  '/sync-guide?tab=relationships',
  '/sync-guide?tab=single-device',
  '/sync-guide?tab=multiple-devices',
  '/sync-dashboard',
  '/sync-dashboard/Health',
];

/** An overlay, and how to open it on its screen. */
export const overlays: readonly { readonly screen: string; open(page: Page): Promise<void> }[] = [
  { screen: '/', open: (page) => page.getByRole('button', { name: 'Menu' }).click() },
  { screen: '/', open: (page) => page.getByRole('button', { name: 'Sign out' }).click() },
  { screen: '/apps', open: (page) => page.keyboard.press('Control+k') },
  { screen: '/apps', open: (page) => page.keyboard.press('?') },
  { screen: '/config/APP', open: (page) => page.getByRole('button', { name: 'New entry-point' }).click() },
  {
    screen: '/config/APP',
    open: (page) =>
      page
        .getByRole('button', { name: /^Remove / })
        .first()
        .click(),
  },
  { screen: '/config/APP', open: (page) => chooseOption(page, select(page, 'Locked or unlocked'), 'Locked') },
  {
    screen: '/scheduledfunctions/APP',
    open: (page) =>
      page
        .getByRole('button', { name: /^Failed/ })
        .first()
        .click(),
  },
  {
    screen: '/scheduledfunctions/APP',
    open: (page) =>
      page
        .getByRole('button', { name: /^Toggle/ })
        .first()
        .click(),
  },
  { screen: '/audit', open: (page) => firstRow(page).click() },
  { screen: '/app/APP?tab=stats', open: (page) => firstRow(page).click() },
  { screen: '/dbspy', open: (page) => page.getByRole('button', { name: 'Reset Stats' }).click() },
  { screen: '/support-roster/Night Shift', open: (page) => page.getByRole('button', { name: 'Add shift' }).click() },
  {
    screen: '/support-roster/Night Shift',
    async open(page) {
      await page.getByRole('button', { name: 'Import CSV' }).click();
      await page.getByLabel('CSV', { exact: true }).fill('name,start,end\nThandi,2026-11-23 08:00,2026-11-30 08:00');
      await seen(page.getByRole('dialog').getByRole('table'));
    },
  },
  { screen: '/deployments', open: (page) => page.getByRole('button', { name: 'Calendar feed' }).click() },
  { screen: '/deployments', open: (page) => openWizardAt(page, 0) },
  { screen: '/deployments', open: (page) => openWizardAt(page, 1) },
  { screen: '/deployments', open: (page) => openWizardAt(page, 2) },
  {
    screen: '/sync',
    open: (page) =>
      page
        .getByRole('button', { name: /^Delete / })
        .first()
        .click(),
  },
  { screen: '/sync-dashboard', open: (page) => page.getByRole('button', { name: 'Create new' }).click() },
  { screen: '/sync-dashboard', open: (page) => page.getByRole('button', { name: 'Update Health' }).click() },
  { screen: '/sync-dashboard/Health', open: (page) => page.getByRole('button', { name: 'Wallboard' }).click() },
  {
    screen: '/config/APP?tab=schema-access',
    async open(page) {
      await chooseOption(page, select(page, 'Team'), '.*team_health');
      await page.getByRole('button', { name: 'Grant Access' }).click();
      await seen(page.getByRole('textbox', { name: 'Statements' }));
    },
  },
];

/**
 * Waits until the screen shows its content: no table is waiting for rows and no form for its
 * values.
 */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await seen(page.getByRole('heading', { level: 1 }));
  await page.waitForLoadState('networkidle');
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
}

/** Finds elements that can be opened, excluding those still loading. */
function firstRow(page: Page): Locator {
  return page.locator('tbody tr[tabindex="0"]').first();
}

/** Signs in and creates what the screens and overlays show. */
export async function createOverlayData(page: Page, portal: Portal): Promise<void> {
  const app = portal.app('Clinic Visits');
  app.log({ key: 'INFO', value: 'hello' }, { key: 'Runtime Error', value: '[Nightly:12] it broke\n\tat Nightly' });
  await app.run('Reminders:callGateway');
  await arrive(page, '/');
  await page.request.post('/portal-backend/api/config/add-entry-point', {
    data: { appId: app.id, entryPoint: 'Nightly:closeOldVisits', duration: 60 },
    headers: { origin: portal.origin },
  });
  const shift = { name: 'Thandi', number: '+27 82 555 0167', start: '2026-01-01T00:00Z', end: '2099-01-01T00:00Z' };
  await page.request.post('/portal-backend/api/support-roster/shifts', {
    data: { team: 'Night Shift', id: null, ...shift },
    headers: { origin: portal.origin },
  });
  await createSyncData(page, portal);
}

/** Creates an integration that does not run, and a dashboard with it. */
export async function createSyncData(page: Page, portal: Portal): Promise<void> {
  const app = portal.app('Clinic Visits');
  await createIntegration(page, app, 'helium-app-1');
  await page.request.post(saveSyncDashboard.path, {
    data: { name: 'Health', appIds: [app.id] },
    headers: { origin: portal.origin },
  });
}

/** Continues a draft of a deployment at a given step of the wizard. */
async function openWizardAt(page: Page, step: number): Promise<void> {
  const fields = {
    dataSource: 'helium-app-1',
    team: step === 0 ? null : 'Night Shift',
    jiraProject: 'VISIT',
    appIds: ['an app'],
    releaseTag: 'https://bitbucket.org/acme/commits/tag/v1',
    releaseGroup: 'Health',
    releaseName: '',
    deploymentDate: null,
    instructions: '',
  };
  const drafts = { new: { fields, step, expected: null, changedAt: Date.now() } };
  await page.evaluate((kept) => {
    localStorage.setItem('portal.deployment-drafts.Production.demo', kept);
  }, JSON.stringify(drafts));
  await page.getByRole('button', { name: 'New Deployment' }).click();
  const wizard = page.getByRole('dialog');
  if (step === 2) return seen(wizard.getByText('The following will be scheduled in Production'));
  await wizard.getByRole('button', { name: 'Next' }).click();
  await seen(wizard.getByRole('alert').filter({ hasText: /^Please/ }));
}
