import { savePortalShift } from '@portal/contract/support-roster';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { createTest } from './test.ts';
import { arrive, seen, signInByCall } from './user-actions.ts';

const team = 'Night Shift';
const name = 'Thandi Nkosi';
const dayMs = 24 * 3_600_000;

const test = createTest({
  teams: [{ name: team, apps: ['clinic_visits_001'] }],
  supportRoster: { teams: [{ name: team }], maskNumbers: true },
});

describe('masked phone numbers', () => {
  test('are revealed on a click only, everywhere the person is shown', async ({ page, portal, visit }) => {
    visit.trouble.expect(/502/);
    await signInByCall(page);
    const at = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
    await page.request.post(savePortalShift.path, {
      data: { team, id: null, name, number: '+27 82 555 0167', start: at(-1), end: at(1) },
      headers: { origin: portal.origin },
    });
    await arrive(page, `/support-roster/${team}`);
    const show = onCall(page).getByRole('button', { name: `Show the number of ${name}` });
    await seen(show);
    expect(await page.content()).not.toContain('0167');

    await page.route('**/support-roster/reveal-number', (route) => route.fulfill({ status: 502, body: '' }));
    await show.click();
    await seen(page.getByRole('alert').filter({ hasText: 'Unable to show the number' }));
    await page.unroute('**/support-roster/reveal-number');
    await show.click();
    await seen(onCall(page).getByRole('link', { name: '+27 82 555 0167' }));
    const row = page.getByRole('region', { name: 'Team members', exact: true }).locator('tbody tr');
    await expect.poll(() => row.getByRole('link').getAttribute('href')).toBe('tel:+27825550167');
  });
});

function onCall(page: Page): Locator {
  return page.getByRole('region', { name: 'On call', exact: true });
}
