import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** Ends a wait that hangs. Every wait is for a state, which even a busy machine reaches sooner. */
export const timeoutMs = 90_000;

/** A browser context with the default options of the tests. */
export async function newContext(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: origin, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(timeoutMs);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  return context;
}

/** Closes a page while routes of the test may still be handling its calls. */
export async function closePage(page: Page): Promise<void> {
  if (page.isClosed()) return;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.close();
}

export interface UsualContext {
  readonly context: BrowserContext;
  /** Clears cookies and the page's storage. */
  empty(): Promise<void>;
}

/**
 * Opens a context for all tests of a file. Its pages share a process with compiled scripts, which
 * halves the cost of a page. One page stays open, so that the process survives between two tests.
 */
export async function openUsualContext(browser: Browser, origin: string): Promise<UsualContext> {
  const context = await newContext(browser, origin);
  const resident = await context.newPage();
  await resident.goto('/favicon.svg');
  const devTools = await context.newCDPSession(resident);
  return {
    context,
    async empty() {
      await context.clearCookies();
      await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' });
    },
  };
}
