import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Fails if a button of a table row is outside of the visible part of its table at any width. */
export async function expectActionsInSight(page: Page, screen: string): Promise<void> {
  for (let width = 320; width <= 1920; width += 16) {
    await page.setViewportSize({ width, height: 700 });
    await expect.poll(() => readHiddenActions(page), { message: `${screen} at ${width} px` }).toEqual([]);
  }
}

/**
 * Returns the names of the buttons in the last columns that are not in the visible part of their
 * table.
 */
function readHiddenActions(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const tables = [...document.querySelectorAll('table')].filter(
      (table) => table.tHead?.rows[0]?.lastElementChild?.textContent === 'Actions',
    );
    return tables.flatMap((table) => {
      const frame = table.parentElement?.getBoundingClientRect();
      const all = [...table.querySelectorAll('tbody td:last-child :is(button, a)')];
      // The button of the menu, or what it has inside.
      const buttons = all.filter((button) => button.checkVisibility());
      if (all.length > 0 && buttons.length === 0) return ['all of them'];
      return buttons.flatMap((button) => {
        const { left, right } = button.getBoundingClientRect();
        const isInSight = frame && left >= frame.left - 1 && right <= frame.right + 1;
        return isInSight ? [] : [button.getAttribute('aria-label') ?? button.textContent];
      });
    });
  });
}
