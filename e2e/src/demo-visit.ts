import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium, launchBrowser } from './browser.ts';
import { type DemoSystem, startDemoSystem } from './demo-system.ts';
import { type Line, openLine } from './line.ts';
import { Trouble, watchPage } from './watched-page.ts';

/** Everything `npm start` starts, with a browser before it and a line between the two. */
export interface DemoVisit {
  readonly origin: string;
  readonly line: Line;
  /** What no page may do, over all pages that were opened. */
  readonly trouble: Trouble;
  /** A browser of its own: no cookie, nothing kept. */
  open(options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

const PATIENCE_MS = 30_000;

export async function startDemoVisit(): Promise<DemoVisit> {
  const system: DemoSystem = await startDemoSystem();
  const browser: Browser = await launchBrowser(findChromium());
  const line = await openLine({ host: '127.0.0.1', port: system.port });
  const origin = `http://127.0.0.1:${line.port}`;
  const trouble = new Trouble();
  return {
    origin,
    line,
    trouble,
    async open(options = {}) {
      const context = await browser.newContext({ baseURL: origin, reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
      const page = await context.newPage();
      await watchPage(page, origin, trouble);
      return page;
    },
    async close() {
      await browser.close();
      await line.close();
      await system.stop();
    },
  };
}
