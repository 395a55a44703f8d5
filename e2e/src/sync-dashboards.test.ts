/**
 * Dashboards of integrations in a browser, in the system that `npm start` starts. The tests advance
 * its clock instead of waiting.
 */

import { dashboardRefreshMs, getSyncDashboards } from '@portal/contract/sync/dashboards';
import { type SyncIntegration, syncIntegrationSchema } from '@portal/contract/sync/integration';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { violations } from './axe-violations.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import { arrive, gone, isFocused, readBreadcrumbs, readColumn, seen, showsBriefly } from './user-actions.ts';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

const names = ['Community Health Visits', 'Livestock Traceability', 'Stock Visibility', 'Vaccine Cold Chain'];
const api = '/portal-backend/api/sync-dashboard';

async function fetchIntegrations(page: Page): Promise<SyncIntegration[]> {
  const response = await page.request.post('/sync/api/list', { data: {}, headers: { origin: demo.origin } });
  return z.array(syncIntegrationSchema).parse(await response.json());
}

async function getIds(page: Page, wanted: readonly string[]): Promise<string[]> {
  const integrations = await fetchIntegrations(page);
  return wanted.map((name) => integrations.find(({ appName }) => appName === name)?.id ?? `no ${name}`);
}

/** Saves the dashboard through the API, as another user would. */
async function saveByCall(page: Page, name: string, apps: readonly string[]): Promise<void> {
  const data = { name, appIds: await getIds(page, apps) };
  const response = await page.request.post(`${api}/`, { data, headers: { origin: demo.origin } });
  expect(response.status()).toBe(200);
}

async function savedApps(page: Page, name: string): Promise<readonly string[] | undefined> {
  const response = await page.request.get(`${api}/null`);
  return getSyncDashboards.response.parse(await response.json()).find((dashboard) => dashboard.name === name)?.appIds;
}

const getDialog = (page: Page): Locator => page.getByRole('dialog');
const getRow = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });
const popup = (page: Page, text: string): Locator =>
  page.locator('[role="alert"], [role="status"]').getByText(text, { exact: true });

