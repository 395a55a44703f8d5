import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { demo, fillSignIn } from '@portal/e2e/person';
import { fromActToPicture, tableSearch } from './act-to-picture.ts';
import { openMeasuredPage } from './browser-page.ts';
import { count, type Figure, median } from './figures.ts';
import { rowsSince, watchForRows } from './first-row.ts';
import type { System } from './system.ts';

/**
 * The table of schedules in Chromium: from the call that lists them to the first rows, and from a
 * search to its picture.
 */
export async function measureDeploymentsPage(system: System, schedules: number, rounds: number): Promise<Figure[]> {
  const browser = await launchBrowser(findChromium());
  const shown: number[] = [];
  const searched: number[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const { page } = await openMeasuredPage(browser, system.origin);
      await page.goto('/#/apps');
      await fillSignIn(page, demo);
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await page.getByText('apps found from').waitFor();
      await watchForRows(page, 'Scheduled Deployments');
      await page.goto('/#/deployments');
      const shownMs = await rowsSince(page, 'startTime', '/deployment/list?limit=100');
      await page.getByText(`of ${count(schedules)}`).waitFor();
      // No date and no time has these digits: the rows change.
      const searchedMs = await fromActToPicture(page, tableSearch, 'release 77');
      await page.context().close();
      if (round === 0) continue;
      shown.push(shownMs);
      searched.push(searchedMs);
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
    figure(`table of ${count(schedules)} schedules, from the call to its first rows`, shown, 300),
    figure('searching it, from the input to the picture', searched, 50),
  ];
}
