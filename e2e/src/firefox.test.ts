// @module-tag long

/**
 * A short path through the portal in stock Firefox, over WebDriver BiDi, where Firefox is
 * installed. All other tests run in Chromium.
 */
import { existsSync } from 'node:fs';
import puppeteer, { type Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { timeoutMs } from './browser-context.ts';
import { logLines } from './log-page.ts';
import { test as base } from './test.ts';
import { demo } from './user-actions.ts';

const usualPaths = ['/usr/bin/firefox', '/usr/bin/firefox-esr', '/Applications/Firefox.app/Contents/MacOS/firefox'];
/** FIREFOX overrides the usual paths. */
const firefox = [process.env.FIREFOX ?? [], usualPaths].flat().find(existsSync);

const test = base.extend('firefoxPage', { scope: 'file' }, async ({ portal: _ }, { onCleanup }) => {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: firefox ?? '',
    headless: true,
    timeout: timeoutMs,
  });
  onCleanup(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(timeoutMs);
  await page.setViewport({ width: 1280, height: 800 });
  return page;
});

const button = (name: string) => `::-p-aria([name="${name}"][role="button"])`;
const link = (name: string) => `::-p-aria([name="${name}"][role="link"])`;

async function seesText(page: Page, text: string): Promise<void> {
  await page.locator(`::-p-text(${text})`).wait();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.down('Control');
  await page.keyboard.press('k');
  await page.keyboard.up('Control');
}

describe.skipIf(firefox === undefined)('in Firefox', () => {
  test('signs in, finds an app with the palette, follows its log and lists the integrations', async ({
    firefoxPage: page,
    portal,
  }) => {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));

    await page.goto(portal.origin);
    await page.locator('input[placeholder="Please select an environment"]').click();
    await page.locator('::-p-aria([name="Production"][role="option"])').click();
    await page.locator('input[autocomplete="username"]').fill(demo.userName);
    await page.locator('input[autocomplete="current-password"]').fill(demo.password);
    await page.locator(button('Sign In')).click();
    await seesText(page, 'Signed into Production as demo');

    const app = portal.app('Clinic Visits');
    await openPalette(page);
    await page.keyboard.type('Clinic Visits');
    await expect
      .poll(() => page.$eval('input[data-palette-field]', (field) => field.value), { message: 'typed' })
      .toBe('Clinic Visits');
    await expect
      .poll(() => page.$eval('[role="option"][aria-selected="true"]', (option) => option.textContent))
      .toContain('Clinic Visits');
    await page.keyboard.press('Enter');
    await page.locator(link('Logs')).click();
    // A line is shown only if the platform's stream was open when it was written.
    await expect.poll(() => app.viewers()).toBeGreaterThan(0);
    await seesText(page, 'Following');
    const last = logLines(app, 1, 3).at(-1);
    await expect.poll(() => page.$eval('.cm-content', (log) => log.textContent)).toContain(last);

    await page.goto(`${portal.origin}/#/sync`);
    await seesText(page, 'Helium Journey Apps');
    expect(problems).toEqual([]);
  });
});
