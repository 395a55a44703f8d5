/**
 * The integration form when users leave it and when others change the integration: no input is lost
 * unasked.
 */
import { withBase } from '@portal/contract/sync/base';
import { getIntegration } from '@portal/contract/sync/integration';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { violations } from './axe-violations.ts';
import { type DemoVisit, startDemoVisit } from './demo-visit.ts';
import {
  alert,
  destroy,
  edit,
  enabled,
  fetchConfig,
  fetchIntegration,
  journeyPassword,
  row,
  saveAndConfirm,
  saveButton,
  skipTables,
} from './sync-form-steps.ts';
import { answerDialog, arrive, demo as demoUser, fillSignIn, seen } from './user-actions.ts';

let demo: DemoVisit;

beforeAll(async () => {
  demo = await startDemoVisit();
});
afterAll(() => demo.close());
beforeEach(() => () => expect(demo.trouble.found).toEqual([]));

test('a tab with unsaved changes asks before it closes, and one without closes', async () => {
  const page = await demo.open();
  await edit(page, 'Stock Visibility');
  await skipTables(page).click();
  await skipTables(page).fill('stock_on_hand');
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  await expect.poll(() => skipTables(page).inputValue()).toBe('stock_on_hand');

  await skipTables(page).fill('');
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
});

test('restores the input after the session has ended, except for the password', async () => {
  demo.trouble.expect(/401/);
  const page = await demo.open();
  const id = await edit(page, 'Stock Visibility');
  await skipTables(page).fill('stock_on_hand');
  await page.getByLabel('Journey password').fill('of no concern to others');
  await page.request.delete('/portal-backend/api/session', { headers: { origin: demo.origin } });
  await page.getByRole('button', { name: 'Test connection' }).click();
  await seen(page.getByText('Your session has ended. Sign in again to continue where you left off.'));

  const signInAgain = async () => {
    await fillSignIn(page, demoUser);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  };
  await signInAgain();
  await seen(page.getByText('Your unsaved changes were restored after your session ended. Enter the password again.'));
  await expect.poll(() => skipTables(page).inputValue()).toBe('stock_on_hand');
  await expect.poll(() => page.getByLabel('Journey password').inputValue()).toBe('');
  await seen(page.getByText('1 field changed'));
  expect(await page.getByText('You are not signed in').count()).toBe(0);

  await page.goto('/#/sync');
  await answerDialog(page, 'Leave without saving?', 'Leave');
  await page.goto(`/#/sync/form/${id}`);
  await seen(saveButton(page));
  await expect.poll(() => skipTables(page).inputValue()).toBe('');
});

test('keeps the input when the form crashes', async () => {
  demo.trouble.expect(/A fault of the test/);
  const page = await demo.open();
  await edit(page, 'Stock Visibility');
  await skipTables(page).fill('stock_on_hand');
  await page.getByLabel('Journey password').fill(journeyPassword);
  // The save dialog splits each value.
  const original = await page.evaluateHandle(() => {
    const { split } = String.prototype;
    Object.defineProperty(String.prototype, 'split', {
      configurable: true,
      writable: true,
      value(...parameters: Parameters<typeof split>) {
        if (String(this) === 'stock_on_hand') throw new Error('A fault of the test.');
        return split.apply(this, parameters);
      },
    });
    return split;
  });
  await saveButton(page).click();
  await seen(alert(page, 'A fault of the test.'));
  await original.evaluate((split) => {
    String.prototype.split = split;
  });
  await page.getByRole('button', { name: 'Try again' }).click();
  await seen(saveButton(page));
  await expect.poll(() => skipTables(page).inputValue()).toBe('stock_on_hand');
  await expect.poll(() => page.getByLabel('Journey password').inputValue()).toBe(journeyPassword);
});

/** Keeps a page from noticing what others save until it saves, for which it opens a socket. */
async function holdRefreshes(page: Page): Promise<void> {
  const isSaving = new Promise<void>((resolve) => {
    page.once('websocket', () => resolve());
  });
  const { path } = withBase('/sync/api/', getIntegration);
  await page.route(`**${path.replace(':appId', '*')}`, async (route) => {
    await isSaving;
    await route.fallback();
  });
}

