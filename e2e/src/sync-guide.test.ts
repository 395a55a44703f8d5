import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { arrive, readBreadcrumbs, seen, showsBriefly } from './user-actions.ts';

const tabs = ['Guide', 'Relationships', 'Single device per user', 'Multiple devices per user'];
const subjects = [
  'Data types',
  'Unsupported types',
  'Enums',
  'Names',
  'Relationships',
  'Skipping objects',
  'Cascades',
  'Minimum versions',
  'Enrollment',
  'Webhooks',
  'Upgrades and halts',
  'Known limits',
];

const exampleFile = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../web/src/features/sync-guide/examples/${name}`, import.meta.url)), 'utf8');

/** The editor replaces its plain text shortly after it appears. */
const waitForEditors = (page: Page) =>
  page.waitForFunction(() => {
    const figures = [...document.querySelectorAll('main figure')];
    return figures.length > 0 && figures.every((figure) => figure.querySelector('.cm-content'));
  });

describe('sync guide', () => {
  test('covers every subject, each with its name and a link', async ({ page }) => {
    await arrive(page, '/sync-guide');
    await expect.poll(() => readBreadcrumbs(page)).toEqual(['Home', 'Sync', 'Guide']);
    await expect.poll(() => page.getByRole('tab').allTextContents()).toEqual(tabs);
    await expect.poll(() => page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(subjects);
    for (const [helium, journey] of [
      ['int', 'integer'],
      ['string', 'text'],
      ['decimal', 'number'],
      ['bool', 'boolean'],
      ['date', 'date'],
      ['datetime', 'datetime'],
      ['blob', 'photo, signature or attachment'],
    ] as const) {
      const types = page.getByRole('table').first();
      const row = types.getByRole('row').filter({ has: page.getByRole('rowheader', { name: helium, exact: true }) });
      await expect.poll(() => row.getByRole('cell').first().textContent()).toBe(journey);
    }
    const limits = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Known limits' }) });
    await seen(limits.getByRole('heading', { name: 'One direction only' }));
    await seen(limits.getByText('Edits on the side whose changes are not read stay there.'));
    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('button', { name: 'Cascades' }).click();
    const focused = page.locator('h2:focus').filter({ hasText: 'Cascades' });
    await seen(focused);
    await page.waitForURL(/\?section=cascades$/);
    await page.reload();
    await seen(focused);
    await page.getByRole('link', { name: 'Relationship examples' }).click();
    await seen(page.getByRole('tabpanel', { name: 'Relationships' }));
  });

  test('shows examples that can be read and copied, but not edited', async ({ page }) => {
    await arrive(page, '/sync-guide?tab=single-device');
    await waitForEditors(page);
    for (const [language, file] of [
      ['Helium', 'single-device.mez'],
      ['Journey', 'single-device.xml'],
    ] as const) {
      const editor = page.getByLabel(`User and child: ${language}`, { exact: true });
      await expect.poll(() => editor.getAttribute('contenteditable')).toBe('false');
      const figure = page.getByRole('figure', { name: `User and child: ${language}` });
      await showsBriefly(figure.getByRole('button', { name: 'Copied' }), () =>
        figure.getByRole('button', { name: `Copy User and child: ${language}` }).click(),
      );
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(exampleFile(file).trimEnd());
    }
    await page.getByRole('tab', { name: 'Single device per user' }).press('ArrowRight');
    await seen(page.getByRole('tabpanel', { name: 'Multiple devices per user' }));
    await page.waitForURL(/\?tab=multiple-devices$/);
    await waitForEditors(page);
    await seen(page.getByRole('row').filter({ hasText: 'performReAuthenticateFieldName' }));
  });
});
