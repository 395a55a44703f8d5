// @module-tag long

import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { test } from './test.ts';
import { arrive, chooseOption, demo, fillSignIn, gone, isFocused, seen, signInByCall } from './user-actions.ts';

const signIn = { name: 'Sign In', exact: true };

describe('sign-in', () => {
  test('requires an environment, then the user name, then the password', { tags: 'short' }, async ({ page }) => {
    await page.goto('/');
    await seen(page.getByText('Use your Helium API credentials'));
    const button = page.getByRole('button', signIn);
    await expect.poll(() => button.isDisabled()).toBe(true);

    await fillSignIn(page, { userName: '', password: '' });
    await expect.poll(() => button.isEnabled()).toBe(true);
    await button.click();
    await seen(page.getByText('Please enter your Helium API username'));
    await gone(page.getByText('Use your Helium API credentials'));

    await page.getByLabel('Username').fill('demo');
    await button.click();
    await seen(page.getByText('Please enter your Helium API password'));
  });

  test('starts in the first empty field, and Enter shows that an environment must be selected', async ({ page }) => {
    await page.goto('/');
    const environment = page.getByRole('combobox');
    await expect.poll(() => isFocused(environment)).toBe(true);
    await page.getByLabel('Username').fill('demo');
    await page.getByLabel('Username').press('Enter');
    await seen(page.getByRole('alert').filter({ hasText: 'Please select an environment' }));
    await expect.poll(() => isFocused(environment)).toBe(true);
    expect(await environment.getAttribute('aria-invalid')).toBe('true');
    await chooseOption(page, environment, 'Staging');
    await seen(page.getByText('Use your Helium API credentials'));
  });

  test('preselects the only environment', async ({ page }) => {
    const only = { name: 'Test', baseUrl: 'https://test.example', dataSources: [], color: 'gray', timeZone: 'UTC' };
    await page.route('**/api/environments', (route) => route.fulfill({ json: [only] }));
    await page.goto('/');
    await expect.poll(() => page.getByRole('combobox').inputValue()).toBe('Test');
    await expect.poll(() => page.getByRole('button', signIn).isEnabled()).toBe(true);
  });

  test('masks the password, and lets password managers fill both fields', async ({ page }) => {
    await page.goto('/');
    const password = page.getByLabel('Password');
    await seen(password);
    await expect.poll(() => password.getAttribute('type')).toBe('password');
    await expect.poll(() => password.getAttribute('autocomplete')).toBe('current-password');
    await expect.poll(() => page.getByLabel('Username').getAttribute('autocomplete')).toBe('username');
    // The page moves the focus once.
    await expect.poll(() => isFocused(page.getByRole('combobox'))).toBe(true);
    await password.focus();
    // As pasting does, at once and without keys.
    await page.keyboard.insertText('pasted');
    await expect.poll(() => password.inputValue()).toBe('pasted');
  });

  test('shows the same error for a wrong password and an unknown user', { tags: 'short' }, async ({ page, visit }) => {
    visit.trouble.expect(/401/);
    await page.goto('/');
    for (const who of [
      { userName: 'demo', password: 'wrong' },
      { userName: 'unknown', password: 'demo' },
    ]) {
      await page.reload();
      await fillSignIn(page, who);
      await page.getByRole('button', signIn).click();
      await seen(page.getByText('Either the username or password is incorrect'));
      await gone(page.getByText('Use your Helium API credentials'));
    }
  });

  test('shows when to try again after too many wrong passwords', async ({ page, portal, visit }) => {
    visit.trouble.expect(/429/);
    const mallory = { userName: 'mallory', password: 'guess' };
    for (let guess = 0; guess < 5; guess++) await expect(signInByCall(page, mallory)).rejects.toThrow('401');
    // A delay of 30 s, from a moment that a slow machine does not reach before the next attempt.
    await portal.server.dependencies.pool.query(
      `update sign_in_failures set failures = 10, last_failed_at = now() + interval '5 minutes',
         window_ends_at = now() + interval '1 hour' where failures = 5`,
    );
    await page.goto('/');
    await fillSignIn(page, mallory);
    await page.getByRole('button', signIn).click();
    const text = /^Error logging in: Too Many Requests \(429\)\. Too many sign-in attempts\. Try again in \d+ s\.$/;
    await seen(page.getByText(text));
  });

  test('omits the localhost environment', async ({ page }) => {
    await page.goto('/');
    await page.getByPlaceholder('Please select an environment').click();
    await seen(page.getByRole('option').first());
    await expect
      .poll(() => page.getByRole('option').allTextContents())
      .toEqual(['Production', 'Zambia-production', 'Staging']);
  });

  test('submits on Enter, and home greets the user', { tags: 'short' }, async ({ page }) => {
    await page.goto('/');
    await fillSignIn(page, demo);
    await page.getByLabel('Password').press('Enter');
    await seen(page.getByText('Signed into Production as demo'));
    await seen(page.getByText('DevOps Deployments'));
  });

  test('shows "Logging in ..." while it waits', async ({ page }) => {
    await page.goto('/');
    await fillSignIn(page, demo);
    // Not a call that hangs at the platform: its cookie might arrive in the next test.
    await page.route('**/portal-backend/api/apps', () => undefined);
    await page.getByRole('button', signIn).click();
    await seen(page.getByRole('button', { name: 'Logging in ...' }));
  });

  test('keeps a deep link through the sign-in and a reload', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await page.goto(`/#/config/${app.id}`);
    await fillSignIn(page, demo);
    await page.getByRole('button', signIn).click();
    await seen(page.getByRole('tab', { name: 'Timeouts' }));
    expect(new URL(page.url()).hash).toBe(`#/config/${app.id}`);
    await expect.poll(() => isFocused(page.getByRole('heading', { level: 1, name: 'Clinic Visits' }))).toBe(true);

    await page.reload();
    await seen(page.getByRole('tab', { name: 'Timeouts' }));
    expect(new URL(page.url()).hash).toBe(`#/config/${app.id}`);
  });

  test('shows each user their own apps', async ({ visit }) => {
    const [everything, farm] = [await visit.open(), await visit.open()];
    const all = await arrive(everything, '/apps');
    const some = await arrive(farm, '/apps', { who: { userName: 'farm.dev', password: 'farm' } });
    expect(some.length).toBeGreaterThan(0);
    expect(some.length).toBeLessThan(all.length);
    await seen(farm.getByText(`${some.length} apps found from`));
    await seen(everything.getByText(`${all.length} apps found from`));
  });
});