describe('concurrent edits of an integration', () => {
  const types = 'Op-log Skip Object Types';

  test('shows the second user the differences, and overwrites only on request', async () => {
    const [one, other] = [await demo.open(), await demo.open()];
    const id = await edit(one, 'Stock Visibility');
    await edit(other, 'Stock Visibility');
    await holdRefreshes(other);
    await enabled(one).press('Space');
    await skipTables(one).fill('stock_on_hand');
    await saveAndConfirm(one);
    await one.waitForURL(/#\/sync$/);

    await skipTables(other).fill('delivery');
    await other.getByLabel(types).fill('draft');
    await saveAndConfirm(other);
    expect((await fetchConfig(other, id)).heliumToJourney.changeLogSkipTables).toEqual(['stock_on_hand']);
    await seen(alert(other, /demo changed this integration .*, after you opened it/));
    await expect.poll(() => saveButton(other).getAttribute('aria-disabled')).toBe('true');

    await other.getByRole('button', { name: 'Compare with mine' }).click();
    const dialog = other.getByRole('dialog', { name: 'Load the changes saved by demo?' });
    await seen(dialog);
    await expect.poll(() => row(dialog, 'Enabled')).toEqual(['Enabled', 'off', 'unchanged']);
    await expect
      .poll(() => row(dialog, 'Skip Tables'))
      .toEqual(['Change Log Skip Tables', 'stock_on_hand', 'delivery']);
    await expect.poll(() => row(dialog, types)).toEqual([types, 'unchanged', 'draft']);
    expect(await violations(other)).toEqual([]);
    await dialog.getByRole('button', { name: 'Load changes' }).click();
    await expect.poll(() => enabled(other).isChecked()).toBe(false);
    await expect.poll(() => skipTables(other).inputValue()).toBe('delivery');

    await saveButton(other).click();
    const save = other.getByRole('dialog', { name: 'Save these changes?' });
    await seen(save);
    await expect.poll(() => row(save, 'Skip Tables')).toEqual(['Change Log Skip Tables', 'stock_on_hand', 'delivery']);
    await save.getByRole('button', { name: 'Save', exact: true }).click();
    await other.waitForURL(/#\/sync$/);
    expect(await fetchConfig(other, id)).toMatchObject({
      enabled: false,
      heliumToJourney: { changeLogSkipTables: ['delivery'] },
      journeyToHelium: { oplogSkipObjectTypes: ['draft'] },
    });
  });

  test('lets the second user discard their own changes', async () => {
    const [one, other] = [await demo.open(), await demo.open()];
    await edit(one, 'Vaccine Cold Chain');
    await edit(other, 'Vaccine Cold Chain');
    await skipTables(one).fill('fridge');
    await saveAndConfirm(one);
    await one.waitForURL(/#\/sync$/);

    await skipTables(other).fill('facility');
    await seen(alert(other, /demo changed this integration .*, after you opened it/));
    await other.getByRole('button', { name: 'Compare with mine' }).click();
    const dialog = other.getByRole('dialog', { name: 'Load the changes saved by demo?' });
    await dialog.getByRole('switch', { name: /Keep my changes to 1 field/ }).press('Space');
    await dialog.getByRole('button', { name: 'Load changes' }).click();
    await expect.poll(() => skipTables(other).inputValue()).toBe('fridge');
    await expect.poll(() => saveButton(other).getAttribute('aria-description')).toBe('There are no changes to save.');
  });
});

test('keeps the input for a new integration when another user creates it in the meantime', async () => {
  const page = await demo.open();
  const apps = await arrive(page, '/sync');
  const id = apps.find(({ name }) => name === 'Malaria Case Surveillance')?.id ?? '';
  await page.goto(`/#/sync/form?source=helium-app-1&app=${id}`);
  await skipTables(page).fill('case_note');
  const theirs = apps.find(({ name }) => name === 'Stock Visibility')?.id ?? '';
  const model = await fetchIntegration(page, theirs);
  await page.route('**/sync/api/list', (route) => route.fulfill({ json: [{ ...model, id }] }));
  await seen(alert(page, `There is already an integration for ${id}`));
  await expect.poll(() => skipTables(page).inputValue()).toBe('case_note');
  await expect.poll(() => saveButton(page).getAttribute('aria-disabled')).toBe('true');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Edit the existing one' }).click();
  await answerDialog(page, 'Leave without saving?', 'Stay');
  await page.unroute('**/sync/api/list');
  // Returning to the page loads at once what others have changed in the meantime.
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect.poll(() => saveButton(page).getAttribute('aria-disabled')).toBeNull();
});

test('re-creates an integration from the input after another user has deleted it', async () => {
  demo.trouble.expect(/404/);
  const [page, other] = [await demo.open(), await demo.open()];
  const id = await edit(page, 'Livestock Traceability');
  await skipTables(page).fill('movement');
  await edit(other, 'Livestock Traceability');
  await holdRefreshes(page);
  expect(await destroy(other, id)).toBe('Deleted.');

  await enabled(page).press('Space');
  await saveAndConfirm(page);
  await seen(alert(page, 'This integration was deleted after you opened it. Your values are still here.'));
  await expect.poll(() => skipTables(page).inputValue()).toBe('movement');
  await expect.poll(() => saveButton(page).getAttribute('aria-disabled')).toBe('true');

  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create it again' }).click();
  await seen(page.getByText(/^The integration was deleted. Saving creates it again/));
  await saveButton(page).click();
  await seen(page.getByText('Is missing'));
  await page.getByLabel('Journey password').fill(journeyPassword);
  await saveAndConfirm(page, 'Create this integration?', 'Create');
  await expect.poll(() => fetchIntegration(page, id)).toMatchObject({ status: 'Disabled' });
  expect((await fetchConfig(page, id)).heliumToJourney.changeLogSkipTables).toEqual(['movement']);
});
