import { addEntryPoint as addEntryPointCall, getConfig } from '@portal/contract/app-config';
import type { SimulatedAppHandle } from '@portal/simulators/helium/simulator';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { readAnnouncements, recordAnnouncements } from './announcements.ts';
import { violations } from './axe-violations.ts';
import { test } from './test.ts';
import { answerDialog, arrive, chooseOption, gone, isFocused, seen, select, showsBriefly } from './user-actions.ts';

describe('entry points', () => {
  test('reports missing fields in order: scope, name, timeout, and moves the focus to each', async ({
    page,
    portal,
  }) => {
    await openConfig(page, portal.app('Clinic Visits'));
    await page.getByRole('button', { name: 'New entry-point' }).click();
    const modal = page.getByRole('dialog', { name: 'New entry-point' });
    const save = modal.getByRole('button', { name: 'Save' });
    await save.click();
    await seen(modal.getByText('Please enter Entry Point Scope Name', { exact: true }));
    await expect.poll(() => isFocused(select(modal, 'Scope'))).toBe(true);
    await select(modal, 'Scope').fill('Nightly');
    await save.click();
    await seen(modal.getByText('Please enter Entry Point', { exact: true }));
    await expect.poll(() => isFocused(select(modal, 'Entry point'))).toBe(true);
    await select(modal, 'Entry point').fill('closeOldVisits');
    await save.click();
    await seen(modal.getByText('Please select a timeout value', { exact: true }));
    const timeout = select(modal, 'Timeout in minutes');
    await expect.poll(() => isFocused(timeout)).toBe(true);
    // The first key opens the list; Enter takes the only match of what is typed into it.
    await page.keyboard.type('4');
    await seen(page.getByRole('option', { name: '45 min' }));
    await page.keyboard.type('5');
    await seen(page.getByRole('option', { name: '45 min' }).and(page.locator('[data-combobox-selected]')));
    await page.keyboard.press('Enter');
    await expect.poll(() => timeout.inputValue()).toBe('45 min');
    await gone(modal.getByText('Please select a timeout value', { exact: true }));
    await page.keyboard.press('Escape');
    await gone(modal);
    expect((await portal.configOnPlatform(portal.app('Clinic Visits'))).processEntryPointTimeouts).toEqual({});
  });

  test('says that a change was saved without covering the control with the focus', async ({ page, portal }) => {
    await page.addInitScript(keepPopups);
    await openConfig(page, portal.app('Stock Room'));
    await addEntryPoint(page, { scope: 'Nightly', name: 'count', timeoutMins: 15 });
    const button = entryRow(page, 'Nightly:count').getByRole('button', { name: 'Update' });
    const box = await button.boundingBox();
    await page.setViewportSize({ width: 1280, height: Math.ceil((box?.y ?? 0) + (box?.height ?? 0)) + 30 });
    await button.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Update entry point' });
    await chooseOption(page, select(dialog, 'Timeout in minutes'), '45 min');
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await gone(dialog);
    const popups = page.getByRole('status', { name: 'Messages' }).getByRole('article');
    await expect.poll(() => popups.count()).toBe(2);
    await expect.poll(() => isFocused(button)).toBe(true);
    const readBottom = async () => {
      const popup = await popups.last().boundingBox();
      return (popup?.y ?? 0) + (popup?.height ?? 0);
    };
    const control = await button.boundingBox();
    await expect.poll(readBottom).toBeLessThan(control?.y ?? 0);
    expect(await violations(page)).toEqual([]);
    // They stay under the pointer while it takes the focus.
    await popups.last().getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => popups.count()).toBe(1);
    await entryRow(page, 'Nightly:count').getByRole('button', { name: 'Remove' }).click();
    await answerDialog(page, 'Remove entry point', 'Remove');
    await gone(entryRow(page, 'Nightly:count'));
  });

  test('adds, changes and removes an entry point, and undoes each step', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    const onPlatform = async () => (await portal.configOnPlatform(app)).processEntryPointTimeouts;
    await openConfig(page, app);
    await seen(page.getByText('No entry point timeouts are set for this app.'));
    await seen(page.getByText('Use New entry-point to set one.'));

    await addEntryPoint(page, { scope: 'Nightly', name: 'closeOldVisits', timeoutMins: 15 });
    const row = entryRow(page, 'Nightly:closeOldVisits');
    await seen(row.getByText('15 min'));
    await expect.poll(() => row.getAttribute('data-tone')).toBe('primary');
    expect(await onPlatform()).toEqual({ 'Nightly:closeOldVisits': 15 });

    await row.getByRole('button', { name: 'Update' }).click();
    const update = page.getByRole('dialog', { name: 'Update entry point' });
    await chooseOption(page, select(update, 'Timeout in minutes'), '45 min');
    await update.getByRole('button', { name: 'Save' }).click();
    await gone(update);
    await seen(row.getByText('45 min'));
    await expect.poll(() => row.getAttribute('data-tone')).toBe('danger');
    expect(await onPlatform()).toEqual({ 'Nightly:closeOldVisits': 45 });

    await showsBriefly(page.getByText('Undo Done').first(), () => undo(page));
    await seen(row.getByText('15 min'));
    expect(await onPlatform()).toEqual({ 'Nightly:closeOldVisits': 15 });

    await row.getByRole('button', { name: 'Remove' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove entry point' });
    await seen(
      removal.getByText('Are you sure you want to remove the entry point Nightly:closeOldVisits from the App Config?'),
    );
    await seen(removal.getByText('This action cannot be undone.'));
    await answerDialog(page, 'Remove entry point', 'Close');
    await row.getByRole('button', { name: 'Remove' }).click();
    await answerDialog(page, 'Remove entry point', 'Remove');
    await gone(row);
    expect(await onPlatform()).toEqual({});

    await undo(page);
    await seen(row.getByText('15 min'));
    expect(await onPlatform()).toEqual({ 'Nightly:closeOldVisits': 15 });
  });

  test("shows the platform's timeouts, colored from 20 and from 45 minutes", async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await openConfig(page, app);
    await addEntryPoint(page, { scope: 'A', name: 'short', timeoutMins: 15 });
    await addEntryPoint(page, { scope: 'B', name: 'long', timeoutMins: 20 });
    await addEntryPoint(page, { view: 'Dashboard', timeoutMins: 120 });
    const rows = page.getByRole('region', { name: 'Entry point timeouts' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(3);
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => [row.querySelector('th')?.textContent, row.getAttribute('data-tone')]),
    );
    expect(shown).toEqual([
      ['A:short', 'primary'],
      ['B:long', 'warning'],
      ['processViewResponse:Dashboard', 'danger'],
    ]);
  });
});

