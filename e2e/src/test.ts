import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { test as base } from 'vitest';
import { findChromium, launchBrowser } from './browser.ts';
import { type SystemOptions, startPortal } from './portal.ts';
import { Trouble, watchPage } from './watched-page.ts';

/** Somebody at a browser of their own: no cookie, no stored choice, nothing kept from another test. */
export interface Visit {
  open(options?: BrowserContextOptions): Promise<Page>;
  /** What would otherwise fail the test, over all pages it opened. */
  readonly trouble: Trouble;
}

/** Generous, because other things run beside the tests; nothing waits for a time, only for a state. */
const patienceMs = 30_000;

/** A test of the usual system. */
export const test = testOf({});

/**
 * A test of a whole system that has these settings. `portal` and `browser` are one per file, `visit` and `page` new in
 * each test. A test fails when a page of it throws, logs an error, breaks the content policy or asks another origin; a
 * failed one leaves a picture in the system's folder for temporary files.
 */
export function testOf(settings: SystemOptions) {
  return base
    .extend('system', { scope: 'file' }, settings)
    .extend('chromium', { scope: 'file' }, findChromium())
    .extend('portal', { scope: 'file' }, async ({ system }, { onCleanup }) => {
      const portal = await startPortal(system);
      onCleanup(() => portal.close());
      return portal;
    })
    .extend('browser', { scope: 'file' }, async ({ chromium }, { onCleanup }) => {
      const browser = await launchBrowser(chromium);
      onCleanup(() => browser.close());
      return browser;
    })
    .extend('visit', async ({ portal, browser, task }, { onCleanup }): Promise<Visit> => {
      const trouble = new Trouble();
      const contexts: BrowserContext[] = [];
      onCleanup(async () => {
        portal.line.restore();
        portal.helium.faults.clear();
        portal.releases.faults.clear();
        if (task.result?.state === 'fail' || trouble.found.length > 0) await takePictures(contexts, task.name);
        for (const context of contexts) await context.close();
        if (trouble.found.length > 0) throw new Error(`the page was not well:\n${trouble.found.join('\n')}`);
      });
      return {
        trouble,
        async open(options = {}) {
          const context = await browser.newContext({ baseURL: portal.origin, reducedMotion: 'reduce', ...options });
          contexts.push(context);
          context.setDefaultTimeout(patienceMs);
          await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: portal.origin });
          const page = await context.newPage();
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
