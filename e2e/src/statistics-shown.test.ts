// @module-tag long

import type { StatRow } from '@portal/contract/db-spy';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { playTrends, queryDetail, readChartedRows, statsTable, trendTimes } from './statements.ts';
import { test } from './test.ts';
import { arrive, seen } from './user-actions.ts';

/** Changes rows, by their index, in every response with statistics. */
async function changeRows(page: Page, changes: Readonly<Record<number, Partial<StatRow>>>): Promise<void> {
  // Which statements are inner ones otherwise depends on what took long this time.
  const change = (rows: readonly StatRow[]) =>
    rows.map((row, index) => ({ ...row, isInner: undefined, ...changes[index] }));
  await page.route('**/db-spy/stats', async (route) => {
    const rows: StatRow[] = await (await route.fetch()).json();
    await route.fulfill({ json: change(rows) });
  });
  await page.route('**/db-spy/top-stats', async (route) => {
    const stats = await (await route.fetch()).json();
    await route.fulfill({ json: { ...stats, rows: change(stats.rows) } });
  });
}

const discarded = { query: '<text discarded by the server>', hasNoText: true } as const;
const innerDescription = /^Ran inside another statement/;

test('the query is the widest column of the statistics, and no column is cut off', async ({ page, portal }) => {
  await changeRows(page, { 0: { calls: 12_345_678, rows: 98_765_432, total_time: 1_234_567_890 } });
  await arrive(page, `/app/${portal.app('Clinic Visits').id}?tab=stats`);
  for (const width of [960, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await seen(statsTable(page).locator('tbody tr code').first());
    const columns = statsTable(page).getByRole('columnheader');
    await expect
      .poll(async () => {
        const widths = await columns.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
        return widths.indexOf(Math.max(...widths));
      })
      .toBe(0);
    const frame = statsTable(page).getByRole('table').locator('..');
    await expect.poll(() => frame.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    const readHeadHeight = () => columns.first().evaluate((one) => one.getBoundingClientRect().height);
    // Two lines at most.
    await expect.poll(readHeadHeight).toBeLessThan(50);
  }
});

test('the statistics have one search field, which searches the full statements', async ({ page, portal }) => {
  await arrive(page, `/app/${portal.app('Clinic Visits').id}?tab=stats&q=an+old+link`);
  await seen(statsTable(page).locator('tbody tr code').first());
  expect(await page.getByRole('searchbox').count()).toBe(1);
  await seen(page.getByRole('searchbox', { name: 'SQL contains, or role is' }));
});

test('a chart shows times in the unit of its label', async ({ page, portal }) => {
  await arrive(page, `/app/${portal.app('Clinic Visits').id}?metric=total_time`);
  const rows = await readChartedRows(page);
  await seen(page.getByRole('columnheader', { name: 'Total Time (s)' }));
  expect(rows.filter(({ value }) => !/^[\d.,]+\ss$/.test(value))).toEqual([]);
});

test('statements without texts and inner ones are marked in table, chart and details', async ({ page, portal }) => {
  await changeRows(page, { 0: { isInner: true }, 1: discarded });
  await arrive(page, `/app/${portal.app('Clinic Visits').id}?tab=stats`);
  const rows = statsTable(page).locator('tbody tr');
  await seen(rows.nth(0).getByTitle(innerDescription));
  await seen(rows.nth(1).getByText(discarded.query));
  const note = page.getByRole('note').filter({ hasText: 'has discarded the text of 1 of these statements' });
  await seen(note.getByText('pg_stat_statements.max'));
  expect(await violations(page)).toEqual([]);

  await rows.nth(1).click();
  await seen(queryDetail(page).getByText('The server has discarded the text of this statement.'));
  await queryDetail(page).getByRole('button', { name: 'Previous' }).click();
  await seen(queryDetail(page).getByText('another statement, whose time includes it'));
  await page.keyboard.press('Escape');

  await page.goto(`/#/app/${portal.app('Clinic Visits').id}?metric=total_time`);
  const charted = page.getByRole('table', { name: 'Charted queries' });
  await seen(charted.getByTitle(innerDescription));
  await seen(page.getByText('The time of inner statements is also counted in the statements that ran them'));
  await seen(page.getByText('The server has discarded the text of this statement.'));
  // The inner one has no slice; those of the other four and of the rest remain.
  await expect.poll(() => page.locator('.recharts-pie-sector').count()).toBe(5);
});

test('a trend has a time axis, and a plan states how it differs from the statement as it ran', async ({
  page,
  portal,
}) => {
  await playTrends(page);
  const note = 'The server stores only the first constant of a list.';
  await page.route('**/db-spy/explain', (route) =>
    route.fulfill({ json: { plan: 'Seq Scan on visit  (cost=0.00..1.00)', reason: null, note } }),
  );
  await arrive(page, `/app/${portal.app('Clinic Visits').id}?tab=stats`);
  await seen(statsTable(page).locator('tbody tr code').first());
  await statsTable(page).locator('tbody tr').first().click();
  const detail = queryDetail(page);
  const calls = detail.getByRole('figure').filter({ hasText: /^.*Calls 3, at most 3/ });
  await expect
    .poll(() => calls.getByRole('time').evaluateAll((times) => times.map((time) => time.getAttribute('datetime'))))
    .toEqual(trendTimes);
  await detail.getByRole('button', { name: 'Show the plan' }).click();
  await seen(detail.getByText('Seq Scan'));
  await seen(detail.getByText(note));
  expect(await violations(page)).toEqual([]);
});

test('code is light in the light theme and dark in the dark one', async ({ page, portal }) => {
  await arrive(page, `/app/${portal.app('Clinic Visits').id}`);
  const code = page.getByRole('region', { name: 'SQL of the charted queries' }).locator('.cm-editor').first();
  await seen(code);
  // How light the background behind the code is, from 0 to 255.
  const readLightness = () =>
    code.evaluate((editor) => {
      const behind = editor.parentElement ? getComputedStyle(editor.parentElement).backgroundColor : '';
      return Math.max(...(behind.match(/\d+/g) ?? []).slice(0, 3).map(Number));
    });
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(readLightness).toBeGreaterThan(230);
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(readLightness).toBeLessThan(60);
  expect(await violations(page)).toEqual([]);
});
