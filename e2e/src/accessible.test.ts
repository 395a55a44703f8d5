// @module-tag long

import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { readBrokenWords, readBrokenWordsOnPhone } from './broken-words.ts';
import { readFaintBorders } from './faint-borders.ts';
import { expectActionsInSight } from './hidden-actions.ts';
import { chip, openLog } from './log-page.ts';
import { createTest } from './test.ts';
import { arrive, fillSignIn, gone, readColumn, seen } from './user-actions.ts';
import {
  createOverlayData,
  createSyncData,
  overlays,
  screens,
  waitUntilLoaded,
  walkedSystem,
} from './walked-screens.ts';

const test = createTest(walkedSystem);

describe('accessibility', () => {
  test('axe finds no violation on four screens with tables, forms and a chart', { tags: 'short' }, async ({
    page,
    portal,
  }) => {
    await createOverlayData(page, portal);
    for (const screen of ['/', '/config/APP', '/sync', '/dbspy/APP']) {
      await page.goto(`/#${screen.replace('APP', portal.app('Clinic Visits').id)}`);
      await waitUntilLoaded(page);
      expect(await violations(page), screen).toEqual([]);
    }
  });

  // This test visits more screens than others do.
  test('axe finds no violation on any screen in either theme', { timeout: 360_000 }, async ({ page, portal }) => {
    await page.goto('/');
    await seen(page.getByText('Use your Helium API credentials'));
    expect(await violations(page), 'sign-in').toEqual([]);

    const app = portal.app('Clinic Visits');
    await createOverlayData(page, portal);
    const open = async (screen: string) => {
      await page.goto(`/#${screen.replace('APP', app.id)}`);
      await waitUntilLoaded(page);
    };
    for (const screen of screens) {
      await open(screen);
      expect(await violations(page), screen).toEqual([]);
    }
    for (const [at, overlay] of overlays.entries()) {
      await open(overlay.screen);
      await overlay.open(page);
      await seen(page.getByRole('dialog'));
      expect(await violations(page), `overlay ${at} of ${overlay.screen}`).toEqual([]);
      await page.keyboard.press('Escape');
      await gone(page.getByRole('dialog'));
    }
  });

  test('axe finds no violation in a refused sign-in, a failed load, an interrupted log and a search for apps', async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/401|502|ERR_|WebSocket/);
    await page.goto('/');
    await fillSignIn(page, { userName: 'demo', password: 'wrong' });
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await seen(page.getByText('Either the username or password is incorrect'));
    expect(await violations(page), 'sign-in').toEqual([]);

    const app = portal.app('Clinic Visits');
    await page.route('**/portal-backend/api/config/**', (route) => route.fulfill({ status: 502, body: '' }));
    await arrive(page, `/config/${app.id}`);
    await seen(page.locator('#main').getByRole('button', { name: 'Try again' }));
    await seen(page.getByRole('alert', { name: 'Problems' }).getByRole('article').first());
    expect(await violations(page), 'failed load').toEqual([]);
    await page.unroute('**/portal-backend/api/config/**');

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find apps and screens' }).fill('clinic');
    await seen(page.getByRole('option').first());
    expect(await violations(page), 'palette').toEqual([]);
    await page.keyboard.press('Escape');

    await openLog(page, app);
    portal.line.down();
    await seen(chip(page, /^Interrupted/));
    expect(await violations(page), 'interrupted log').toEqual([]);
  });

  test('axe finds an image without alternative text, and a low contrast that exists in one theme only', async ({
    page,
  }) => {
    await page.goto('/');
    await seen(page.getByText('Use your Helium API credentials'));
    const found = async (color: string) => {
      await page.evaluate((faint) => {
        document.querySelector('#planted')?.remove();
        const planted = Object.assign(document.createElement('p'), { id: 'planted', textContent: 'hardly to be read' });
        planted.style.color = faint;
        planted.append(document.createElement('img'));
        document.querySelector('main')?.append(planted);
      }, color);
      return (await violations(page)).map((one) => one.replace(/: <.*/s, ''));
    };
    expect(await found('#ddd')).toEqual(['color-contrast', 'image-alt']);
    expect(await found('#333')).toEqual(['image-alt', 'in dark: color-contrast']);
  });
});