describe('switching the environment', () => {
  test('asks for the password once, and then switches back and forth without a sign-in', async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/401/);
    await arrive(page, `/config/${portal.app('Clinic Visits').id}`);
    await page.getByRole('button', { name: 'Switch environment' }).click();
    const dialog = page.getByRole('dialog', { name: 'Switch environment' });
    await seen(dialog.getByRole('button', { name: 'Staging needs your password' }));
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Staging' }).click();
    await dialog.getByLabel('Password').fill('wrong');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await seen(dialog.getByText('Either the username or password is incorrect'));
    await dialog.getByLabel('Password').fill('demo');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await seen(page.getByText('Signed into Staging as demo'));
    expect(new URL(page.url()).hash).toBe('#/apps');

    for (const environment of ['Production', 'Staging']) {
      await page.getByRole('button', { name: 'Switch environment' }).click();
      await dialog.getByRole('button', { name: `${environment} Signed in` }).click();
      await seen(page.getByText(`Signed into ${environment} as demo`));
    }
  });
});

describe('settings of a user', () => {
  test('follow the user to another browser', async ({ visit, portal }) => {
    const page = await visit.open();
    await arrive(page, '/apps');
    await page.getByRole('button', { name: 'Star Stock Room' }).click();
    await expect
      .poll(async () => (await (await page.request.get('/portal-backend/api/session')).json()).settings.apps)
      .toContain(portal.app('Stock Room').id);
    const other = await visit.open({});
    await arrive(other, '/');
    await seen(other.getByRole('region', { name: 'Your apps' }).getByRole('link', { name: 'Stock Room', exact: true }));
    await page.getByRole('button', { name: 'Star Stock Room' }).click();
    await expect
      .poll(async () => (await (await page.request.get('/portal-backend/api/session')).json()).settings.apps)
      .not.toContain(portal.app('Stock Room').id);
  });
});
