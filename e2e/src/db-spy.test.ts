// @module-tag long

import type { TopStats } from '@portal/contract/db-spy';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { fetchStats, parseNumber, playTrends, query, queryDetail, readChartedRows, statsTable } from './statements.ts';
import { createTest } from './test.ts';
import { arrive, chooseOption, gone, seen, select, showsBriefly, signInByCall } from './user-actions.ts';

// Without roles, a server of several environments cannot be reset.
const test = createTest({
  roles: [
    { role: 'viewer', users: 'everyone' },
    { role: 'admin', users: ['demo'] },
  ],
});

describe('DB Spy', () => {
  test('selects the app of the URL in App mode, with its data source', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await arrive(page, `/dbspy/${app.id}`);
    await readChartedRows(page);
    await expect.poll(() => page.getByLabel('Mode').inputValue()).toBe('app');
    await expect.poll(() => select(page, 'Data Source').inputValue()).toBe('helium-app-2');
    await expect.poll(() => select(page, 'App').inputValue()).toBe(`Stock Room (${app.id})`);
    await seen(page.getByRole('button', { name: 'Refresh' }));
  });

  test('fills in the data source of an app that is selected first', async ({ page, portal }) => {
    const { id } = portal.app('Stock Room');
    await arrive(page, '/dbspy');
    await seen(page.getByText('No app is selected.'));
    await select(page, 'App').fill('room stock');
    await page.getByRole('option', { name: /^Stock Room/ }).click();
    await readChartedRows(page);
    await page.waitForURL(new RegExp(`#/dbspy/${id}`));
    await expect.poll(() => select(page, 'Data Source').inputValue()).toBe('helium-app-2');

    // The apps of all data sources are still offered.
    await select(page, 'App').fill('clinic');
    await page.getByRole('option', { name: /^Clinic Visits/ }).click();
    await readChartedRows(page);
    await expect.poll(() => select(page, 'Data Source').inputValue()).toBe('helium-app-1');
  });

  test('offers the apps of a selected data source, and stores the selection in the URL', async ({ page, portal }) => {
    await arrive(page, '/dbspy');
    await seen(page.getByText('No app is selected.'));
    expect(await page.getByRole('tab').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Refresh' }).count()).toBe(0);

    await chooseOption(page, select(page, 'Data Source'), 'helium-app-1');
    await seen(page.getByText('No app is selected.'));
    await expect.poll(() => page.getByRole('tab').allInnerTexts()).toEqual(['Chart', 'Table']);
    await select(page, 'App').click();
    const { id } = portal.app('Farm Inputs');
    const offered = page.getByRole('listbox', { name: 'App' }).getByRole('option');
    await expect
      .poll(async () => (await offered.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')))
      .toEqual(
        (['Clinic Visits', 'Farm Inputs'] as const).map(
          (name) => `${name} ${portal.app(name).id} · ${portal.app(name).schemaName} · helium-app-1`,
        ),
      );
    await offered.filter({ hasText: 'Farm Inputs' }).click();
    await readChartedRows(page);
    await page.waitForURL(new RegExp(`#/dbspy/${id}`));

    await page.getByLabel('Mode').selectOption('Datasource');
    await gone(page.getByRole('combobox', { name: 'App' }));
    await readChartedRows(page);
    await page.reload();
    await readChartedRows(page);
    await expect.poll(() => select(page, 'Data Source').inputValue()).toBe('helium-app-1');
    await chooseOption(page, select(page, 'Data Source'), 'helium-app-2');
    await seen(page.getByText('pg-2.helium.internal'));
  });

  test('charts the top 5 by mean time, and other selections', { tags: 'short' }, async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await app.run('Nightly:closeOldVisits');
    await arrive(page, `/dbspy/${app.id}`);
    const first = await readChartedRows(page);
    await expect.poll(() => page.getByLabel('Metric').inputValue()).toBe('mean_time');
    await expect.poll(() => page.getByLabel('Metric').locator('option:checked').innerText()).toBe('Mean Time (s)');
    await expect.poll(() => page.getByLabel('Sort').inputValue()).toBe('descending');
    expect(first.map(({ rank }) => rank)).toEqual(['1', '2', '3', '4', '5']);
    const means = first.map(({ value }) => parseNumber(value));
    expect(means).toEqual(means.toSorted((a, b) => b - a));
    const pie = page.getByRole('img', { name: /^Pie chart of Mean Time \(s\)/ });
    await seen(pie);
    await expect.poll(() => pie.locator('.recharts-pie-sector').count()).toBe(5);
    const sql = page.getByRole('region', { name: 'SQL of the charted queries' });
    await expect.poll(() => sql.getByRole('listitem').count()).toBe(5);

    await page.getByLabel('Metric').selectOption('total_time');
    await page.getByLabel('Result-set size').selectOption('10');
    await seen(page.getByRole('img', { name: /^Pie chart of Total Time/ }));
    await expect.poll(() => readChartedRows(page)).toHaveLength(11);
    const totals = await readChartedRows(page);
    expect(totals.at(-1)?.query).toMatch(/^Other: \d+ more statements$/);
    // The time of an inner statement is also part of the statement that ran it.
    const outer = totals.filter(({ query }) => !query.endsWith('inner'));
    const shares = outer.map(({ share }) => parseNumber(share));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeGreaterThan(98);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThan(102);

    await page.getByLabel('Sort').selectOption('Ascending');
    await page.getByRole('button', { name: 'Bars' }).click();
    await gone(page.getByRole('img', { name: /^Pie/ }));
    const isAscending = async () => {
      const fewest = await readChartedRows(page);
      return parseNumber(fewest[0]?.value ?? '') <= parseNumber(fewest[9]?.value ?? '');
    };
    await expect.poll(isAscending).toBe(true);
    await page.reload();
    await expect.poll(() => readChartedRows(page)).toHaveLength(11);
    await expect.poll(() => page.getByRole('button', { name: 'Bars' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('offers chart sizes in steps of five up to the row count', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await arrive(page, `/dbspy/${app.id}`);
    await page.route('**/db-spy/top-stats', async (route) => {
      const stats: TopStats = await (await route.fetch()).json();
      await route.fulfill({ json: { ...stats, count: 12 } });
    });
    await page.getByLabel('Metric').selectOption('calls');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await seen(page.getByText('Shares are of all 12 statements found'));
    const sizes = page.getByLabel('Result-set size').locator('option');
    await expect.poll(() => sizes.allInnerTexts()).toEqual(['5', '10', '15']);
  });

  test('opens the details of a row: full statement, figures, plan, neighbors', { tags: 'short' }, async ({
    page,
    portal,
  }) => {
    const app = portal.app('Clinic Visits');
    await app.run('Reports:exportVisits');
    await arrive(page, `/dbspy/${app.id}?tab=table&sql=select+_id_+from+visit`);
    const row = statsTable(page).locator('tbody tr').filter({ hasText: 'select _id_ from visit' }).first();
    await row.focus();
    await page.keyboard.press('Enter');
    const detail = queryDetail(page);
    await seen(detail.getByText('Share of total time'));
    await seen(detail.locator('.cm-content').getByText('visit').first());
    await seen(detail.getByText('run by the app’s role'));
    await detail.getByRole('button', { name: 'Show the plan' }).click();
    await seen(detail.getByText(/Scan|PostgreSQL 16 or later/).first());
    await page.reload();
    await seen(queryDetail(page).getByText('Share of total time'));
    await page.keyboard.press('Escape');
    await gone(queryDetail(page));
    await expect.poll(() => new URL(page.url()).hash).not.toContain('open=');
  });

  test('moves to previous and next rows in the order of the table', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await arrive(page, `/dbspy/${app.id}?tab=table&sort=-calls`);
    const rows = statsTable(page).locator('tbody tr');
    // A row that is still loading cannot be opened.
    await seen(rows.nth(1).locator('code'));
    await rows.nth(1).click();
    const detail = queryDetail(page);
    await seen(detail.getByText(/^2 of /));
    await detail.getByRole('button', { name: 'Next' }).click();
    await seen(detail.getByText(/^3 of /));
    await detail.getByRole('button', { name: 'Previous' }).click();
    // The statement is in the address, from which the next click goes on.
    await seen(detail.getByText(/^2 of /));
    await detail.getByRole('button', { name: 'Previous' }).click();
    await seen(detail.getByText(/^1 of /));
    await expect
      .poll(() => detail.getByRole('button', { name: 'Previous' }).getAttribute('aria-disabled'))
      .toBe('true');
  });

  test('offers the columns that a narrow table leaves out, with the trend', async ({ page, portal }) => {
    await page.setViewportSize({ width: 1100, height: 900 });
    await arrive(page, `/dbspy/${portal.app('Clinic Visits').id}?tab=table`);
    await seen(statsTable(page).getByRole('columnheader', { name: 'Mean Time' }));
    await page.getByRole('button', { name: 'Columns of Query statistics' }).click();
    const columns = page.getByRole('group', { name: 'Columns' });
    for (const name of ['Min Time', 'Max Time', 'Standard Deviation', 'Trend']) {
      await expect.poll(() => columns.getByRole('checkbox', { name }).isChecked()).toBe(false);
      expect(await statsTable(page).getByRole('columnheader', { name }).count()).toBe(0);
    }
    const requested = page.waitForRequest('**/db-spy/trends');
    await columns.getByRole('checkbox', { name: 'Trend' }).check();
    await requested;
    await columns.getByRole('checkbox', { name: 'Max Time' }).check();
    await page.keyboard.press('Escape');
    await seen(statsTable(page).getByRole('columnheader', { name: 'Max Time' }));
    await page.reload();
    await seen(statsTable(page).getByRole('columnheader', { name: 'Max Time' }));
    await seen(statsTable(page).getByRole('columnheader', { name: 'Trend' }));
  });

  test('shows the trend of a statement in wide tables and in its details', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await playTrends(page);
    await page.setViewportSize({ width: 1600, height: 900 });
    await arrive(page, `/dbspy/${app.id}?tab=table`);
    const row = statsTable(page).locator('tbody tr').first();
    const isWhole = () =>
      statsTable(page).evaluate((region) => {
        const frame = region.querySelector('table')?.parentElement;
        return frame ? frame.scrollWidth <= frame.clientWidth : false;
      });
    await expect.poll(isWhole).toBe(true);
    await seen(row.getByRole('img', { name: /^3 calls in 1\.5\ss; calls per interval 0 to 3, last 0/ }));
    await row.focus();
    await page.keyboard.press('Enter');
    const trend = queryDetail(page).getByRole('region', { name: 'Trend' });
    await seen(trend.getByRole('img', { name: 'Calls per interval: 0 to 3, last 0' }));
    await trend.getByText('Values between the snapshots').click();
    const cells = trend.locator('tbody tr').first().locator('td');
    await expect.poll(async () => (await cells.allInnerTexts()).slice(2)).toEqual(['3', '1.5\u00a0s']);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await gone(queryDetail(page));
    expect(await violations(page)).toEqual([]);

    await page.setViewportSize({ width: 1280, height: 800 });
    await gone(statsTable(page).getByRole('columnheader', { name: 'Trend' }));
    await expect.poll(isWhole).toBe(true);
    await page.unroute('**/db-spy/trends');
    await page.route('**/db-spy/trends', (route) => route.fulfill({ json: { takenAt: [], trends: [] } }));
    await page.reload();
    // A row that is still loading cannot be opened.
    await seen(row.locator('code'));
    await row.click();
    await seen(trend.getByText(/^There is no trend yet: it needs two snapshots/));
  });

  test('cuts a long statement in the table and shows it in full in its details', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await arrive(page, '/dbspy');
    const wide = Array.from({ length: 400 }, (_, at) => `v.status as column_number_${at}`).join(', ');
    await query(app.url, `select ${wide} from visit v limit 1`);
    await page.goto(`/#/dbspy/${app.id}?tab=table&sql=column_number_399`);
    const row = statsTable(page).locator('tbody tr').filter({ hasText: 'column_number_0' }).first();
    await seen(row);
    expect((await row.locator('code').innerText()).length).toBeLessThanOrEqual(300);
    await row.click();
    await seen(queryDetail(page).getByText(/^\d+,\d+ characters\.$/));
    await queryDetail(page)
      .locator('.cm-scroller')
      .evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
    await seen(queryDetail(page).locator('.cm-content').getByText('column_number_399'));
  });

  test('filters on the server by words of the full statement, calls and portal statements', async ({
    page,
    portal,
  }) => {
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1&tab=table');
    const rows = statsTable(page).locator('tbody tr');
    await seen(rows.first());
    await page.getByLabel('SQL contains, or role is').fill('no statement has these words');
    await seen(page.getByText('No statement matches these filters.'));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await gone(page.getByText('No statement matches these filters.'));
    await seen(rows.first());

    const asked = page.waitForRequest(
      (request) => request.url().endsWith('/stats') && !!request.postDataJSON().minCalls,
    );
    await page.getByLabel('Minimum calls').fill('3');
    expect((await asked).postDataJSON()).toMatchObject({ minCalls: 3, textLimit: 2000 });
    const own = page.waitForRequest((request) => request.url().endsWith('/stats') && request.postDataJSON().withOwn);
    await page.getByLabel('Include statements of the portal and its sync').check();
    expect((await own).postDataJSON()).toMatchObject({ minCalls: 3, withOwn: true });
    await seen(rows.first());
    const few = await fetchStats(page, portal, { dataSource: 'helium-app-1', minCalls: 3 });
    expect(few.every(({ calls }) => calls >= 3)).toBe(true);
  });

  test('shows the start of a range, without minimum times', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await arrive(page, `/dbspy/${app.id}?metric=min_time`);
    await readChartedRows(page);
    await page.getByLabel('Range').selectOption('Last hour');
    await seen(page.getByText(/counted from/i).first());
    // Snapshots are taken at any moment, and statements before them are not part of the range.
    await expect
      .poll(async () => {
        await app.run('Nightly:closeOldVisits');
        await page.getByRole('button', { name: 'Refresh' }).click();
        return page.getByText('Min Time (s) is not available for a time range.').isVisible();
      })
      .toBe(true);
  });
});

describe('Reset Stats', () => {
  test('requires a data source and the word RESET, and shows the last reset', async ({ page, portal }) => {
    await portal.app('Clinic Visits').run('Nightly:closeOldVisits');
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1');
    await page.getByRole('button', { name: 'Reset Stats' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset Stats' });
    const hosts = dialog.getByRole('table', { name: 'Last resets' });
    await seen(hosts.getByText('pg-1.helium.internal'));
    await seen(hosts.getByText('pg-2.helium.internal'));
    const reset = dialog.getByRole('button', { name: 'Reset', exact: true });
    const word = dialog.getByLabel('Type RESET to confirm');
    await word.fill('reset');
    await expect.poll(() => reset.isDisabled()).toBe(true);
    await word.fill('RESET');
    await expect.poll(() => reset.isDisabled()).toBe(false);
    await dialog.getByLabel('Data source').selectOption('');
    await expect.poll(() => reset.isDisabled()).toBe(true);
    await dialog.getByLabel('Data source').selectOption('pg-1.helium.internal');
    const sent = page.waitForRequest('**/schema-access/api/pgStatReset**');
    await showsBriefly(page.getByText('The statistics of pg-1.helium.internal were reset.'), () => reset.click());
    const specified = '/schema-access/api/pgStatReset/?hostname=pg-1.helium.internal';
    expect(new URL((await sent).url()).href.endsWith(specified)).toBe(true);
    expect((await sent).postDataJSON()).toEqual({ hostname: 'pg-1.helium.internal' });
    await gone(dialog);
    const left = await fetchStats(page, portal, { dataSource: 'helium-app-1', search: 'create table visit' });
    expect(left).toEqual([]);
  });

  test('shows a refused reset in its dialog', async ({ page, visit }) => {
    visit.trouble.expect(/403/);
    await page.route('**/pgStatReset**', (route) =>
      route.fulfill({
        status: 403,
        json: { kind: 'refused', requestId: 'r-1', message: 'The user portal may not reset statistics.' },
      }),
    );
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1');
    await page.getByRole('button', { name: 'Reset Stats' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset Stats' });
    await dialog.getByLabel('Type RESET to confirm').fill('RESET');
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
    await seen(dialog.getByText('The user portal may not reset statistics.'));
  });
});

describe('unavailable statistics', () => {
  test('shows the specified text for an unreachable server', async ({ page, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1', { environment: 'Zambia-production' });
    await seen(page.getByText('Error getting stats!').first());
    await page.getByRole('button', { name: 'Reset Stats' }).click();
    await seen(page.getByRole('table', { name: 'Last resets' }).getByText('away-pg-1.helium.internal'));
  });

  test('shows the address for which no statistics were found', async ({ page }) => {
    await page.route('**/db-spy/top-stats', (route) => route.fulfill({ json: { rows: [], count: 0, rest: null } }));
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1');
    await seen(page.getByText('No stats found!'));
    await seen(page.getByText(/^No postgres statement stats found on http:\/\//));
    await seen(page.getByText('No Results found! No recently PG stats could be found.'));
  });

  test('keeps the loaded statistics when a refresh fails', async ({ page, portal, visit }) => {
    visit.trouble.expect(/504/);
    await portal.app('Clinic Visits').run('Nightly:closeOldVisits');
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1');
    const before = await readChartedRows(page);
    await page.route('**/db-spy/top-stats', (route) =>
      route.fulfill({
        status: 504,
        json: { kind: 'unreachable', requestId: 'r-1', message: 'helium-app-1 took too long to answer.' },
      }),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await seen(page.getByText('Showing the data from the last successful load.'));
    await expect.poll(() => readChartedRows(page)).toEqual(before);
  });

  test('shows a missing prerequisite as a note with its fix, and no popup', async ({ page, visit }) => {
    visit.trouble.expect(/404/);
    const message = 'The extension pg_stat_statements is not installed in helium-app-1.';
    const remedy = 'CREATE EXTENSION pg_stat_statements;';
    await page.route('**/db-spy/context', async (route) => {
      const context = await (await route.fetch()).json();
      const missing = [{ kind: 'extension', message, remedy }];
      await route.fulfill({ json: { ...context, extensionVersion: null, missing } });
    });
    await page.route('**/db-spy/top-stats', (route) =>
      route.fulfill({
        status: 404,
        json: { kind: 'not-found', requestId: 'r-1', message: `No postgres statement stats found. ${message}` },
      }),
    );
    await arrive(page, '/dbspy?mode=datasource&source=helium-app-1');
    const note = page.getByRole('note').filter({ hasText: message });
    await seen(note);
    await page.waitForLoadState('networkidle');
    expect(await page.getByText('Error getting stats!').count()).toBe(0);
    await seen(page.getByText('No stats found!'));
    await showsBriefly(note.getByRole('button', { name: 'Copied' }), () =>
      note.getByRole('button', { name: 'Copy the fix' }).click(),
    );
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(remedy);
  });

  test('shows that an environment has no database servers', async ({ page }) => {
    await arrive(page, '/dbspy', { environment: 'Localhost' });
    await seen(page.getByText(/^There were no database servers found on http:/));
  });

  test('shows that an app does not exist or is not accessible', async ({ page }) => {
    await signInByCall(page, { userName: 'farm.dev', password: 'farm' });
    await page.goto('/#/dbspy/unknown');
    await seen(page.getByText('You have no access to an app with the id unknown in Production.'));
  });
});
