// @module-tag long

/**
 * The order of the sync list, and what a resting pointer can reach in it. The list is scripted, so
 * that each test decides when it changes.
 */
import { getRefusals } from '@portal/contract/session';
import { listIntegrations, type SyncIntegration } from '@portal/contract/sync/integration';
import { createIntegration } from '@portal/server/testing/scripted-sync-service';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { rowOf, table } from './sync-screen.ts';
import { test } from './test.ts';
import { answerDialog, arrive, gone, readColumn, seen } from './user-actions.ts';

const names = ['Assets', 'Births', 'Clinics', 'Depots'];

/** Opens the list with these integrations; the returned function replaces some of them. */
async function openList(page: Page, overrides: Readonly<Record<string, Partial<SyncIntegration>>>) {
  await page.clock.install();
  let list = names.map((name) => createIntegration({ id: name.toLowerCase(), name }, overrides[name]));
  await page.route('**/sync/api/list', (route) => route.fulfill({ json: listIntegrations.response.parse(list) }));
  // These apps do not exist, so that the server would refuse to change them.
  await page.route(`**${getRefusals.path}`, (route) =>
    route.fulfill({ json: getRefusals.request.parse(route.request().postDataJSON()).subjects.map(() => ({})) }),
  );
  await arrive(page, '/sync');
  await seen(rowOf(page, 'Depots'));
  return async (next: (integration: SyncIntegration) => SyncIntegration | null) => {
    list = list.flatMap((integration) => next(integration) ?? []);
    const refreshed = page.waitForResponse('**/sync/api/list');
    await page.clock.fastForward(10_000);
    await refreshed;
  };
}

const shownNames = (page: Page) => readColumn(page, 'Name');
const halt = (integration: SyncIntegration): SyncIntegration => ({
  ...integration,
  ...(integration.appName === 'Depots' && ({ status: 'Halted', health: 'Stale', haltReason: 'It broke.' } as const)),
});
const halted = 'DepotsIt broke.';

test('the sync list is sorted by name, and "Needs attention first" is remembered', { tags: 'short' }, async ({
  page,
}) => {
  await openList(page, { Clinics: { status: 'Halted', health: 'Stale' }, Births: { status: 'Disabled' } });
  await expect.poll(() => shownNames(page)).toEqual(['Assets', 'Births', expect.stringContaining('Clinics'), 'Depots']);
  const name = table(page).getByRole('columnheader', { name: 'Name' });
  await expect.poll(() => name.getAttribute('aria-sort')).toBe('ascending');

  const choice = page.getByRole('checkbox', { name: 'Needs attention first' });
  await choice.check();
  const urgentFirst = [expect.stringContaining('Clinics'), 'Births', 'Assets', 'Depots'];
  await expect.poll(() => shownNames(page)).toEqual(urgentFirst);
  await expect.poll(() => name.getAttribute('aria-sort')).toBeNull();
  await page.goto('/#/home');
  await page.goto('/#/sync');
  await expect.poll(() => shownNames(page)).toEqual(urgentFirst);
  await choice.uncheck();
  await expect.poll(() => shownNames(page)).toEqual(['Assets', 'Births', expect.stringContaining('Clinics'), 'Depots']);
});

test('rows keep their places while the pointer is in the list, show what changed, and are sorted again on request', async ({
  page,
}) => {
  const change = await openList(page, {});
  await page.getByRole('checkbox', { name: 'Needs attention first' }).check();
  const inOrder = page.getByRole('button', { name: 'Order changed: sort again' });
  await rowOf(page, 'Assets').hover();
  await change(halt);
  await seen(rowOf(page, 'Depots').getByText('Halted', { exact: true }));
  expect(await shownNames(page)).toEqual(['Assets', 'Births', 'Clinics', expect.stringContaining(halted)]);
  await inOrder.click();
  await expect.poll(() => shownNames(page)).toEqual([expect.stringContaining(halted), 'Assets', 'Births', 'Clinics']);
  await gone(inOrder);

  // Without the pointer, the focus does the same.
  await page.mouse.move(0, 0);
  await page.getByRole('button', { name: 'Info Births' }).focus();
  await change((integration) => ({ ...integration, status: 'Enabled', health: 'Fresh' }));
  await seen(inOrder);
  expect((await shownNames(page))[0]).toContain('Depots');
  await page.getByRole('searchbox').focus();
  await expect.poll(async () => (await shownNames(page))[0]).toBe('Assets');
});

