import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

/**
 * Generous, because other things run beside the tests; nothing waits for a time, only for a state.
 */
const patienceMs = 30_000;

/** A context as tests want it. */
export async function newContext(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: origin, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(patienceMs);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  return context;
}

export interface UsualContext {
  readonly context: BrowserContext;
  /** Forgets cookies and what the page has stored, as if nobody had been here. */
  empty(): Promise<void>;
}

/**
 * A context for all tests of a file: its pages share a process, with the scripts compiled already,
 * which makes a page half as expensive. A page that stays open keeps the process from ending
 * between two tests.
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
