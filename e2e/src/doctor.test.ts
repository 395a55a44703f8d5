// @module-tag long

import { examineEnvironment } from '@portal/contract/doctor';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { test } from './test.ts';
import { arrive, seen } from './user-actions.ts';

describe('doctor', () => {
  test('shows how Helium and each data source answer', { tags: 'short' }, async ({ page, portal }) => {
    await arrive(page, '/doctor');
    await seen(page.getByText('Nothing has been examined yet.'));
    const examine = page.getByRole('button', { name: 'Examine' });
    await examine.click();
    await seen(page.getByRole('status').getByText('The portal can work with this environment.'));
    const examinations = page.getByRole('list', { name: 'Examinations' }).getByRole('listitem');
    await seen(examinations.filter({ hasText: 'List of apps' }).getByText('OK', { exact: true }));
    await seen(examinations.filter({ hasText: 'Data source' }).first());

    portal.helium.faults.set({ path: 'app-config', mode: 'error500' });
    await examine.click();
    await seen(page.getByRole('status').getByText(/examinations found a problem\.$/));
    await seen(examinations.filter({ hasText: 'App configuration' }).getByText('Problem', { exact: true }));
    expect(await violations(page)).toEqual([]);
  });

  test('keeps the state of every examination beside its title on a phone', async ({ page }) => {
    const titles = ['List of apps', 'App configuration of an app with an exceptionally long name'];
    const examinations = titles.map((title) => ({ title, isGood: true, lines: [] }));
    await page.route(`**${examineEnvironment.path}`, (route) =>
      route.fulfill({ json: { examinations, suggestion: '', isGood: true } }),
    );
    await page.setViewportSize({ width: 360, height: 780 });
    await arrive(page, '/doctor');
    await page.getByRole('button', { name: 'Examine' }).click();
    await seen(page.getByRole('heading', { name: titles[1] ?? '' }));
    const distances = await page.locator('summary').evaluateAll((lines) =>
      lines.map((line) => {
        const [title, state] = [line.querySelector('h2'), line.querySelector('h2 + *')];
        return Math.round((state?.getBoundingClientRect().top ?? 0) - (title?.getBoundingClientRect().top ?? 0));
      }),
    );
    expect(new Set(distances).size, String(distances)).toBe(1);
  });

  test('keeps the focus on a button that is loading, and does nothing for another key', async ({ page }) => {
    let calls = 0;
    let finish = () => {};
    const isExamined = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await page.route(`**${examineEnvironment.path}`, async (route) => {
      calls += 1;
      await isExamined;
      await route.fulfill({ json: { examinations: [], suggestion: '', isGood: true } });
    });
    await arrive(page, '/doctor');
    const examine = page.getByRole('button', { name: 'Examine' });
    await examine.focus();
    await page.keyboard.press('Enter');
    await seen(page.getByText('Examining …'));
    await page.keyboard.press('Enter');
    await expect.poll(() => examine.evaluate((button) => button === document.activeElement)).toBe(true);
    finish();
    await seen(page.getByRole('status').getByText('The portal can work with this environment.'));
    await expect.poll(() => examine.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(calls).toBe(1);
  });

  test('shows the settings that fit', async ({ page }) => {
    const suggestion = 'environments:\n  - name: "Production"\n    helium:';
    await page.route(`**${examineEnvironment.path}`, (route) =>
      route.fulfill({ json: { examinations: [], suggestion, isGood: false } }),
    );
    await arrive(page, '/doctor');
    await page.getByRole('button', { name: 'Examine' }).click();
    const settings = page.getByRole('region', { name: 'Suggested settings' });
    await seen(settings.getByText('helium:'));
    await settings.getByRole('button', { name: 'Copy the suggested settings' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(suggestion);
  });
});
