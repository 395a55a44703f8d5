import type { Browser, CDPSession, Page } from 'playwright-core';

/** What came over the wire for one file. */
export interface Transfer {
  readonly name: string;
  readonly type: string;
  /** As transferred, headers included. */
  readonly bytes: number;
  /** Milliseconds since the page was asked for. */
  readonly atMs: number;
}

export interface MeasuredPage {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** Everything that was transferred so far. */
  readonly transfers: readonly Transfer[];
}

/** A page with an empty cache whose transfers are written down. */
export async function openMeasuredPage(browser: Browser, origin: string): Promise<MeasuredPage> {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1280, height: 800 } });
  // What runs these files keeps the names of functions by a call of its own, which functions sent
  // to a page take along.
  await context.addInitScript('globalThis.__name = (named) => named');
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  const transfers: Transfer[] = [];
  const began = performance.now();
  const open = new Map<string, { readonly name: string; readonly type: string }>();
  cdp.on('Network.responseReceived', ({ requestId, response, type }) => {
    open.set(requestId, { name: new URL(response.url).pathname, type });
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const file = open.get(requestId);
    if (file) transfers.push({ ...file, bytes: encodedDataLength, atMs: performance.now() - began });
  });
  return { page, cdp, transfers };
}

export function scriptBytes(transfers: readonly Transfer[]): number {
  return transfers.filter(({ type }) => type === 'Script').reduce((sum, { bytes }) => sum + bytes, 0);
}
