import type { Page } from 'playwright-core';

/** The search field of a table on the page. */
export const tableSearch = 'section input[type=search], section input[placeholder^=Search]';

/**
 * Returns the milliseconds from a click, or from the input of a text, to the first paint after the
 * table's rows have changed.
 */
export async function measureInteractionToPaint(page: Page, selector: string, text?: string): Promise<number> {
  const control = page.locator('main').locator(selector).first();
  await control.evaluate(
    (element, event) => {
      const body = document.querySelector('main table tbody');
      if (!body) throw new Error('there is no table');
      performance.clearMarks();
      const note = (name: string) => performance.mark(name);
      element.addEventListener(event, () => note('act'), { once: true, capture: true });
      const watch = new MutationObserver(() => {
        // Ignores changes of a table that is still loading before the interaction.
        if (performance.getEntriesByName('act').length === 0) return;
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => note('picture')));
      });
      watch.observe(body, { childList: true, subtree: true, characterData: true });
    },
    text === undefined ? 'click' : 'input',
  );
  if (text === undefined) await control.click();
  else await control.fill(text);
  const passed = await page.waitForFunction(() => {
    const [act] = performance.getEntriesByName('act').slice(-1);
    const [picture] = performance.getEntriesByName('picture').slice(-1);
    return act && picture && picture.startTime >= act.startTime && { ms: picture.startTime - act.startTime };
  });
  const { ms } = (await passed.jsonValue()) || { ms: Number.NaN };
  return ms;
}
