import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { findChromium, launchBrowser, oneRenderer } from './browser.ts';
import { closePage, newContext, openUsualContext } from './browser-context.ts';
import { prepareDemoState, waitUntilSettled } from './demo-state.ts';
import { startDemoSystem } from './demo-system.ts';
import { type Line, openLine } from './network-line.ts';
import { Trouble, watchPage } from './watched-page.ts';

/**
 * Everything that `npm start` starts, with a browser in front of it and a breakable connection
 * between the two.
 */
export interface DemoVisit {
  readonly origin: string;
  readonly line: Line;
  /** The folder with all data of the system. */
  readonly stateDir: string;
  /** Violations on any of the opened pages. */
  readonly trouble: Trouble;
  /**
   * Opens a page for the current test, without cookies or storage. With options, or in addition to
   * another page, it gets a separate context.
   */
  open(options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export async function startDemoVisit(): Promise<DemoVisit> {
  const system = await startDemoSystem(await prepareDemoState());
  await waitUntilSettled(system.port);
  const browser: Browser = await launchBrowser(findChromium(), oneRenderer);
  const line = await openLine({ host: '127.0.0.1', port: system.port });
  const origin = `http://127.0.0.1:${line.port}`;
  const trouble = new Trouble();
  const usual = await openUsualContext(browser, origin);
  let isUsualInUse = false;
  return {
    origin,
    line,
    stateDir: system.stateDir,
    trouble,
    async open(options) {
      const isUsual = options === undefined && !isUsualInUse;
      if (isUsual) isUsualInUse = true;
      const context = isUsual ? usual.context : await newContext(browser, origin, options);
      const page = await context.newPage();
      onTestFinished(async () => {
        await closePage(page);
        if (!isUsual) return context.close();
        await usual.empty();
        isUsualInUse = false;
      });
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
