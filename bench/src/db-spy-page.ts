import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { demo, fillSignIn } from '@portal/e2e/person';
import type { Page } from 'playwright-core';
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
        sorted: await fromActToPicture(page, 'click', 'thead th:has-text("Mean Time") button'),
        searched: await fromActToPicture(
          page,
          'type',
          'section input[type=search], section input[placeholder^=Search]',
        ),
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

/** The time from the event to the first picture after the rows have changed. */
async function fromActToPicture(page: Page, act: 'click' | 'type', selector: string): Promise<number> {
  const control = page.locator('main').locator(selector).first();
  await control.evaluate(
    (element, event) => {
      const body = document.querySelector('main table tbody');
      if (!body) throw new Error('there is no table');
      performance.clearMarks();
      const note = (name: string) => performance.mark(name);
      element.addEventListener(event, () => note('act'), { once: true, capture: true });
      const watch = new MutationObserver(() => {
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => note('picture')));
      });
      watch.observe(body, { childList: true, subtree: true, characterData: true });
    },
    act === 'click' ? 'click' : 'input',
  );
  if (act === 'click') await control.click();
  else await control.fill('create temp table');
  const passed = await page.waitForFunction(() => {
    const [act] = performance.getEntriesByName('act').slice(-1);
    const [picture] = performance.getEntriesByName('picture').slice(-1);
    return act && picture && picture.startTime >= act.startTime && { ms: picture.startTime - act.startTime };
  });
  const { ms } = (await passed.jsonValue()) || { ms: Number.NaN };
  return ms;
}
