import { getEnvironments } from '@portal/contract/environments';
import { listIntegrations } from '@portal/contract/sync';
import { placeAt } from '@portal/contract/sync-base';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
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

const patienceMs = 30_000;

export async function startDemoVisit(): Promise<DemoVisit> {
  const system: DemoSystem = await startDemoSystem();
  await integrationsSettled(system.port);
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
      context.setDefaultTimeout(patienceMs);
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

/** The demonstration's integrations are made once everything runs, and one of them halts a moment later. */
async function integrationsSettled(port: number): Promise<void> {
  const portal = `http://127.0.0.1:${port}`;
  const answer = await fetch(portal + getEnvironments.path);
  const production = getEnvironments.answers.parse(await answer.json()).find(({ name }) => name === 'Production');
  const list = async () => {
    const answer = await fetch(portal + placeAt('/sync/api/', listIntegrations).path, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ baseUrl: production?.baseUrl }),
    });
    return listIntegrations.answers.parse(await answer.json());
  };
  const settled = ['Disabled', 'Enabled', 'Enabled', 'Halted'];
  await vi.waitFor(async () => expect((await list()).map(({ status }) => status).toSorted()).toEqual(settled), {
    timeout: 120_000,
    interval: 500,
  });
}
