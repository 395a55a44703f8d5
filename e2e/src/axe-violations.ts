import axe, { type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const themeIndependent: RunOptions = {
  // Only what is wrong is described node by node.
  resultTypes: ['violations'],
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
};
/** What a theme changes; the rest was told already. */
const themeDependent: RunOptions = {
  resultTypes: ['violations'],
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/**
 * What WCAG 2.2 AA forbids and axe can tell of the page as it stands, in both themes, with where it
 * is.
 */
export async function violations(page: Page): Promise<string[]> {
  const isLoaded = await page.evaluate(() => Reflect.has(globalThis, 'axe'));
  // Evaluated, not added as a script: the content policy forbids that, and shall.
  if (!isLoaded) await page.evaluate(axe.source);
  const inLight = await run(page, themeIndependent);
  await applyTheme(page, 'dark');
  const inDark = await run(page, themeDependent);
  await applyTheme(page, 'light');
  return [...inLight, ...inDark.map((violation) => `in dark: ${violation}`)];
}

function run(page: Page, options: RunOptions): Promise<string[]> {
  return page.evaluate(async (asked) => {
    const tool: typeof axe = Reflect.get(globalThis, 'axe');
    const { violations } = await tool.run(document, asked);
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`));
  }, options);
}

/** Until the theme is on, and no color is on its way to it. */
async function applyTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
}