test('creates a dashboard of selected apps, shows it, changes it, and deletes it after a typed confirmation', async () => {
  const page = await demo.open();
  await arrive(page, '/sync-dashboard');
  await expect.poll(() => readBreadcrumbs(page)).toEqual(['Home', 'Sync', 'Dashboards']);
  const name = 'Health / Gesundheit 100 % 東京?#';
  await page.getByRole('button', { name: 'Create new' }).click();
  const dialog = getDialog(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await seen(dialog.getByText('Please enter a dashboard name'));
  await expect.poll(() => isFocused(dialog.getByLabel('Dashboard name'))).toBe(true);
  await dialog.getByLabel('Dashboard name').fill(name);
  await gone(dialog.getByText('Please enter a dashboard name'));
  expect(await dialog.getByRole('button', { name: 'Repick Apps' }).count()).toBe(0);
  await dialog.getByRole('checkbox', { name: 'Livestock Traceability' }).check();
  await dialog.getByRole('checkbox', { name: 'Stock Visibility' }).check();
  await seen(dialog.getByText('2 apps picked'));
  await showsBriefly(popup(page, 'Dashboard saved'), () => dialog.getByRole('button', { name: 'Save' }).click());
  await gone(dialog);

  await getRow(page, name).getByRole('button', { name: 'View' }).click();
  await seen(page.getByRole('heading', { level: 1, name }));
  await seen(getRow(page, 'Stock Visibility'));
  await page.reload();
  await seen(getRow(page, 'Stock Visibility'));
  await expect.poll(() => readBreadcrumbs(page)).toEqual(['Home', 'Sync', 'Dashboards', name]);
  await expect.poll(() => page.locator('[aria-current="page"]').allTextContents()).toEqual([name]);
  expect((await page.getByRole('columnheader').allTextContents()).filter((text) => text !== 'Health')).toEqual([
    'Status',
    'Name',
    'Helium Base Url',
    'Journey Base Url',
    'Helium Last Updated',
    'Journey Last Updated',
    'Last Pinged',
  ]);
  await expect.poll(() => readColumn(page, 'Status')).toEqual(['Halted', 'Enabled']);
  await seen(getRow(page, 'Livestock').getByText(/^Journey refuses the user name and password/));
  await page.setViewportSize({ width: 960, height: 700 });
  const frame = page.getByRole('table').locator('..');
  await expect.poll(() => frame.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('button', { name: 'Update', exact: true }).click();
  expect(await dialog.getByLabel('Dashboard name').getAttribute('readonly')).not.toBeNull();
  await seen(dialog.getByRole('row').filter({ hasText: 'Livestock' }));
  await expect.poll(() => dialog.getByRole('row').count()).toBe(3);
  expect(await dialog.getByRole('checkbox').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Repick Apps' }).click();
  await expect.poll(() => dialog.getByRole('checkbox', { name: 'Livestock Traceability' }).isChecked()).toBe(true);
  await dialog.getByRole('checkbox', { name: 'Livestock Traceability' }).uncheck();
  await dialog.getByRole('checkbox', { name: 'Vaccine Cold Chain' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await gone(dialog);
  await seen(getRow(page, 'Vaccine Cold Chain'));
  await gone(getRow(page, 'Livestock'));
  expect(await savedApps(page, name)).toEqual(await getIds(page, ['Stock Visibility', 'Vaccine Cold Chain']));

  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Dashboards' }).click();
  await getRow(page, name).getByRole('button', { name: 'Delete' }).click();
  const confirm = dialog.getByRole('button', { name: 'Delete', exact: true });
  await dialog.getByLabel('Type DELETE to confirm').fill('delete');
  await expect.poll(() => confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('Type DELETE to confirm').fill('DELETE');
  await showsBriefly(popup(page, 'Dashboard deleted'), () => confirm.click());
  await gone(getRow(page, name));
  expect(await savedApps(page, name)).toBeUndefined();
});

test('asks before it saves a dashboard without apps, whose page says so', async () => {
  const page = await demo.open();
  await arrive(page, '/sync-dashboard');
  await page.getByRole('button', { name: 'Create new' }).click();
  const dialog = getDialog(page);
  await dialog.getByLabel('Dashboard name').fill('Empty');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await seen(dialog.getByText(/^Save without apps\?/));
  expect(await savedApps(page, 'Empty')).toBeUndefined();
  await dialog.getByRole('button', { name: 'Save without apps' }).click();
  await gone(dialog);
  await getRow(page, 'Empty').getByRole('button', { name: 'View' }).click();
  await seen(page.getByText('No apps picked yet.'));
});

test('refuses a duplicate name, also one that another user has just created', async () => {
  const page = await demo.open();
  demo.trouble.expect(/409/);
  await arrive(page, '/');
  await saveByCall(page, 'Taken', ['Stock Visibility']);
  await page.goto('/#/sync-dashboard');
  await seen(getRow(page, 'Taken'));
  await page.getByRole('button', { name: 'Create new' }).click();
  const dialog = getDialog(page);
  await dialog.getByLabel('Dashboard name').fill(' Taken ');
  await seen(dialog.getByText('There is already a dashboard named Taken.'));
  await dialog.getByLabel('Dashboard name').fill('Quicker');
  await gone(dialog.getByText(/^There is already/));
  await saveByCall(page, 'Quicker', ['Vaccine Cold Chain']);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Save without apps' }).click();
  await seen(popup(page, 'Unable to save dashboard'));
  await seen(page.getByText('There is already a dashboard named Quicker.').first());
  await seen(dialog);
  expect(await savedApps(page, 'Quicker')).toEqual(await getIds(page, ['Vaccine Cold Chain']));
});

test('shows apps in pages of five, finds them by name, and selects all', async () => {
  const page = await demo.open();
  await arrive(page, '/');
  const [one] = await fetchIntegrations(page);
  const many = ['Golf', 'Echo', 'Bravo', 'Alpha', 'Foxtrot', 'Delta', 'Charlie'].map((appName) => ({
    ...one,
    id: appName,
    appName,
  }));
  await page.route('**/sync/api/list', (route) => route.fulfill({ json: many }));
  await page.goto('/#/sync-dashboard');
  await page.getByRole('button', { name: 'Create new' }).click();
  const dialog = getDialog(page);
  const shown = () => dialog.locator('tbody label').allTextContents();
  await expect.poll(shown).toEqual(['Alpha', 'Bravo', 'Charlie', 'Delta', 'Echo']);
  await dialog.getByRole('button', { name: 'Next page' }).click();
  await expect.poll(shown).toEqual(['Foxtrot', 'Golf']);
  await dialog.getByRole('checkbox', { name: 'Pick all' }).check();
  await seen(dialog.getByText('7 apps picked'));
  await dialog.getByRole('searchbox', { name: 'Search apps' }).fill('lph');
  await expect.poll(shown).toEqual(['Alpha']);
  await dialog.getByRole('checkbox', { name: 'Alpha' }).uncheck();
  await seen(dialog.getByText('6 apps picked'));
});

describe('dashboard results', () => {
  test('refresh at the interval, not while paused, and stay when a refresh fails', async () => {
    // The clock is shared by the whole context.
    const page = await demo.open({});
    demo.trouble.expect(/502/);
    await page.clock.install();
    await arrive(page, '/');
    await saveByCall(page, 'Morning', names);
    let asked = 0;
    let isAway = false;
    await page.route(`**${api}/Morning`, async (route) => {
      asked += 1;
      if (isAway) await route.fulfill({ status: 502, contentType: 'text/html', body: '<html>502</html>' });
      else await route.fallback();
    });
    await page.goto('/#/sync-dashboard/Morning');
    await seen(getRow(page, 'Stock Visibility'));
    await seen(page.getByText(/^Refreshes in (5:00|4:\d\d)$/));
    asked = 0;

    await page.clock.fastForward(dashboardRefreshMs / 2);
    await seen(page.getByText(/^Refreshes in [12]:\d\d$/));
    expect(asked).toBe(0);
    await page.clock.fastForward(dashboardRefreshMs / 2 + 1000);
    await seen(page.getByText(/^Refreshes in (5:00|4:\d\d)$/));
    expect(asked).toBe(1);

    await page.getByRole('button', { name: 'Pause' }).click();
    await seen(page.getByText('Refresh is paused'));
    await page.clock.fastForward(2 * dashboardRefreshMs);
    await seen(page.getByText('Refresh is paused'));
    expect(asked).toBe(1);
    isAway = true;
    await page.getByRole('button', { name: 'Resume' }).click();
    const note = page.getByRole('alert').filter({ hasText: 'Showing the data from the last successful load.' });
    await seen(note);
    await seen(getRow(page, 'Stock Visibility'));
    expect(asked).toBe(2);

    isAway = false;
    await page.clock.fastForward(dashboardRefreshMs + 1000);
    await gone(note);
    expect(asked).toBe(3);
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await expect.poll(() => asked).toBe(4);
  });

  test('shows an unknown dashboard as such, and the specified text if results cannot be loaded', async () => {
    const page = await demo.open();
    demo.trouble.expect(/404|502/);
    await arrive(page, '/sync-dashboard/No%2Fwhere');
    await seen(page.getByText('There is no dashboard No/where in Production.').first());
    await seen(popup(page, 'Problem looking up results for dashboard'));
    await page.getByRole('link', { name: 'All dashboards' }).click();
    await seen(page.getByRole('button', { name: 'Create new' }));
    await page.route(`**${api}/null`, (route) => route.fulfill({ status: 502, body: 'oh' }));
    await page.reload();
    await seen(popup(page, 'Problem looking up dashboards'));
  });

  test('fills the screen of a wallboard, the worst first; a link and the palette open it', async () => {
    const page = await demo.open();
    await arrive(page, '/');
    await saveByCall(page, 'Hall/way', names);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find apps and screens' }).fill('dashboard hall');
    await page.getByRole('option', { name: /^Sync dashboard · Hall\/way/ }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'Hall/way' }));
    await seen(getRow(page, 'Stock Visibility'));
    await page.getByRole('button', { name: 'Wallboard' }).click();
    const board = page.getByRole('dialog', { name: 'Hall/way · Production' });
    await seen(board.getByRole('heading', { name: 'Livestock Traceability' }));
    const tiles = () => board.getByRole('heading', { level: 3 }).allTextContents();
    await expect.poll(async () => (await tiles()).toSorted()).toEqual(names);
    await expect.poll(async () => (await tiles())[0]).toBe('Livestock Traceability');
    await seen(board.getByText('1 halted'));
    await seen(board.getByText(/^Refreshes in/));
    await page.reload();
    await seen(board.getByRole('heading', { name: 'Livestock Traceability' }));
    await page.keyboard.press('Escape');
    await gone(board);
    await seen(getRow(page, 'Stock Visibility'));
  });
});

test('dashboard dialogs and the wallboard pass axe and fit a phone', async () => {
  const page = await demo.open({ viewport: { width: 360, height: 740 } });
  await arrive(page, '/');
  await saveByCall(page, 'Small', names);
  const inOrder = async (what: string) => {
    expect(await violations(page), what).toEqual([]);
    const beyondPx = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(beyondPx, what).toBe(0);
  };
  await page.goto('/#/sync-dashboard');
  await seen(getRow(page, 'Small'));
  await page.getByRole('button', { name: 'Update Small' }).click();
  await seen(getDialog(page).getByText('Stock Visibility'));
  await inOrder('list view of the dialog');
  await getDialog(page).getByRole('button', { name: 'Repick Apps' }).click();
  await inOrder('picker');
  await getDialog(page).getByRole('button', { name: 'Close', exact: true }).click();
  await gone(getDialog(page));
  await page.goto('/#/sync-dashboard/Small');
  await seen(getRow(page, 'Stock Visibility'));
  await page.getByRole('button', { name: 'Wallboard' }).click();
  await seen(getDialog(page).getByRole('heading', { name: 'Stock Visibility' }));
  await inOrder('wallboard');
});