describe('app settings', () => {
  test('locks an app: the platform refuses logins while functions still run; unlocking restores access', async ({
    page,
    portal,
  }) => {
    const app = portal.app('Clinic Visits');
    await openConfig(page, app);
    expect(await portal.logInToApp(app)).toBe(200);

    await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
    const dialog = page.getByRole('dialog', { name: 'Lock this app?' });
    await seen(dialog.getByText('A locked app blocks logins; background processes continue.'));
    await answerDialog(page, 'Lock this app?', 'Lock app');
    await expect.poll(() => select(page, 'Locked or unlocked').inputValue()).toBe('Locked');
    expect(await portal.logInToApp(app)).toBe(503);
    expect((await portal.configOnPlatform(app)).lockedMessage).toBe('This app is locked. Please contact support.');
    expect(await app.run('Reports:exportVisits')).toMatchObject({ success: true });

    await chooseOption(page, select(page, 'Locked or unlocked'), 'Unlocked');
    await answerDialog(page, 'Unlock this app?', 'Unlock app');
    await expect.poll(() => portal.logInToApp(app)).toBe(200);
  });

  test('disables an app: the platform refuses logins and runs no function', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await openConfig(page, app);
    await chooseOption(page, select(page, 'Enabled or disabled'), 'Disabled');
    const dialog = page.getByRole('dialog', { name: 'Disable this app?' });
    await seen(dialog.getByText('A disabled app refuses logins and does not run scheduled functions.'));
    await answerDialog(page, 'Disable this app?', 'Disable app');
    await expect.poll(() => select(page, 'Enabled or disabled').inputValue()).toBe('Disabled');
    expect(await portal.logInToApp(app)).toBe(503);
    expect(await app.run('Reports:exportVisits')).toBeUndefined();
    expect((await portal.configOnPlatform(app)).disabledMessage).toBe('This app is disabled. Please contact support.');

    await undo(page);
    await expect.poll(() => portal.logInToApp(app)).toBe(200);
    expect(await app.run('Reports:exportVisits')).toMatchObject({ success: true });
  });

  test('sets the maximum of database results', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await openConfig(page, app);
    await chooseOption(page, select(page, 'Max database results'), '6,500');
    await answerDialog(page, 'Change max database results?', 'Change limit');
    await expect.poll(async () => (await portal.configOnPlatform(app)).maxDatabaseResults).toBe(6500);
    await expect.poll(() => select(page, 'Max database results').inputValue()).toBe('6,500');
  });

  test('changes an app outside production without a confirmation', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await arrive(page, `/config/${app.id}`, { environment: 'Staging' });
    await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
    await expect.poll(() => portal.logInToApp(app)).toBe(503);
    await undo(page, { isAsked: false });
    await expect.poll(() => portal.logInToApp(app)).toBe(200);
  });
});

