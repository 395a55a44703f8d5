// @module-tag long

// cspell:ignore cound (the specification's text)
import { describe, expect } from 'vitest';
import { fetchStats, readChartedRows, statsTable } from './statements.ts';
import { test } from './test.ts';
import { arrive, gone, readBreadcrumbs, readColumn, seen } from './user-actions.ts';

describe('app view', () => {
  test("shows the app's breadcrumbs and three tabs, starting with the chart of its statements", {
    tags: 'short',
  }, async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await arrive(page, `/app/${app.id}`);
    await expect.poll(() => readBreadcrumbs(page)).toEqual(['Home', 'Apps', 'View']);
    await expect
      .poll(() => page.getByRole('tab').allTextContents())
      .toEqual(['Query Visualizer', 'Query Stats', 'Scheduled Function Stats']);
    await expect.poll(() => readChartedRows(page)).toHaveLength(5);
    await seen(page.getByText('clinic_visits_001').first());
  });

  test('shows all statements of the app and no others, with the specified columns', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await arrive(page, `/app/${app.id}`);
    await page.getByRole('tab', { name: 'Query Stats' }).click();
    await seen(page.getByText('This is a heavy query that can take time.'));
    await seen(statsTable(page).locator('tbody tr').first());
    const headers = (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim());
    expect(headers.slice(0, 8)).toEqual([
      'Query',
      'Calls',
      'Total Time',
      'Min Time',
      'Max Time',
      'Mean Time',
      'Standard Deviation',
      'Rows retrieved or affected',
    ]);
    const rows = await fetchStats(page, portal, { appId: app.id });
    await seen(statsTable(page).getByText(`of ${rows.length}`));
    expect(rows.length).toBeGreaterThan(0);
    await page.reload();
    await seen(page.getByText('This is a heavy query that can take time.'));
  });

  test('lists processed scheduled functions newest first, and opens a stack trace', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await app.run('Reports:exportVisits');
    await app.run('Reminders:callGateway');
    await arrive(page, `/app/${app.id}?tab=functions`);
    await seen(page.getByRole('rowheader', { name: 'Reminders:callGateway' }).first());
    expect((await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim())).toEqual([
      'Function Name',
      'Started',
      'Finished',
      'Duration',
      'Exception',
      'Stacktrace',
    ]);
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Started' }).getAttribute('aria-sort'))
      .toBe('descending');
    expect((await readColumn(page, 'Function Name')).slice(0, 2)).toEqual([
      'Reminders:callGateway',
      'Reports:exportVisits',
    ]);
    await page
      .getByRole('button', { name: /stacktrace of Reminders:callGateway/ })
      .first()
      .click();
    const trace = page.getByRole('dialog', { name: 'Reminders:callGateway' });
    await seen(trace.getByText(/\tat com\.mezzanineware/).first());
    const inLog = trace.getByRole('link', { name: 'Find it in the log' });
    await expect.poll(() => inLog.getAttribute('href')).toMatch(/find=callGateway&run-from=2.*&run-to=2/);
    await page.keyboard.press('Escape');
    await gone(trace);
    const choices = page.getByRole('group', { name: 'Show only runs with one result' });
    await choices.getByRole('button', { name: /Failed$/ }).click();
    await expect.poll(async () => (await readColumn(page, 'Exception')).includes('–')).toBe(false);
    // A row opens the run, and leads to its timeout.
    await page.getByRole('rowheader', { name: 'Reminders:callGateway' }).first().click();
    await trace.getByRole('link', { name: 'Its timeout' }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'Clinic Visits Config' }));
  });

  test('shows the specified text for empty lists', async ({ page, portal }) => {
    await page.route('**/db-spy/stats', (route) => route.fulfill({ json: [] }));
    await arrive(page, `/app/${portal.app('Stock Room').id}?tab=functions`);
    await seen(page.getByText('No Results found! No recently processed scheduled function stats cound be found.'));
    await page.getByRole('tab', { name: 'Query Stats' }).click();
    await seen(page.getByText('No Results found! No recently PG stats could be found.'));
  });

  test('shows the specified text for failed requests', async ({ page, portal, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    await page.route('**/debug/scheduled-function', (route) => route.fulfill({ status: 502, body: '' }));
    await page.route('**/db-spy/*', (route) => route.fulfill({ status: 502, body: '' }));
    await arrive(page, `/app/${portal.app('Clinic Visits').id}`);
    await seen(page.getByText('Error getting stats!').first());
    await page.getByRole('tab', { name: 'Scheduled Function Stats' }).click();
    await seen(page.getByText('Error getting scheduled-function stats!').first());
  });

  test('supports the keyboard for tabs, a charted query and its details', async ({ page, portal }) => {
    await arrive(page, `/app/${portal.app('Clinic Visits').id}`);
    await readChartedRows(page);
    await page.getByRole('tab', { name: 'Query Visualizer' }).focus();
    await page.keyboard.press('ArrowRight');
    await seen(statsTable(page).locator('tbody tr').first());
    await page.keyboard.press('ArrowLeft');
    await readChartedRows(page);
    const first = page.getByRole('table', { name: 'Charted queries' }).getByRole('button').first();
    await first.focus();
    await page.keyboard.press('Enter');
    const detail = page.getByRole('dialog', { name: 'Query Pattern Detail' });
    await seen(detail.getByText('1 of 5'));
    await page.keyboard.press('Escape');
    await gone(detail);
    await expect.poll(() => first.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  test('fits a window of 320 px, including the charts', async ({ visit, portal }) => {
    const page = await visit.open({ viewport: { width: 320, height: 700 } });
    await arrive(page, `/app/${portal.app('Clinic Visits').id}`);
    await seen(page.locator('.recharts-pie-sector').first());
    // The middle of a single sector's box may belong to another sector.
    await page.locator('.recharts-pie').first().hover();
    await seen(page.locator('.recharts-tooltip-wrapper'));
    const readExcess = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(readExcess).toBe(0);
  });
});
