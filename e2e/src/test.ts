import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { test as base } from 'vitest';
import { findChromium, launchBrowser, oneRenderer } from './browser.ts';
import { closePage, newContext, openUsualContext } from './browser-context.ts';
import { type SystemOptions, startPortal } from './portal.ts';
import { Trouble, watchPage } from './watched-page.ts';

/** A user with a separate browser state: no cookies, no storage, nothing left by another test. */
export interface Visit {
  /**
   * The first page without options is in the file's context, which is cleared after each test;
   * other pages have their own.
   */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Problems on any opened page that would otherwise fail the test. */
  readonly trouble: Trouble;
}

const inBrowser = base
  .extend('chromium', { scope: 'worker' }, findChromium())
  // Not 'worker': the browsers of all files would stay open until the end.
  .extend('browser', { scope: 'file' }, async ({ chromium }, { onCleanup }) => {
    const browser = await launchBrowser(chromium, oneRenderer);
    onCleanup(() => browser.close());
    return browser;
  });

/** A test with the default system. */
export const test = createTest({});

/**
 * Creates a test with its own system and these settings. `browser` and `portal` are one per file,
 * `visit` and `page` are new in each test. A test fails if one of its pages throws, logs an error,
 * violates the content security policy or sends a request to another origin. A failed test saves a
 * screenshot in the system's folder for temporary files.
 */
export function createTest(settings: SystemOptions) {
  return inBrowser
    .extend('system', { scope: 'file' }, settings)
    .extend('portal', { scope: 'file' }, async ({ system }, { onCleanup }) => {
      const portal = await startPortal(system);
      onCleanup(() => portal.close());
      return portal;
    })
    .extend('usualContext', { scope: 'file' }, async ({ portal, browser }, { onCleanup }) => {
      const usual = await openUsualContext(browser, portal.origin);
      onCleanup(() => usual.context.close());
      return usual;
    })
    .extend('visit', async ({ portal, browser, usualContext, task }, { onCleanup }): Promise<Visit> => {
      const trouble = new Trouble();
      const contexts: BrowserContext[] = [];
      const pages: Page[] = [];
      onCleanup(async () => {
        portal.line.restore();
        portal.syncLine.restore();
        portal.helium.faults.clear();
        portal.releases.faults.clear();
        if (task.result?.state === 'fail' || trouble.found.length > 0) await takePictures(contexts, task.name);
        for (const page of pages) await closePage(page);
        for (const context of contexts) if (context !== usualContext.context) await context.close();
        await usualContext.empty();
        // Stars, columns of tables and the like follow a user into the next test.
        await portal.server.dependencies.pool.query('delete from user_setting');
        if (trouble.found.length > 0) throw new Error(`the page was not well:\n${trouble.found.join('\n')}`);
      });
      return {
        trouble,
        async open(options) {
          const isUsual = options === undefined && contexts.length === 0;
          const context = isUsual ? usualContext.context : await newContext(browser, portal.origin, options);
          contexts.push(context);
          const page = await context.newPage();
          pages.push(page);
          await watchPage(page, portal.origin, trouble);
          return page;
        },
      };
    })
    .extend('page', ({ visit }) => visit.open());
}

async function takePictures(contexts: readonly BrowserContext[], testName: string): Promise<void> {
  const name = testName.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 80);
  for (const [at, page] of contexts.flatMap((context) => context.pages()).entries()) {
    const path = join(tmpdir(), 'portal-e2e', `${name}-${at}.png`);
    await page.screenshot({ path }).then(
      () => console.log(`picture of the failure: ${path}`),
      () => console.log('the page of the failure could not be pictured'),
    );
  }
}
