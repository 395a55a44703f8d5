import type { Page } from 'playwright-core';

/** Records what the page announces to screen readers from now on. */
export async function collectAnnouncements(page: Page): Promise<void> {
  await page.evaluate(() => {
    const last = new Map<Element, string>();
    const note = (isFirst: boolean) => {
      for (const region of document.querySelectorAll('[role="status"], [role="alert"], output, [aria-live]')) {
        if (region.getAttribute('aria-live') === 'off') continue;
        const text = region.textContent?.trim() ?? '';
        if (last.get(region) === text) continue;
        last.set(region, text);
        if (!isFirst && text !== '') announced.push(text);
      }
    };
    const announced: string[] = [];
    note(true);
    new MutationObserver(() => note(false)).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    Object.assign(globalThis, { announced });
  });
}

/** Returns what was announced, in order. */
export async function readAnnouncements(page: Page): Promise<string[]> {
  const announced: unknown = await page.evaluate(() => Reflect.get(globalThis, 'announced'));
  return Array.isArray(announced) ? announced.map(String) : [];
}
