// @module-tag long

import { wizardSentences } from '@portal/contract/deployments-rules';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { createSchedule, findWeekday, prefix, releasingSystem } from './deployment-calls.ts';
import type { Portal } from './portal.ts';
import { createTest } from './test.ts';
import { arrive, fillSignIn, gone, isFocused, seen } from './user-actions.ts';

const test = createTest(releasingSystem);

/** Opens the second step of the wizard for a clone, which has no date yet. */
async function openReleaseStep(page: Page, portal: Portal, releaseName: string): Promise<Locator> {
  await arrive(page, '/deployments');
  const { id } = await createSchedule(page, portal, { releaseName, day: findWeekday(40) });
  await page.goto(`/#/deployments?wizard=clone-${id}`);
  const wizard = page.getByRole('dialog', { name: 'Schedule a Helium Deployment' });
  await seen(wizard.getByText(/^1 of \d apps? selected$/));
  await wizard.getByRole('button', { name: 'Next' }).click();
  await seen(wizard.getByLabel('Release Tag'));
  return wizard;
}

function readFocus(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    return `${focused?.closest('[role="dialog"]') ? 'in' : 'outside'}: ${focused?.getAttribute('aria-label') ?? focused?.tagName}`;
  });
}

describe('date of a deployment', () => {
  test('is chosen in the calendar by keyboard, and the focus stays in the wizard', { tags: 'short' }, async ({
    page,
    portal,
  }) => {
    const wizard = await openReleaseStep(page, portal, 'By keyboard');
    const opener = wizard.getByRole('button', { name: 'Choose the day in a calendar' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const calendar = page.getByRole('group', { name: 'Days' });
    await seen(calendar);
    await expect.poll(() => readFocus(page)).toMatch(/^in: \d+ \w+ \d{4}$/);
    await page.keyboard.press('Enter');
    await gone(calendar);
    await expect.poll(() => isFocused(opener)).toBe(true);
    const day = await wizard.getByLabel('Deployment Date').inputValue();
    expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (let tabs = 0; tabs < 4; tabs++) {
      await page.keyboard.press('Tab');
      expect(await readFocus(page)).toMatch(/^in: /);
    }
  });

  test('is chosen in a calendar that Escape closes, and a second Escape closes the wizard', async ({
    page,
    portal,
  }) => {
    const wizard = await openReleaseStep(page, portal, 'By layers');
    await wizard.getByRole('button', { name: 'Choose the day in a calendar' }).click();
    const calendar = page.getByRole('group', { name: 'Days' });
    await seen(calendar);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await gone(calendar);
    await seen(wizard.getByLabel('Release Tag'));
    await page.keyboard.press('Escape');
    await gone(wizard);
  });

  test('is chosen in a calendar: an Escape at the moment it disappears closes the wizard', async ({ page, portal }) => {
    const wizard = await openReleaseStep(page, portal, 'By haste');
    await wizard.getByRole('button', { name: 'Choose the day in a calendar' }).click();
    await page.getByRole('group', { name: 'Days' }).evaluate((calendar) => {
      const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      const observer = new MutationObserver(() => {
        if (calendar.isConnected) return;
        observer.disconnect();
        press();
      });
      observer.observe(document.body, { childList: true, subtree: true });
      press();
    });
    await gone(wizard);
  });

  test('can be typed with its time, and opens the calendar on its month', async ({ page, portal }) => {
    const wizard = await openReleaseStep(page, portal, 'By typing');
    const day = findWeekday(70);
    await wizard.getByLabel('Deployment Date').fill(day);
    await wizard.getByLabel('Time').fill('6:35');
    await wizard.getByRole('button', { name: 'Choose the day in a calendar' }).click();
    const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    await seen(page.getByRole('group', { name: 'Days' }).getByText(month.format(new Date(day))));
    await page.keyboard.press('Escape');
    await wizard.getByLabel('Release Tag').fill(`${prefix}x/commits/tag/v2`);
    await wizard.getByRole('button', { name: 'Next' }).click();
    await seen(wizard.getByText(`${day} 06:35:00`));
  });

  test('can be chosen by touch on a small phone', async ({ visit, portal }) => {
    const page = await visit.open({ viewport: { width: 360, height: 640 }, hasTouch: true });
    const wizard = await openReleaseStep(page, portal, 'By touch');
    await wizard.getByRole('button', { name: 'Choose the day in a calendar' }).tap();
    const calendar = page.getByRole('group', { name: 'Days' });
    await calendar.getByRole('button', { name: 'Next month' }).tap();
    await calendar
      .locator('button:not([disabled])', { hasText: /^1[0-9]$/ })
      .last()
      .tap();
    await gone(calendar);
    await expect.poll(() => wizard.getByLabel('Deployment Date').inputValue()).toMatch(/^\d{4}-\d\d-1\d$/);
    await expect.poll(() => wizard.getByLabel('Time').inputValue()).toBe('18:00:00');
  });

  test('is filled in from the tag, or the wizard explains why not', async ({ page, portal }) => {
    const wizard = await openReleaseStep(page, portal, 'By its tag');
    const day = findWeekday(50);
    const tag = (digits: string) => `${prefix}x/commits/tag/DEPLOY_Health_${digits}`;
    await wizard.getByLabel('Release Tag').fill(tag('20261301'));
    await seen(wizard.getByText('The tag ends in 20261301, which is not a date.'));
    await wizard.getByLabel('Release Tag').fill(tag('20301207'));
    await seen(wizard.getByText('The tag says 2030-12-07, which is on a weekend. Choose another day.'));
    await wizard.getByLabel('Release Tag').fill(tag(day.replaceAll('-', '')));
    await seen(wizard.getByText('Filled in from the tag, in Africa/Johannesburg, UTC+02:00'));
    await expect.poll(() => wizard.getByRole('textbox', { name: 'Deployment Date' }).inputValue()).toBe(day);
  });
});

describe('fault of the wizard', () => {
  test('describes its field, and is announced on an attempt but not on a correction', async ({ page, portal }) => {
    const wizard = await openReleaseStep(page, portal, 'With faults');
    await wizard.getByLabel('Helium Release Group').fill('');
    await wizard.getByRole('button', { name: 'Next' }).click();
    const tag = wizard.getByRole('textbox', { name: 'Release Tag' });
    await seen(wizard.getByRole('alert').filter({ hasText: 'This URL is invalid.' }));
    await expect.poll(() => isFocused(tag)).toBe(true);
    const describes = (locator: Locator) =>
      locator.evaluate((field) =>
        (field.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent)
          .join(' '),
      );
    await expect.poll(() => describes(tag)).toMatch(/^This URL is invalid\..* Its URL: /);
    expect(await tag.evaluate((field) => field.matches(':required'))).toBe(true);
    await tag.fill(`${prefix}x/commits/tag/v2`);
    await seen(wizard.getByText(wizardSentences.releaseGroup));
    await expect
      .poll(() => wizard.getByRole('alert').filter({ hasText: wizardSentences.releaseGroup }).count())
      .toBe(0);
  });
});

test('the wizard stays on its step when the user signs in again, even without a change', async ({
  page,
  portal,
  visit,
}) => {
  visit.trouble.expect(/401/);
  const wizard = await openReleaseStep(page, portal, 'Signed in again');
  await page.request.delete('/portal-backend/api/session', { headers: { origin: portal.origin } });
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await seen(page.getByText('Your session has ended. Sign in again to continue where you left off.'));
  await fillSignIn(page, { userName: 'demo', password: 'demo' });
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await seen(wizard.getByLabel('Release Tag'));
});
