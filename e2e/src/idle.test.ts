// @module-tag long

/**
 * The end of sessions that no one uses. Tests move the clock of the page, and the last use in the
 * database for the server.
 */
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import type { Portal } from './portal.ts';
import { test } from './test.ts';
import { answerDialog, arrive, demo, fillSignIn, gone, isFocused, seen } from './user-actions.ts';

const minuteMs = 60_000;
const idleMs = 30 * minuteMs;

const query = (portal: Portal, sql: string) => portal.server.dependencies.pool.query<{ seconds: number }>(sql);

/** Lets time without use pass, for the server and the pages. */
async function letTimePass(portal: Portal, page: Page, ms: number): Promise<void> {
  await query(portal, `update session set last_seen_at = last_seen_at - interval '${ms} milliseconds'`);
  await page.clock.fastForward(ms);
}

async function readSecondsSinceUse(portal: Portal): Promise<number> {
  const { rows } = await query(
    portal,
    'select extract(epoch from now() - last_seen_at)::float8 as seconds from session order by created_at desc limit 1',
  );
  return rows[0]?.seconds ?? Number.NaN;
}

const findWarning = (page: Page) => page.getByRole('alertdialog', { name: 'Are you still there?' });
const findStay = (page: Page) => findWarning(page).getByRole('button', { name: 'Stay signed in' });
const notice = 'Your session has ended. Sign in again to continue where you left off.';

async function signInAgain(page: Page): Promise<void> {
  await seen(page.getByText(notice));
  await fillSignIn(page, demo);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
}

