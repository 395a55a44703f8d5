import { rmSync } from 'node:fs';
import { getEnvironments } from '@portal/contract/environments';
import { listIntegrations } from '@portal/contract/sync';
import { withBase } from '@portal/contract/sync-base';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import { findChromium, launchBrowser, oneRenderer } from './browser.ts';
import { newContext, openUsualContext } from './browser-context.ts';
import { type DemoSystem, startDemoSystem } from './demo-system.ts';
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

/**
 * The initial data of each visit, created once per worker, because building and filling the
 * platforms takes most of a start.
 */
let settledState: Promise<string> | undefined;

async function prepareState(): Promise<string> {
  const system = await startDemoSystem();
  process.once('exit', () => rmSync(system.stateDir, { recursive: true, force: true }));
  await integrationsSettled(system.port);
  await system.stop({ keepState: true });
  return system.stateDir;
}

export async function startDemoVisit(): Promise<DemoVisit> {
  settledState ??= prepareState();
  const system: DemoSystem = await startDemoSystem(await settledState);
  await integrationsSettled(system.port);
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
        await page.close();
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

/**
 * Waits until the demo integrations, which are created after the start, exist, and one of them has
 * halted.
 */
async function integrationsSettled(port: number): Promise<void> {
  const portal = `http://127.0.0.1:${port}`;
  const answer = await fetch(portal + getEnvironments.path);
  const production = getEnvironments.response.parse(await answer.json()).find(({ name }) => name === 'Production');
  const list = async () => {
    const answer = await fetch(portal + withBase('/sync/api/', listIntegrations).path, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ baseUrl: production?.baseUrl }),
    });
    return listIntegrations.response.parse(await answer.json());
  };
  const settled = ['Disabled', 'Enabled', 'Enabled', 'Halted'];
  await vi.waitFor(async () => expect((await list()).map(({ status }) => status).toSorted()).toEqual(settled), {
    timeout: 120_000,
    interval: 500,
  });
}
