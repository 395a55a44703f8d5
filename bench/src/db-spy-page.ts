import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { demo, fillSignIn } from '@portal/e2e/person';
import { fromActToPicture, tableSearch } from './act-to-picture.ts';
import { openMeasuredPage } from './browser-page.ts';
import { count, type Figure, median } from './figures.ts';
import { rowsSince, watchForRows } from './first-row.ts';
import type { System } from './system.ts';

/**
 * The statistics table in Chromium: from the answer to its rows, and from a sort or a search to the
 * next picture.
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
        shown: await rowsSince(page, 'responseEnd', '/db-spy/stats'),
        sorted: await fromActToPicture(page, 'thead th:has-text("Mean Time") button'),
        searched: await fromActToPicture(page, tableSearch, 'create temp table'),
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
  const figure = (what: string, times: readonly number[], most: number): Figure => ({
    what,
    ours: `${count(median(times))} ms`,
    goal: `< ${most} ms`,
    met: median(times) < most,
  });
  return [
    figure('table of 5,000 statements, from the answer to its rows', shown, 300),
    figure('sorting it, from the click to the picture', sorted, 50),
    figure('searching it, from the input to the picture', searched, 50),
  ];
}
