import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { openMeasuredPage } from '@portal/e2e/measured-page';
import { demo, fillSignIn } from '@portal/e2e/user-actions';
import { count, type Figure, median } from './figures.ts';
import { measureTimeToRows, watchForRows } from './first-row.ts';
import { measureInteractionToPaint, tableSearch } from './interaction-to-paint.ts';
import type { System } from './system.ts';

/**
 * Measures the table of schedules in Chromium: from the list call to the first rows, and from a
 * search to its paint.
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
      const shownMs = await measureTimeToRows(page, 'startTime', '/deployment/list?limit=100');
      await page.getByText(`of ${count(schedules)}`).waitFor();
      // No date or time contains these digits, so the rows change.
      const searchedMs = await measureInteractionToPaint(page, tableSearch, 'release 77');
      await page.context().close();
      if (round === 0) continue;
      shown.push(shownMs);
      searched.push(searchedMs);
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
    figure(`table of ${count(schedules)} schedules, from the call to its first rows`, shown, 300),
    figure('searching it, from input to paint', searched, 50),
  ];
}
