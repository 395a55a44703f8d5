import { describe, expect } from 'vitest';
import { createTest } from './test.ts';
import { answerDialog, arrive, chooseOption, seen, select } from './user-actions.ts';

// Only administrators see the failed sign-ins of others.
const test = createTest({ roles: [{ role: 'admin', users: ['demo'] }] });

describe('audit trail', () => {
  test('shows who changed what, with old and new values, including refused and failed attempts', async ({
    page,
    portal,
    visit,
  }) => {
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
  });

  test('filters entries by a search, which is stored in the URL', async ({ page, portal }) => {
    await arrive(page, `/audit?app=${portal.app('Stock Room').id}`);
    await seen(page.getByRole('row').filter({ hasText: 'Stock Room' }).first());
    expect(await page.getByRole('row').filter({ hasText: 'sign' }).count()).toBe(0);
  });
});
