import type { Page } from 'playwright-core';

const mark = 'first-row-of-table';

/** Makes the page mark the time when the table with this name first shows rows. */
export async function watchForRows(page: Page, table: string): Promise<void> {
  await page.evaluate(
    ({ table, mark }) => {
      const checkRows = () => {
        // Placeholder rows have no labels.
        if (!document.querySelector(`section[aria-label="${table}"] tbody td[data-label]`))
          return requestAnimationFrame(checkRows);
        return requestAnimationFrame(() => setTimeout(() => performance.mark(mark)));
      };
      checkRows();
    },
    { table, mark },
  );
}

/**
 * Returns the milliseconds from the given moment of the last call with this path suffix until the
 * rows are visible.
 */
export async function measureTimeToRows(
  page: Page,
  moment: 'startTime' | 'responseEnd',
  path: string,
): Promise<number> {
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
