import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { arrive, demo, fillSignIn, gone, isFocused, seen, signInByCall } from './user-actions.ts';

const signIn = { name: 'Sign In', exact: true };

describe('sign-in', () => {
  test('requires an environment, then the user name, then the password', async ({ page }) => {
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
    await password.focus();
    // As pasting does, at once and without keys.
    await page.keyboard.insertText('pasted');
    await expect.poll(() => password.inputValue()).toBe('pasted');
  });

  test('shows the same error for a wrong password and an unknown user', async ({ page, visit }) => {
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
    // A delay of 30 s.
    await portal.server.dependencies.pool.query('update sign_in_failures set failures = 10 where failures = 5');
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

  test('submits on Enter, and home greets the user', async ({ page }) => {
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
