import type { Browser, CDPSession, Page } from 'playwright-core';
import { timeoutMs } from './browser-context.ts';

/** The network transfer of one file. */
export interface Transfer {
  readonly name: string;
  readonly type: string;
  /** Transferred bytes, including headers. */
  readonly bytes: number;
  /** Milliseconds since navigation started. */
  readonly atMs: number;
}

export interface MeasuredPage {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** All transfers so far. */
  readonly transfers: readonly Transfer[];
}

/** Opens a page with an empty cache and records its transfers. */
export async function openMeasuredPage(browser: Browser, origin: string): Promise<MeasuredPage> {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(timeoutMs);
  // The runtime preserves function names with a helper call, which functions sent to a page also
  // contain.
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