test('a second click without moving the pointer never reaches another integration', async ({ page }) => {
  const change = await openList(page, { Births: { status: 'Disabled' }, Clinics: { status: 'Disabled' } });
  await page.getByRole('checkbox', { name: 'Needs attention first' }).check();
  await expect.poll(() => shownNames(page)).toEqual(['Births', 'Clinics', 'Assets', 'Depots']);
  const enable = page.getByRole('button', { name: 'Enable Births' });
  const { x, y, width, height } = (await enable.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [left, top] = [x + width / 2, y + height / 2];
  await page.mouse.click(left, top);
  await answerDialog(page, 'Enable 1 integration?', 'Close');
  await page.mouse.move(left, top);
  await change((each) => (each.appName === 'Births' ? { ...each, status: 'Enabled', health: 'Fresh' } : each));
  await seen(page.getByRole('button', { name: 'Disable Births' }));
  await page.mouse.click(left, top);
  await answerDialog(page, 'Disable 1 integration?', 'Close');

  // It leaves the list, and no other row takes its place.
  await page.mouse.move(left, top);
  await change((each) => (each.appName === 'Births' ? null : each));
  await expect.poll(() => page.locator('tr[inert]').count()).toBe(1);
  await page.mouse.click(left, top);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.mouse.move(0, 0);
  await expect.poll(() => page.locator('tr[inert]').count()).toBe(0);
  await expect.poll(() => shownNames(page)).toEqual(['Clinics', 'Assets', 'Depots']);
});

/** As long as real addresses, so that it does not fit. */
const longAddress = 'https://run-testing-us.journeyapps.com/api/v4/5f1c0000000000000000ab12';

test('the actions cover no column of the sync list and no focused control at any width from 960 px', async ({
  page,
}) => {
  await openList(page, {
    Assets: {
      status: 'Disabled',
      journeyBaseUrl: longAddress,
      changeLogBacklog: { entries: 4_689, since: Date.now() - 46 * 60_000 },
    },
  });
  for (const width of [1440, 1280, 1100, 960]) {
    await page.setViewportSize({ width, height: 800 });
    const frame = table(page).locator('table').locator('..');
    await expect
      .poll(() => frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth), { message: `${width}` })
      .toBe(true);
  }
  // Where it cannot fit, the focus scrolls clear of the actions.
  await page.setViewportSize({ width: 620, height: 800 });
  const copy = rowOf(page, 'Assets').getByRole('button', { name: `Copy ${longAddress}` });
  await copy.focus();
  await expect.poll(() => copy.evaluate(isInSight)).toBe(true);
});

/** Runs in the page. */
function isInSight(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}

test('the addresses of an integration show host and port, however narrow their columns are', async ({ page }) => {
  await openList(page, {
    Births: { heliumBaseUrl: 'http://127.0.0.1:24135', journeyBaseUrl: 'https://run-us.example.org/api/v4/5f0' },
  });
  await page.setViewportSize({ width: 960, height: 800 });
  const row = rowOf(page, 'Births');
  for (const [address, place] of [
    ['http://127.0.0.1:24135', '127.0.0.1:24135'],
    ['https://run-us.example.org/api/v4/5f0', 'run-us.example.org'],
  ] as const) {
    const text = row.getByTitle(address, { exact: true }).locator('span').first();
    const readShown = () =>
      text.evaluate((element) => {
        const range = document.createRange();
        range.setStart(element, 0);
        range.setEndBefore(element.lastElementChild ?? element);
        const frame = element.getBoundingClientRect();
        const isWhole = [...range.getClientRects()].every(
          ({ right, bottom }) => right <= frame.right + 1 && bottom <= frame.bottom + 1,
        );
        return { text: range.toString(), isWhole };
      });
    await expect.poll(readShown).toEqual({ text: place, isWhole: true });
    await seen(row.getByRole('button', { name: `Copy ${address}`, exact: true }));
  }
});

test('the actions of a row move into a menu when the columns need their width', async ({ page }) => {
  await openList(page, {});
  await page.setViewportSize({ width: 960, height: 800 });
  const menu = page.getByRole('button', { name: 'Actions: Births' });
  await menu.click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete Births' }).click();
  await answerDialog(page, 'Delete this integration?', 'Close');
  await expect.poll(() => menu.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await seen(page.getByRole('button', { name: 'Disable Births' }));
  await page.keyboard.press('Escape');
  await gone(page.getByRole('button', { name: 'Disable Births' }));
});

test('a message covers neither the focused button of a dialog nor the one that closes the dialog', async ({
  page,
  visit,
}) => {
  visit.trouble.expect(/500/);
  await openList(page, { Births: { status: 'Disabled' } });
  const problem = {
    kind: 'bug',
    message: 'It could not be saved, for a reason that takes a line or two.',
    requestId: 'r-1',
  };
  await page.route('**/sync/api/set-enabled', (route) => route.fulfill({ status: 500, json: problem }));
  await page.getByRole('button', { name: 'Enable Births' }).click();
  await answerDialog(page, 'Enable 1 integration?', 'Enable');
  await seen(page.getByRole('article', { name: 'Enable' }));
  await page.getByRole('button', { name: 'Disable Assets' }).click();
  const dialog = page.getByRole('dialog', { name: 'Disable 1 integration?' });
  await seen(dialog);
  await page.setViewportSize({ width: 1024, height: 400 });
  await dialog.getByRole('button', { name: 'Close', exact: true }).focus();
  await page.keyboard.press('Tab');
  await expect.poll(() => dialog.getByRole('button', { name: 'Disable' }).evaluate(isInSight)).toBe(true);
  await expect.poll(() => dialog.getByRole('button', { name: 'Close dialog' }).evaluate(isInSight)).toBe(true);
});