test('no screen scrolls horizontally in a narrow window, and no table breaks a word', async ({ visit, portal }) => {
  const page = await visit.open({ viewport: { width: 320, height: 700 } });
  const expectToFit = async (screen: string) => {
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 700 });
      await expect.poll(() => overflow(page), { message: `${screen} at ${width} px` }).toBe(0);
    }
  };
  const expectWholeWords = async (screen: string) => {
    for (const width of [768, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 700 });
      await expect.poll(() => readBrokenWords(page), { message: `${screen} at ${width} px` }).toEqual([]);
    }
  };
  await page.goto('/');
  await seen(page.getByText('Use your Helium API credentials'));
  await expectToFit('sign-in');
  await arrive(page, '/');
  await createSyncData(page, portal);
  for (const screen of screens) {
    await page.goto(`/#${screen.replace('APP', portal.app('Clinic Visits').id)}`);
    await waitUntilLoaded(page);
    await expectToFit(screen);
    await expectWholeWords(screen);
  }
});

test('no screen and no dialog breaks a word on a phone', { timeout: 360_000 }, async ({ page, portal }) => {
  const app = portal.app('Clinic Visits');
  await createOverlayData(page, portal);
  await page.setViewportSize({ width: 360, height: 780 });
  const open = async (screen: string) => {
    await page.goto(`/#${screen.replace('APP', app.id)}`);
    await waitUntilLoaded(page);
  };
  const expectWholeWords = (selector: string, message: string) =>
    expect.poll(() => readBrokenWordsOnPhone(page, selector), { message }).toEqual([]);
  for (const screen of screens) {
    await open(screen);
    await expectWholeWords('main, [role="dialog"]', screen);
  }
  for (const [at, overlay] of overlays.entries()) {
    await open(overlay.screen);
    await overlay.open(page);
    await seen(page.getByRole('dialog'));
    await expectWholeWords('[role="dialog"]', `overlay ${at} of ${overlay.screen}`);
    await page.keyboard.press('Escape');
    await gone(page.getByRole('dialog'));
  }
});

test('a long app name without spaces does not widen home', async ({ visit, portal }) => {
  const page = await visit.open({ viewport: { width: 320, height: 700 } });
  const app = portal.app('Clinic Visits');
  await page.route('**/portal-backend/api/**', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll('"Clinic Visits"', JSON.stringify('Abcdefghij'.repeat(6)));
    await route.fulfill({ response, body });
  });
  // A visit makes it one of the user's apps.
  await arrive(page, `/app/${app.id}`);
  await waitUntilLoaded(page);
  await page.goto('/#/');
  await seen(page.getByRole('link', { name: 'Abcdefghij'.repeat(6), exact: true }).first());
  await expect.poll(() => overflow(page)).toBe(0);
});

test('keeps the actions of a row in sight at every width', async ({ page, portal }) => {
  await arrive(page, '/');
  await createSyncData(page, portal);
  for (const screen of ['/sync', '/sync-dashboard', '/apps', '/scheduledfunctions/APP', '/config/APP', '/sessions']) {
    await page.goto(`/#${screen.replace('APP', portal.app('Clinic Visits').id)}`);
    await waitUntilLoaded(page);
    await expectActionsInSight(page, screen);
  }
});

test('the row of a table has its name as its header', async ({ page, portal }) => {
  await arrive(page, '/');
  await createSyncData(page, portal);
  for (const [screen, table, header] of [
    ['/apps', 'Apps', 'name'],
    ['/sync', 'Helium Journey Apps', 'Name'],
    ['/scheduledfunctions/APP', 'Scheduled functions', 'Function'],
    ['/audit', 'Audit trail', 'When'],
  ] as const) {
    await page.goto(`/#${screen.replace('APP', portal.app('Clinic Visits').id)}`);
    await waitUntilLoaded(page);
    const headers = page.getByRole('table', { name: table }).locator('tbody').getByRole('rowheader');
    await expect.poll(() => headers.count(), { message: screen }).toBeGreaterThan(0);
    expect(await headers.allTextContents(), screen).toEqual(await readColumn(page, header));
  }
});

