// @module-tag long

import { getSessions } from '@portal/contract/sessions';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { createTest } from './test.ts';
import {
  answerDialog,
  arrive,
  type Credentials,
  demo,
  fillSignIn,
  gone,
  seen,
  showsBriefly,
  signInByCall,
} from './user-actions.ts';

const farm: Credentials = { userName: 'farm.dev', password: 'farm' };
const health: Credentials = { userName: 'health.dev', password: 'health' };

const test = createTest({
  roles: [
    { role: 'viewer', users: 'everyone' },
    { role: 'admin', users: ['demo'] },
  ],
});

describe('sessions', () => {
  test('lists the sessions of a user, who can end them one at a time or together', { tags: 'short' }, async ({
    page,
    visit,
  }) => {
    const others = [await visit.open({}), await visit.open({}), await visit.open({})];
    for (const each of others) await arrive(each, '/apps', { who: health });
    await arrive(page, '/sessions', { who: health });
    const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('row');
    const current = rows.filter({ hasText: 'This session' });
    await seen(current);
    await seen(current.getByText(/^Chrome on /));
    const end = page.getByRole('button', { name: /^End the session of health\.dev/ });
    await expect.poll(() => end.count()).toBe(3);

    await end.first().click();
    await showsBriefly(page.getByText('1 session of health.dev'), () => answerDialog(page, 'End this session?', 'End'));
    await expect.poll(() => end.count()).toBe(2);

    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'End my other sessions' }).click();
    await showsBriefly(page.getByText('2 sessions of health.dev'), () =>
      answerDialog(page, 'End your other sessions?', 'End'),
    );
    await expect.poll(() => end.count()).toBe(0);
    await seen(current);
    visit.trouble.expect(/401/);
    for (const each of others) {
      await each.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await seen(each.getByText('Your session has ended. Sign in again to continue where you left off.'));
    }
  });

  test('lists the sessions of all users for administrators, who can end all of one user', async ({ page, visit }) => {
    // A page whose session has ended may still update its list.
    visit.trouble.expect(/401/);
    for (const who of [farm, farm, demo]) await arrive(await visit.open({}), '/apps', { who });
    await arrive(page, '/sessions');
    const end = page.getByRole('button', { name: /^End the session of farm\.dev/ });
    await seen(end.first());
    await end.first().click();
    const dialog = page.getByRole('dialog', { name: 'End this session?' });
    await dialog.getByLabel(/^End all \d+ sessions of farm\.dev$/).check();
    await showsBriefly(page.getByText(/^\d+ sessions of farm\.dev$/), () =>
      answerDialog(page, 'End this session?', 'End'),
    );
    await gone(end.first());
    await seen(page.getByRole('button', { name: /^End the session of demo/ }));
  });

  test('shows where a session was last used beside where it was opened, on a phone too', async ({ page }) => {
    const one = { username: 'demo', createdAt: '2026-01-01T08:00:00Z', lastSeenAt: '2026-01-01T09:00:00Z' };
    const office = { address: '192.0.2.7', browser: 'Firefox on Windows' };
    const moved = { lastAddress: '2001:db8:85a3:8d3:1319:8a2e:370:7348', lastBrowser: 'curl' };
    const stayed = { lastAddress: office.address, lastBrowser: office.browser };
    const sessions = [
      { id: 'a', ...one, ...office, ...moved, isCurrent: false, isReadOnly: false },
      { id: 'b', ...one, ...office, ...stayed, isCurrent: true, isReadOnly: false },
    ];
    await page.route(`**${getSessions.path}`, (route) => route.fulfill({ json: { sessions } }));
    await page.setViewportSize({ width: 360, height: 780 });
    await arrive(page, '/sessions');
    const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('row');
    const current = rows.filter({ hasText: 'This session' });
    await seen(current.getByText('Firefox on Windows', { exact: true }));
    await seen(current.getByText('192.0.2.7', { exact: true }));
    const other = rows.filter({ hasText: 'last curl' });
    await seen(other.getByText('Firefox on Windows, last curl', { exact: true }));
    await seen(other.getByText(`192.0.2.7, last ${moved.lastAddress}`, { exact: true }));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: /^End the session of demo/ }).click();
    await seen(page.getByText(`, last used with curl at ${moved.lastAddress}`));
  });

  test('a page follows when another tab replaces its session', async ({ page, visit }) => {
    visit.trouble.expect(/401/);
    await arrive(page, '/apps');
    const badge = (name: string) => page.getByText(`Signed into Production as ${name}`);
    await seen(badge('demo'));
    // The session ends unnoticed, and another user signs in, in another tab of the same browser.
    await page.context().clearCookies();
    const tab = await page.context().newPage();
    await tab.goto('/');
    await fillSignIn(tab, farm);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await seen(tab.getByText('Signed into Production as farm.dev'));
    await seen(badge('farm.dev'));

    await signInByCall(page, demo);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await seen(badge('demo'));
    await tab.close();
  });
});