describe('configuration errors', () => {
  test('reports a concurrent change to the second user, without losing either change', async ({ visit, portal }) => {
    visit.trouble.expect(/409/);
    const app = portal.app('Stock Room');
    const [first, second] = [await visit.open(), await visit.open()];
    await openConfig(first, app);
    await openConfig(second, app);

    // The second user has opened the form with the old value before the first one saves, and the
    // next refresh comes after Save.
    let isSaved = false;
    await second.route(`**${getConfig.path}`, (route) => (isSaved ? route.fallback() : undefined));
    await second.route(`**${addEntryPointCall.path}`, (route) => {
      isSaved = true;
      return route.fallback();
    });
    await second.getByRole('button', { name: 'New entry-point' }).click();
    await fillEntryPoint(second, { scope: 'Both', name: 'want', timeoutMins: 60 });
    await addEntryPoint(first, { scope: 'Both', name: 'want', timeoutMins: 30 });
    await seen(entryRow(first, 'Both:want').getByText('30 min'));
    await second.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await seen(second.getByRole('alert').filter({ hasText: 'demo' }).first());
    await seen(entryRow(second, 'Both:want').getByText('30 min'));
    expect((await portal.configOnPlatform(app)).processEntryPointTimeouts).toEqual({ 'Both:want': 30 });
  });

  test("does not overwrite another user's change of a timeout unnoticed", async ({ visit, portal }) => {
    visit.trouble.expect(/409/);
    const app = portal.app('Stock Room');
    const [first, second] = [await visit.open(), await visit.open()];
    await openConfig(first, app);
    await addEntryPoint(first, { scope: 'Both', name: 'change', timeoutMins: 30 });
    await openConfig(second, app);
    await second.getByRole('button', { name: 'Update Both:change' }).click();
    const form = second.getByRole('dialog', { name: 'Update entry point' });
    await chooseOption(second, select(form, 'Timeout in minutes'), '45 min');
    await first.getByRole('button', { name: 'Update Both:change' }).click();
    const other = first.getByRole('dialog', { name: 'Update entry point' });
    await chooseOption(first, select(other, 'Timeout in minutes'), '60 min');
    await other.getByRole('button', { name: 'Save' }).click();
    await seen(entryRow(first, 'Both:change').getByText('60 min'));

    await seen(form.getByText('Another user changed it from 30 min to 60 min, after you opened it.'));
    await form.getByRole('button', { name: 'Save' }).click();
    await seen(second.getByRole('alert').filter({ hasText: 'demo' }).first());
    expect((await portal.configOnPlatform(app)).processEntryPointTimeouts).toMatchObject({ 'Both:change': 60 });
    await form.getByRole('button', { name: 'Keep mine' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await seen(entryRow(second, 'Both:change').getByText('45 min'));
  });

  test('shows the error of a failed change with its request id, and then the actual state', async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/50[0-9]/);
    const app = portal.app('Farm Inputs');
    await openConfig(page, app);
    portal.helium.faults.set({ path: 'app-config', mode: 'error500' });
    await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
    await page.getByRole('dialog').getByRole('button', { name: 'Lock app' }).click();
    const popup = page.getByRole('alert').filter({ hasText: 'Error' }).first();
    await seen(popup);
    await seen(popup.getByText(/Request/));
    portal.helium.faults.clear();
    expect(await portal.logInToApp(app)).toBe(200);
  });

  test('resets a field to the stored value after a failed change, and dismisses the problem on the next attempt', async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/502/);
    const app = portal.app('Farm Inputs');
    await arrive(page, `/config/${app.id}`, { environment: 'Staging' });
    const field = select(page, 'Max database results');
    const stored = (await portal.configOnPlatform(app)).maxDatabaseResults.toLocaleString('en');
    await expect.poll(() => field.inputValue()).toBe(stored);
    let isDown = true;
    await page.route('**/portal-backend/api/config/set-max-db-results', (route) =>
      isDown ? route.fulfill({ status: 502, body: '' }) : route.fallback(),
    );
    await chooseByKeyboard(page, field, '7000');
    const problem = page.getByRole('alert', { name: 'Problems' }).getByText('Bad Gateway (502)');
    await seen(problem);
    await expect.poll(() => field.inputValue()).toBe(stored);
    isDown = false;
    await chooseByKeyboard(page, field, '7000');
    await gone(problem);
    await expect.poll(() => field.inputValue()).toBe('7,000');
  });

  test('shows that an entry point already exists as soon as its name is entered', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await arrive(page, `/config/${app.id}`, { environment: 'Staging' });
    await addEntryPoint(page, { scope: 'Reports', name: 'hourly', timeoutMins: 20 });
    await seen(entryRow(page, 'Reports:hourly'));
    await page.getByRole('button', { name: 'New entry-point' }).click();
    const dialog = page.getByRole('dialog', { name: 'New entry-point' });
    await dialog.getByLabel('Scope').fill('Reports');
    await dialog.getByLabel('Entry point').fill('hourly');
    await seen(dialog.getByText('Reports:hourly is already set to 20 min; saving replaces it.'));
  });

  test('announces that a timeout is saved, and not that saving replaces it when the page reads it before', async ({
    page,
    portal,
  }) => {
    await arrive(page, `/config/${portal.app('Stock Room').id}`, { environment: 'Staging' });
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/config/add-entry-point', async (route) => {
      const response = await route.fetch();
      await isAnswered;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'New entry-point' }).click();
    const dialog = page.getByRole('dialog', { name: 'New entry-point' });
    await dialog.getByLabel('Scope').fill('Deliveries');
    await dialog.getByLabel('Entry point').fill('export');
    await chooseOption(page, select(dialog, 'Timeout in minutes'), '20 min');
    await recordAnnouncements(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    // As when someone comes back to the tab.
    const countStored = async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
      return page.locator('tr').filter({ hasText: 'Deliveries:export' }).count();
    };
    await expect.poll(countStored).toBe(1);
    answer();
    await gone(dialog);
    const findAnnounced = async (part: string) => (await readAnnouncements(page)).filter((text) => text.includes(part));
    await expect.poll(() => findAnnounced('Success')).not.toEqual([]);
    expect(await findAnnounced('saving replaces it')).toEqual([]);
  });

  test('shows the specified error if the configuration cannot be loaded, and retries', async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/50[0-9]/);
    const app = portal.app('Farm Inputs');
    portal.helium.faults.set({ path: 'app-config', mode: 'html' });
    await arrive(page, `/config/${app.id}`);
    await seen(page.getByText('Unable to get app config!').first());
    portal.helium.faults.clear();
    await page.getByRole('button', { name: 'Try again' }).first().press('Enter');
    await seen(select(page, 'Locked or unlocked'));
    await gone(page.getByText('Unable to get app config!'));
    await expect.poll(() => isFocused(page.getByRole('tabpanel', { name: 'Timeouts' }))).toBe(true);
  });

  test('shows an app without access as not found', async ({ page, portal }) => {
    const who = { userName: 'farm.dev', password: 'farm' };
    await arrive(page, `/config/${portal.app('Clinic Visits').id}`, { who });
    await seen(page.getByRole('heading', { name: 'App not found' }));
  });
});

