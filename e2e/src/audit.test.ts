// @module-tag long

import { text } from 'node:stream/consumers';
import { makeSessionReadOnly, readOnlyReason } from '@portal/contract/session';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { createTest } from './test.ts';
import { answerDialog, arrive, chooseOption, gone, openRoute, seen, select, signInByCall } from './user-actions.ts';

// Only administrators see the failed sign-ins of others.
const test = createTest({ roles: [{ role: 'admin', users: ['demo'] }] });

describe('audit trail', () => {
  test('shows who changed what, with old and new values, including refused and failed attempts', {
    tags: 'short',
  }, async ({ page, portal, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    const app = portal.app('Stock Room');
    await arrive(page, `/config/${app.id}`);
    await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
    await answerDialog(page, 'Lock this app?', 'Lock app');
    await expect.poll(() => select(page, 'Locked or unlocked').inputValue()).toBe('Locked');
    portal.helium.faults.set({ path: 'app-config', mode: 'error500' });
    await chooseOption(page, select(page, 'Locked or unlocked'), 'Unlocked');
    await page.getByRole('dialog').getByRole('button', { name: 'Unlock app' }).click();
    await seen(page.getByRole('alert').filter({ hasText: 'Error' }).first());
    portal.helium.faults.clear();

    await page.goto('/#/audit');
    const rows = page.getByRole('row').filter({ hasText: 'Stock Room' });
    await expect.poll(() => rows.count()).toBe(2);
    await seen(rows.nth(0).getByText(/failed/i));
    await seen(rows.nth(1).getByText(/done/i));
    await seen(rows.nth(1).getByText('demo').first());
  });

  test('goes by the server’s clock where the computer’s is hours slow, and says so', async ({ visit, portal }) => {
    const page = await visit.open({});
    await page.clock.install({ time: Date.now() - 3 * 3_600_000 });
    const app = portal.app('Farm Inputs');
    await arrive(page, `/config/${app.id}`);
    await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
    await answerDialog(page, 'Lock this app?', 'Lock app');
    await expect.poll(() => select(page, 'Locked or unlocked').inputValue()).toBe('Locked');
    await page.goto('/#/audit');
    const row = page.getByRole('row').filter({ hasText: 'Farm Inputs' }).first();
    await seen(row.getByText(/just now|min ago/));
    await seen(page.getByRole('contentinfo').getByText('The clock of this computer is 3 h slow.'));
  });

  test('shows exact local times in one style, also by keyboard', async ({ page }) => {
    await arrive(page, '/audit');
    const time = page.locator('tbody tr').first().locator('time');
    await expect.poll(() => time.innerText()).toMatch(/just now|min ago/);
    const instant = new Date((await time.getAttribute('datetime')) ?? '');
    const exact = await page.locator('tbody tr').first().getByRole('button').first().getAttribute('aria-description');
    expect(exact).toMatch(/^\w{3} \d+ \w{3} \d{4}, \d\d:\d\d:\d\d [+-]\d\d:\d\d$/);
    expect(Math.abs(Date.parse(exact?.replace(',', '') ?? '') - instant.getTime())).toBeLessThan(1_000);
    const toggle = page.getByRole('contentinfo').getByRole('button', { name: 'Show exact times' });
    await toggle.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => time.innerText()).toBe(exact);
    await page.getByRole('contentinfo').getByRole('button', { name: 'Show relative times' }).click();
    await expect.poll(() => time.innerText()).toMatch(/just now|min ago/);
  });

  test('shows equal refusals as one entry with their number, and exports them', async ({ page }) => {
    const authorization = `Basic ${Buffer.from('mallory:wrong').toString('base64')}`;
    for (let attempt = 0; attempt < 3; attempt++)
      await page.request.get('/portal-backend/api/session?environment=Production', { headers: { authorization } });
    await arrive(page, '/audit?user=mallory');
    const row = page.getByRole('row').filter({ hasText: 'HTTP Basic refused' });
    await seen(row.getByText('refused ×3'));
    await row.click();
    await seen(page.getByRole('dialog').getByText('Last attempt'));
    await page.getByRole('button', { name: 'Close dialog' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('audit Production.csv');
    const lines = (await text(await file.createReadStream())).trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^First,Last,Attempts,User,/);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^[^,]+Z,[^,]+Z,3,mallory,/)]);
  });

  test('explains that a read-only session exports nothing', async ({ page, portal }) => {
    await arrive(page, '/audit');
    await page.request.post(makeSessionReadOnly.path, { headers: { origin: portal.origin } });
    await page.reload();
    const button = page.getByRole('button', { name: 'Export as CSV' });
    await expect.poll(() => button.getAttribute('aria-description')).toBe(readOnlyReason);
    expect(await button.getAttribute('aria-disabled')).toBe('true');
  });

  test('filters entries by a search, which is stored in the URL', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await signInByCall(page);
    await page.request.post('/portal-backend/api/config/add-entry-point', {
      data: { appId: app.id, entryPoint: 'Nightly:closeOldVisits', duration: 60 },
      headers: { origin: portal.origin },
    });
    await openRoute(page, `/audit?app=${app.id}`);
    await seen(page.getByLabel(/^From \(UTC[+-]\d\d:\d\d\)$/));
    await seen(page.getByRole('row').filter({ hasText: 'Clinic Visits' }).first());
    expect(await page.getByRole('row').filter({ hasText: 'sign' }).count()).toBe(0);
  });

  test('finds one of hundreds of apps by its words in any order, and says how many more match', async ({ page }) => {
    const apps = Array.from({ length: 400 }, (_, at) => ({
      id: `app-${at}`,
      name: `Patient Register ${at} ${at === 321 ? 'Harare' : 'Lusaka'}`,
      fqdn: `app-${at}.example.org`,
      schemaName: `register_${at}`,
    }));
    await signInByCall(page);
    await page.route('**/portal-backend/api/apps', (route) => route.fulfill({ json: apps }));
    await openRoute(page, '/audit');
    await select(page, 'App').click();
    const options = page.getByRole('listbox', { name: 'App' }).getByRole('option');
    await expect.poll(() => options.count()).toBe(50);
    await seen(page.getByRole('status').getByText('350 more: go on typing'));
    expect(await violations(page)).toEqual([]);

    await select(page, 'App').fill('HARARE patient');
    await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringMatching(/^Patient Register 321 Harare/)]);
    await gone(page.getByText('go on typing'));
    await seen(page.locator('[data-combobox-selected]'));
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/audit\?app=app-321$/);
    await expect.poll(() => select(page, 'App').inputValue()).toBe('Patient Register 321 Harare');
    await page.getByTitle('Any app').click();
    await page.waitForURL(/#\/audit$/);
    await page.goto('/#/audit?app=app-7');
    await expect.poll(() => select(page, 'App').inputValue()).toBe('Patient Register 7 Lusaka');
    await select(page, 'App').fill('');
    await page.keyboard.press('Tab');
    await page.waitForURL(/#\/audit$/);

    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => select(page, 'App').inputValue()).toMatch(/^Patient Register/);

    await select(page, 'App').fill('nowhere');
    await seen(page.getByRole('status').getByText('No such app'));
    expect(await violations(page)).toEqual([]);
  });
});
