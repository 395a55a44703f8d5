import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { openMeasuredPage } from '@portal/e2e/measured-page';
import { demo, fillSignIn } from '@portal/e2e/user-actions';
import { count, type Figure, median } from './figures.ts';
import { measureTimeToRows, watchForRows } from './first-row.ts';
import { measureInteractionToPaint, tableSearch } from './interaction-to-paint.ts';
import type { System } from './system.ts';

/**
 * Measures the statistics table in Chromium: from the response to its rows, and from a sort or a
 * search to the next paint.
 */
export async function measureStatisticsPage(system: System, dataSource: string, rounds: number): Promise<Figure[]> {
  const browser = await launchBrowser(findChromium());
  const shown: number[] = [];
  const sorted: number[] = [];
  const searched: number[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const { page } = await openMeasuredPage(browser, system.origin);
      await page.goto('/#/apps');
      await fillSignIn(page, demo);
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await page.getByText('apps found from').waitFor();
      await watchForRows(page, 'Query statistics');
      await page.goto(`/#/dbspy?mode=datasource&source=${encodeURIComponent(dataSource)}&tab=table`);
      const times = {
        shown: await measureTimeToRows(page, 'responseEnd', '/db-spy/stats'),
        sorted: await measureInteractionToPaint(page, 'thead th:has-text("Mean Time") button'),
        searched: await measureInteractionToPaint(page, tableSearch, 'create temp table'),
      };
      await page.context().close();
      if (round === 0) continue;
      shown.push(times.shown);
      sorted.push(times.sorted);
      searched.push(times.searched);
    }
  } finally {
    await browser.close();
  }
  const figure = (what: string, times: readonly number[], maxMs: number): Figure => ({
    what,
    ours: `${count(median(times))} ms`,
    goal: `< ${maxMs} ms`,
    met: median(times) < maxMs,
  });
  return [
    figure('table of 5,000 statements, from response to rows', shown, 300),
    figure('sorting it, from click to paint', sorted, 50),
    figure('searching it, from input to paint', searched, 50),
  ];
}