test('pressed buttons and selected tabs differ from others in forced colors', async ({ page, portal }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await arrive(page, `/dbspy/${portal.app('Clinic Visits').id}`);
  const readBackground = (name: string, role: 'button' | 'tab') =>
    page.getByRole(role, { name, exact: true }).evaluate((element) => getComputedStyle(element).backgroundColor);
  await seen(page.getByRole('button', { name: 'Bars', exact: true }));
  expect(await readBackground('Pie', 'button')).not.toBe(await readBackground('Bars', 'button'));
  expect(await readBackground('Chart', 'tab')).not.toBe(await readBackground('Table', 'tab'));
});

test('selected choices differ from others in forced colors', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/');
  const environments = page.getByPlaceholder('Please select an environment');
  // The field is disabled until the environments are loaded, and a click waits for that.
  await environments.click();
  const options = page.getByRole('option');
  await expect.poll(() => options.count()).toBe(3);
  await page.keyboard.press('ArrowDown');
  const readBackground = (element: Locator) => element.evaluate((drawn) => getComputedStyle(drawn).backgroundColor);
  await expect
    .poll(() => options.evaluateAll((all) => all.map((option) => option.getAttribute('data-active'))))
    .toEqual(['false', 'true', 'false']);
  expect(await readBackground(options.nth(1))).not.toBe(await readBackground(options.nth(2)));

  await arrive(page, '/schema-access');
  const getLabel = (text: string) => page.locator('label').filter({ hasText: text });
  const mode = page.getByRole('radiogroup', { name: 'Mode' });
  await seen(mode);
  expect(await readBackground(mode.locator('input:checked + label'))).not.toBe(
    await readBackground(mode.locator('input:not(:checked) + label')),
  );

  await page.getByRole('button', { name: 'Menu' }).click();
  await seen(getLabel('System'));
  expect(await readBackground(getLabel('System'))).not.toBe(await readBackground(getLabel('Dark')));
});

test('the borders of controls have a contrast of 3 : 1 in both themes', async ({ page, portal }) => {
  const app = portal.app('Clinic Visits');
  app.log({ key: 'INFO', value: 'hello' });
  const expectClearBorders = async (screen: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => readFaintBorders(page), { message: `${screen}, ${colorScheme}` }).toEqual([]);
    }
  };
  await page.goto('/');
  await seen(page.getByText('Use your Helium API credentials'));
  await expectClearBorders('sign-in');
  await arrive(page, '/');
  await createSyncData(page, portal);
  // The narrow guide has a list of contents with borders.
  await page.setViewportSize({ width: 900, height: 700 });
  // Its row is red.
  await page.request.post('/portal-backend/api/config/add-entry-point', {
    data: { appId: app.id, entryPoint: 'Nightly:border', duration: 60 },
    headers: { origin: portal.origin },
  });
  await page.goto(`/#/config/${app.id}`);
  await seen(page.getByRole('rowheader', { name: 'Nightly:border' }));
  await expectClearBorders('a red row');
  for (const screen of screens) {
    await page.goto(`/#${screen.replace('APP', app.id)}`);
    await waitUntilLoaded(page);
    await expectClearBorders(screen);
  }
  await page.getByRole('button', { name: 'Menu' }).click();
  await seen(page.getByRole('dialog').getByText('System'));
  await expectClearBorders('menu');
});

test('nothing moves, and borders are stronger, for people whose system asks for it', async ({ page }) => {
  await arrive(page, '/apps');
  const readStyles = () =>
    page
      .getByRole('button', { name: 'Menu' })
      .evaluate((button) => [
        getComputedStyle(button).transitionDuration,
        getComputedStyle(button).getPropertyValue('--color-border-strong'),
      ]);
  const [, usualBorder] = await readStyles();
  await page.emulateMedia({ reducedMotion: 'reduce', contrast: 'more' });
  const [duration, border] = await readStyles();
  expect(duration).toBe('0s');
  expect(border).not.toBe(usualBorder);
});

/** Returns by how many pixels the page is wider than its window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