describe('session without use', () => {
  test('is extended by a key, and not by the background requests of the page', async ({ portal, visit }) => {
    const page = await visit.open({});
    await page.clock.install();
    await arrive(page, '/');
    const loads: string[] = [];
    page.on('request', (request) => loads.push(new URL(request.url()).pathname));
    await letTimePass(portal, page, 10 * minuteMs);
    await expect.poll(() => loads.filter((path) => path.endsWith('/api/attention')).length).toBeGreaterThan(0);
    expect(loads.filter((path) => path.endsWith('/session/use'))).toEqual([]);
    expect(await readSecondsSinceUse(portal)).toBeGreaterThanOrEqual(10 * 60);

    await page.keyboard.press('Shift');
    await page.clock.fastForward(2 * minuteMs);
    await expect.poll(() => readSecondsSinceUse(portal)).toBeLessThan(5 * 60);
  });

  test('is announced two minutes before its end, and continues with one click', { tags: 'short' }, async ({
    portal,
    visit,
  }) => {
    const page = await visit.open({ viewport: { width: 360, height: 740 } });
    await page.clock.install();
    await arrive(page, '/apps');
    await letTimePass(portal, page, idleMs - 90_000);
    await seen(findWarning(page));
    await expect.poll(() => isFocused(findStay(page))).toBe(true);
    expect(await violations(page)).toEqual([]);
    // Moving the pointer to the button is no answer.
    await page.mouse.move(10, 10);
    await page.mouse.move(20, 20);
    await page.clock.fastForward(10_000);
    await seen(findWarning(page));

    await findStay(page).click();
    await gone(findWarning(page));
    expect(await readSecondsSinceUse(portal)).toBeLessThan(60);
  });

  test('is announced in all tabs, and an answer in one is enough', async ({ portal, visit }) => {
    const page = await visit.open({});
    await page.clock.install();
    await arrive(page, '/apps');
    const tab = await page.context().newPage();
    await tab.goto('/#/apps');
    await seen(tab.locator('#main'));
    await letTimePass(portal, page, idleMs - 90_000);
    await seen(findWarning(page));
    await seen(findWarning(tab));
    await findStay(tab).click();
    await gone(findWarning(tab));
    await gone(findWarning(page));
    await tab.close();
  });

  test('is not announced where another tab was used', async ({ portal, visit }) => {
    const page = await visit.open({});
    await page.clock.install();
    await arrive(page, '/apps');
    const asked = page.waitForResponse('**/session/use');
    await query(portal, "update session set last_seen_at = now() - interval '5 minutes'");
    await page.clock.fastForward(idleMs - 90_000);
    expect(await (await asked).json()).toEqual({ secondsLeft: expect.closeTo(25 * 60, -2), canExtend: true });
    await gone(findWarning(page));
  });

  test('continues with Escape, which closes no dialog below', async ({ portal, visit }) => {
    const page = await visit.open({});
    await page.clock.install();
    await arrive(page, `/config/${portal.app('Clinic Visits').id}`);
    await page.getByRole('button', { name: 'New entry-point' }).click();
    const form = page.getByRole('dialog', { name: 'New entry-point' });
    await form.getByLabel('Scope').fill('clinic');
    await letTimePass(portal, page, idleMs - 90_000);
    await seen(findWarning(page));
    await page.keyboard.press('Escape');
    await gone(findWarning(page));
    await seen(form);
    await expect.poll(() => isFocused(form.getByLabel('Scope'))).toBe(true);
  });

  test('is announced while the portal does not respond, and continues when it does', async ({ portal, visit }) => {
    const page = await visit.open({});
    visit.trouble.expect(/ERR_/);
    await page.clock.install();
    await arrive(page, '/apps');
    portal.line.down();
    await letTimePass(portal, page, idleMs - 90_000);
    await seen(findWarning(page));
    await page.keyboard.press('Escape');
    await seen(findWarning(page).getByText('The portal did not respond. Try again.'));
    const fails = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/session/use'));
    await page.keyboard.press('Escape');
    await fails;
    await seen(findWarning(page));
    portal.line.restore();
    await findStay(page).click();
    await gone(findWarning(page));
    expect(await readSecondsSinceUse(portal)).toBeLessThan(60);
  });

  test('ends, and restores what its user entered after the next sign-in', async ({ portal, visit }) => {
    const page = await visit.open({});
    visit.trouble.expect(/401/);
    await page.clock.install();
    await arrive(page, `/config/${portal.app('Clinic Visits').id}`);
    await page.getByRole('button', { name: 'New entry-point' }).click();
    const form = page.getByRole('dialog', { name: 'New entry-point' });
    await form.getByLabel('Scope').fill('clinic');
    await letTimePass(portal, page, idleMs + minuteMs);
    await signInAgain(page);
    await seen(form);
    await expect.poll(() => form.getByLabel('Scope').inputValue()).toBe('clinic');

    await form.getByRole('button', { name: 'Close', exact: true }).click();
    await gone(form);
    await page.getByRole('button', { name: 'New entry-point' }).click();
    await expect.poll(() => form.getByLabel('Scope').inputValue()).toBe('');
  });

  test('ends on a page that cannot ask the portal', async ({ portal, visit }) => {
    const page = await visit.open({});
    visit.trouble.expect(/ERR_/);
    await page.clock.install();
    await arrive(page, '/apps');
    portal.line.down();
    await page.clock.fastForward(idleMs + minuteMs);
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
  });
});

describe('screen that is kept signed in', () => {
  test('follows a log without use, read-only, and is listed and audited as such', async ({ portal, visit }) => {
    const page = await visit.open({ viewport: { width: 360, height: 740 } });
    await page.clock.install();
    await arrive(page, `/logs/${portal.app('Clinic Visits').id}`);
    const lines = await page.locator('.cm-editor').elementHandle();
    await page.getByRole('button', { name: 'Keep this screen signed in' }).click();
    await answerDialog(page, 'Keep this screen signed in?', 'Keep signed in');
    const line = page.getByText(/^Read-only\. This browser stays signed in until /);
    await seen(line);
    expect(await violations(page)).toEqual([]);
    // The log goes on; opening it again would lose its older lines.
    expect(await lines?.evaluate((element) => element.isConnected)).toBe(true);

    await letTimePass(portal, page, 3 * idleMs);
    await page.goto(`/#/config/${portal.app('Clinic Visits').id}`);
    const change = page.getByRole('button', { name: 'New entry-point' });
    await expect.poll(() => change.getAttribute('aria-disabled')).toBe('true');
    await seen(line);
    await page.goto('/#/sessions');
    await seen(page.getByRole('row').filter({ hasText: 'Read-only, kept signed in' }));
    await page.goto('/#/audit');
    await seen(page.getByText('Session made read-only; it stays signed in without use').first());
  });
});
