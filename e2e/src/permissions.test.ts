import { describe, expect } from 'vitest';
import { createTest } from './test.ts';
import { arrive, seen, select } from './user-actions.ts';

// For the whole file: one system in which every user is a viewer.
const test = createTest({
  roles: [{ role: 'viewer', users: 'everyone' }],
  supportRoster: { teams: [{ name: 'Night Shift' }] },
});

describe('system with configured roles', () => {
  test('lets a viewer read, explains why nothing can be changed, and enforces it on the server', async ({
    page,
    portal,
  }) => {
    const app = portal.app('Clinic Visits');
    await arrive(page, `/config/${app.id}`);
    await seen(select(page, 'Locked or unlocked'));
    await expect.poll(() => select(page, 'Locked or unlocked').getAttribute('aria-readonly')).toBe('true');
    const add = page.getByRole('button', { name: 'New entry-point' });
    await expect.poll(() => add.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => add.getAttribute('aria-description')).toMatch(/\w+/);
    await add.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);

    const response = await page.request.post('/portal-backend/api/config/lock-app', {
      data: { appId: app.id, locked: true },
      headers: { origin: portal.origin },
    });
    expect(response.status()).toBe(403);
    expect(await portal.logInToApp(app)).toBe(200);

    await page.goto(`/#/scheduledfunctions/${app.id}`);
    const toggle = page.getByRole('button', { name: 'Toggle Nightly:closeOldVisits' });
    await seen(toggle);
    await expect.poll(() => toggle.getAttribute('aria-disabled')).toBe('true');

    await page.goto(`/#/config/${app.id}?tab=schema-access`);
    const grant = page.getByRole('button', { name: 'Grant Access' });
    await seen(grant);
    await expect.poll(() => grant.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => grant.getAttribute('aria-description')).toMatch(/grant schema access/);
    const granted = await page.request.post('/portal-backend/api/schema-access/migrate-app', {
      data: { appId: app.id, teamUser: portal.helium.teams[0]?.name },
      headers: { origin: portal.origin },
    });
    expect(granted.status()).toBe(403);
  });

  test('lets a viewer read the roster, and explains why no shift can be changed', async ({ page }) => {
    await arrive(page, '/support-roster/Night Shift');
    for (const name of ['Add shift', 'Import CSV']) {
      const button = page.getByRole('button', { name });
      await seen(button);
      await expect.poll(() => button.getAttribute('aria-description')).toMatch(/change the support roster/);
      await button.click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
    }
  });
});
