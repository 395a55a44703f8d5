import axe, { type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const themeIndependent: RunOptions = {
  // Reports details for violations only.
  resultTypes: ['violations'],
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
};
/** Rules whose result depends on the theme; all others are checked once. */
const themeDependent: RunOptions = {
  resultTypes: ['violations'],
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/**
 * Returns the WCAG 2.2 AA violations that axe finds on the current page in both themes, with their
 * elements.
 */
export async function violations(page: Page): Promise<string[]> {
  const isLoaded = await page.evaluate(() => Reflect.has(globalThis, 'axe'));
  // Evaluated instead of added as a script, because the content security policy blocks scripts.
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

/** Waits until the theme is applied and all color transitions have finished. */
async function applyTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
}