/** Enters a value and chooses the first of the options that match it. */
async function chooseByKeyboard(page: Page, field: Locator, value: string): Promise<void> {
  await field.fill(value);
  const first = page.getByRole('option').first();
  await seen(first);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => first.getAttribute('data-combobox-selected')).toBe('true');
  await page.keyboard.press('Enter');
}

async function openConfig(page: Page, app: SimulatedAppHandle): Promise<void> {
  await arrive(page, `/config/${app.id}`);
  await seen(select(page, 'Locked or unlocked'));
}

type EntryPoint = ({ scope: string; name: string } | { view: string }) & { timeoutMins: number };

async function addEntryPoint(page: Page, entryPoint: EntryPoint): Promise<void> {
  await page.getByRole('button', { name: 'New entry-point' }).click();
  await fillEntryPoint(page, entryPoint);
  const modal = page.getByRole('dialog', { name: 'New entry-point' });
  await modal.getByRole('button', { name: 'Save' }).click();
  await gone(modal);
}

async function fillEntryPoint(page: Page, entryPoint: EntryPoint): Promise<void> {
  const modal = page.getByRole('dialog', { name: 'New entry-point' });
  if ('view' in entryPoint) {
    await modal.getByLabel('Type').selectOption('View');
    await select(modal, 'Entry point').fill(entryPoint.view);
  } else {
    await select(modal, 'Scope').fill(entryPoint.scope);
    await select(modal, 'Entry point').fill(entryPoint.name);
  }
  await chooseOption(page, select(modal, 'Timeout in minutes'), `${entryPoint.timeoutMins} min`);
}

function entryRow(page: Page, entryPoint: string): Locator {
  return page.getByRole('row').filter({ hasText: entryPoint });
}

async function undo(page: Page, { isAsked = true } = {}): Promise<void> {
  await page.getByRole('button', { name: 'Undo' }).click();
  if (isAsked) await answerDialog(page, 'Undo the last change?', 'Undo');
}

/** Runs in the page: popups stay, so that a slow machine finds them. */
function keepPopups(): void {
  const { setTimeout } = window;
  const isOfPopup = (ms: unknown) => ms === 3000 || ms === 5000;
  window.setTimeout = Object.assign(
    (...args: Parameters<typeof setTimeout>) => (isOfPopup(args[1]) ? 0 : setTimeout(...args)),
    setTimeout,
  );
}
