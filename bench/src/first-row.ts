import type { Page } from 'playwright-core';

const mark = 'first-row-of-table';

/** From now on the page marks the moment the table with that name has its rows on the screen. */
export async function watchForRows(page: Page, table: string): Promise<void> {
  await page.evaluate(
    ({ table, mark }) => {
      const look = () => {
        // The lines that stand in for rows have no labels.
        if (!document.querySelector(`section[aria-label="${table}"] tbody td[data-label]`))
          return requestAnimationFrame(look);
        return requestAnimationFrame(() => setTimeout(() => performance.mark(mark)));
      };
      look();
    },
    { table, mark },
  );
}

/**
 * Milliseconds from a moment of the last call whose path ends so until the rows are on the screen.
 */
export async function rowsSince(page: Page, moment: 'startTime' | 'responseEnd', path: string): Promise<number> {
  const passed = await page.waitForFunction(
    ({ mark, moment, path }) => {
      const shown = performance.getEntriesByName(mark)[0];
      const call = performance
        .getEntriesByType('resource')
        .filter(({ name, startTime }) => name.endsWith(path) && startTime < (shown?.startTime ?? 0))
        .at(-1);
      return shown && call instanceof PerformanceResourceTiming && { ms: shown.startTime - call[moment] };
    },
    { mark, moment, path },
  );
  const { ms } = (await passed.jsonValue()) || { ms: Number.NaN };
  return ms;
}
