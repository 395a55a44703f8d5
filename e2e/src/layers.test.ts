/** Hints and lists that open over the page, and what Escape closes. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createIntegration } from './create-integration.ts';
import type { Portal } from './portal.ts';
import { rowOf } from './sync-screen.ts';
import { test } from './test.ts';
import { arrive, gone, isFocused, seen } from './user-actions.ts';

const name = 'Clinic Visits';

/** Opens the sync list with a disabled integration. */
async function openList(page: Page, portal: Portal) {
  const app = portal.app(name);
  await arrive(page, '/sync');
  await createIntegration(page, app, app.dataSource.heliumDataSourceName);
  await page.reload();
  await seen(rowOf(page, name).getByRole('button', { name: `Info ${name}` }));
  return app;
}

test('Escape closes the list of columns in a dialog first, and the dialog next', async ({ page, portal }) => {
  const { id } = await openList(page, portal);
  await page.goto(`/#/sync?records=${id}`);
  const dialog = page.getByRole('dialog', { name: `Records of ${name}` });
  const button = dialog.getByRole('button', { name: /^Columns of / });
  await button.click();
  const columns = dialog.getByRole('dialog', { name: /^Columns of / });
  await expect.poll(() => isFocused(columns.getByRole('checkbox').first())).toBe(true);
  await page.keyboard.press('Escape');
  await gone(columns);
  await seen(dialog);
  await expect.poll(() => isFocused(button)).toBe(true);
  await page.keyboard.press('Escape');
  await gone(dialog);
});

test('the rule of a sync’s health is shown above its records on request only', async ({ page, portal }) => {
  const { id } = await openList(page, portal);
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(`/#/sync?records=${id}`);
  const dialog = page.getByRole('dialog', { name: `Records of ${name}` });
  const rule = dialog.getByText(/Fresh: both sides responded within the last 2\smin/);
  await seen(dialog.getByText('No dead letters.'));
  await gone(rule);
  await dialog.getByText('What Idle means').click();
  await seen(rule);
});

test('a hint is shown at the pointer and at the focus, inside the window, and Escape hides it', async ({
  page,
  portal,
}) => {
  await openList(page, portal);
  await page.setViewportSize({ width: 960, height: 700 });
  const health = rowOf(page, name).getByRole('button', { name: 'Idle' });
  const hint = page.getByRole('tooltip');
  await health.hover();
  await seen(hint.getByText(/^Fresh: both sides responded/));
  const box = await hint.boundingBox();
  expect(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 960).toBe(true);
  await page.mouse.move(0, 0);
  await gone(hint);

  await health.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect.poll(() => isFocused(health)).toBe(true);
  await seen(hint);
  await page.keyboard.press('Escape');
  await gone(hint);
  await expect.poll(() => isFocused(health)).toBe(true);
});

test('a hint changes with the text of its element, and leaves with the element', async ({ page, portal }) => {
  await openList(page, portal);
  const health = rowOf(page, name).getByRole('button', { name: 'Idle' });
  const hint = page.getByRole('tooltip');
  await health.hover();
  await seen(hint.getByText(/^Fresh: both sides responded/));
  await health.evaluate((element) => element.setAttribute('data-hint', 'Another text'));
  await expect.poll(() => hint.innerText()).toBe('Another text');
  await health.evaluate((element) => element.removeAttribute('data-hint'));
  await gone(hint);
});
