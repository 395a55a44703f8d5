// @module-tag long

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { readFocusFaults } from './focus-faults.ts';
import { createTest } from './test.ts';
import { gone, seen } from './user-actions.ts';
import { createOverlayData, overlays, screens, waitUntilLoaded, walkedSystem } from './walked-screens.ts';

const test = createTest(walkedSystem);

/** A window, a phone with its keyboard, and a small window at 400 %. */
const sizes = [
  { width: 1280, height: 800 },
  { width: 360, height: 320 },
  { width: 320, height: 256 },
] as const;
const looks = [
  { colorScheme: 'light', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'light', forcedColors: 'active' },
] as const;

/**
 * Returns the faults of what is open, in all three sizes. What is hidden depends on the size, and
 * whether the focus is visible on the look. So each size is checked in one look, which changes from
 * screen to screen until every size was checked in every look.
 */
async function walk(page: Page, where: string, at: number): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, size] of sizes.entries()) {
    const look = looks[(at + index) % looks.length] ?? looks[0];
    await page.setViewportSize(size);
    await page.emulateMedia(look);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const name = `${where} at ${size.width} × ${size.height}, ${look.forcedColors === 'active' ? 'forced colors' : look.colorScheme}`;
    // The browser shows the focus after a key.
    await page.keyboard.press('Tab');
    for (const fault of await readFocusFaults(page)) faults.push(`${name}: ${fault}`);
  }
  await page.setViewportSize(sizes[0]);
  return faults;
}

// These tests visit every screen.
const timeout = 360_000;

test('the focus is visible and not covered on every screen', { timeout }, async ({ page, portal }) => {
  await createOverlayData(page, portal);
  const faults: string[] = [];
  for (const [at, screen] of screens.entries()) {
    await page.goto(`/#${screen.replace('APP', portal.app('Clinic Visits').id)}`);
    await waitUntilLoaded(page);
    faults.push(...(await walk(page, screen, at)));
  }
  expect(faults).toEqual([]);
});

test('the focus is inside every dialog, visible and not covered, and returns when the dialog closes', {
  timeout,
}, async ({ page, portal }) => {
  await createOverlayData(page, portal);
  const faults: string[] = [];
  // The wallboard fills the screen, whose size a test cannot change.
  const resizable = overlays.filter(({ screen }) => screen !== '/sync-dashboard/Health');
  for (const [at, overlay] of resizable.entries()) {
    const where = `overlay ${at} of ${overlay.screen}`;
    await page.setViewportSize(sizes[0]);
    await page.goto(`/#${overlay.screen.replace('APP', portal.app('Clinic Visits').id)}`);
    await waitUntilLoaded(page);
    await overlay.open(page);
    await seen(page.getByRole('dialog'));
    await expect.poll(() => readFocusPlace(page), { message: where }).toBe('top dialog');
    faults.push(...(await walk(page, where, at)));
    for (const key of ['Tab', 'Shift+Tab', 'Shift+Tab']) {
      await page.keyboard.press(key);
      expect(await readFocusPlace(page), `${where}, after ${key}`).toBe('top dialog');
    }
    await page.keyboard.press('Escape');
    await gone(page.getByRole('dialog'));
    await expect.poll(() => readFocusPlace(page), { message: `${where}, closed` }).toBe('page');
  }
  expect(faults).toEqual([]);
});

test('nothing behind a dialog can have the focus', async ({ page, portal }) => {
  await createOverlayData(page, portal);
  const app = portal.app('Clinic Visits');
  await page.goto(`/#/config/${app.id}`);
  await waitUntilLoaded(page);
  await page.getByRole('button', { name: 'New entry-point' }).click();
  const dialog = page.getByRole('dialog');
  await seen(dialog);
  const isReachable = (name: string) =>
    page.evaluate((name) => {
      const button = [...document.querySelectorAll('button')].find((each) => each.textContent?.includes(name));
      button?.focus();
      return document.activeElement === button;
    }, name);
  expect(await isReachable('Sign out')).toBe(false);
  expect(await isReachable('New entry-point')).toBe(false);
  // The focused element is removed, as by a step of a dialog.
  await page.evaluate(() => {
    const removed = Object.assign(document.createElement('button'), { textContent: 'gone' });
    document.querySelector('[aria-modal="true"] form')?.append(removed);
    removed.focus();
    removed.remove();
  });
  await expect.poll(() => readFocusPlace(page)).toBe('top dialog');
  await page.keyboard.press('Escape');
  await gone(dialog);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('New entry-point');
});

/** Whether the focus is in the top dialog, behind it, on the page without one, or lost. */
function readFocusPlace(page: Page): Promise<string> {
  return page.evaluate(() => {
    const dialogs = [...document.querySelectorAll('[aria-modal="true"]')];
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return 'lost';
    const top = dialogs.at(-1);
    if (top === undefined) return 'page';
    return top.contains(activeElement) ? 'top dialog' : 'behind a dialog';
  });
}
