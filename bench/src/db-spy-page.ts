import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { demo, fillSignIn } from '@portal/e2e/person';
import type { Page } from 'playwright-core';
import { fromActToPicture, tableSearch } from './act-to-picture.ts';
import { openMeasuredPage } from './browser-page.ts';
import { count, type Figure, median } from './figures.ts';
import type { System } from './system.ts';

/** The statistics table in Chromium: from the answer to its rows, and from a sort or a search to the next picture. */
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
      await page.evaluate(noteFirstStatement);
      await page.goto(`/#/dbspy?mode=datasource&source=${encodeURIComponent(dataSource)}&tab=table`);
      const times = {
        shown: await sinceTheAnswer(page),
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

/** Runs in the page: marks the moment the table of statements has its rows on the screen. */
function noteFirstStatement(): void {
  const look = () => {
    if (!document.querySelector('section[aria-label="Query statistics"] tbody tr[tabindex]'))
      return requestAnimationFrame(look);
    return requestAnimationFrame(() => setTimeout(() => performance.mark('first-statement')));
  };
  look();
}

async function sinceTheAnswer(page: Page): Promise<number> {
  const passed = await page.waitForFunction(() => {
    const mark = performance.getEntriesByName('first-statement')[0];
    const answers = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/db-spy/stats'));
    const answer = answers.at(-1);
    return mark && answer instanceof PerformanceResourceTiming && { ms: mark.startTime - answer.responseEnd };
  });
  const { ms } = (await passed.jsonValue()) || { ms: Number.NaN };
  return ms;
}
