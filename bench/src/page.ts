import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { type MeasuredPage, openMeasuredPage, scriptBytes, type Transfer } from '@portal/e2e/measured-page';
import { demo, fillSignIn } from '@portal/e2e/user-actions';
import type { Browser, Page } from 'playwright-core';
import { startChild } from './child.ts';
import { count, type Figure, median, printFigures } from './figures.ts';
import { measureInteractionToPaint, tableSearch } from './interaction-to-paint.ts';
import { storeIntegrations } from './stored-integrations.ts';
import { startSystem } from './system.ts';

/**
 * Measures the size of the page and the time until 10,000 apps are visible. The peer is a minimal
 * page that fetches the same number of bytes and the same response from the same framework, and
 * draws its first ten rows.
 */
const rounds = Number(process.argv[2] ?? 7);
const appCount = 10_000;
const integrationCount = 1_000;

const system = await startSystem({ apps: appCount });
const browser = await launchBrowser(findChromium());
const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
try {
  const first = await openMeasuredPage(browser, system.origin);
  await first.page.goto('/#/apps');
  await first.page.getByRole('button', { name: 'Sign In' }).waitFor();
  const signIn = [...first.transfers];
  await fillSignIn(first.page, demo);
  await submit(first.page);
  await first.page.waitForLoadState('networkidle');
  const all = [...first.transfers];
  const { apps } = await system.signIn();
  await first.page.goto(`/#/logs/${apps[0]?.id}`);
  await first.page.getByRole('button', { name: 'Clear', exact: true }).waitFor();
  const forLogs = first.transfers.slice(all.length);
  await first.page.context().close();
  const tabMs = await measureTabs(browser);
  const searchMs = await measureSearch(browser);

  const submitMs: number[] = [];
  const reloadMs: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const { page } = await openMeasuredPage(browser, system.origin);
    await page.goto('/#/apps');
    await page.waitForLoadState('networkidle');
    await fillSignIn(page, demo);
    const fromSubmit = await submit(page);
    await page.addInitScript(`(${noteFirstRow.toString()})()`);
    await page.reload();
    const fromReload = await firstRowMs(page);
    if (round > 0) {
      submitMs.push(fromSubmit);
      reloadMs.push(fromReload);
    }
    await page.context().close();
  }
  const peerMs = await measurePeer(browser, all, await appsAnswer());

  const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const signInScript = scriptBytes(signIn);
  const listScript = scriptBytes(all);
  const figures: Figure[] = [
    {
      what: `sign-in shown: script (${signIn.length} requests)`,
      ours: kb(signInScript),
      goal: '≤ 80 kB',
      met: signInScript <= 80_000,
    },
    {
      what: `through the apps list: script (${all.length} requests)`,
      ours: kb(listScript),
      goal: '≤ 190 kB',
      met: listScript <= 190_000,
    },
    {
      what: `the editor of the live log, when it is opened (${forLogs.length} requests)`,
      ours: kb(scriptBytes(forLogs)),
    },
    {
      what: 'from a click on the tab of an app to its loaded page',
      ours: `${count(median(tabMs))} ms`,
      goal: '< 100 ms',
      met: median(tabMs) < 100,
    },
    {
      what: `from the input of a search of ${count(integrationCount)} integrations to its paint`,
      ours: `${count(median(searchMs))} ms`,
      goal: '< 50 ms',
      met: median(searchMs) < 50,
    },
    {
      what: `from submit to ${count(appCount)} apps`,
      ours: `${count(median(submitMs))} ms`,
      peer: `${count(peerMs)} ms`,
      ratio: median(submitMs) / peerMs,
      goal: '< 1,000 ms',
      met: median(submitMs) < 1000,
    },
    {
      what: `from reload to ${count(appCount)} apps`,
      ours: `${count(median(reloadMs))} ms`,
      peer: `${count(peerMs)} ms`,
      ratio: median(reloadMs) / peerMs,
      goal: '< 1,000 ms',
      met: median(reloadMs) < 1000,
    },
  ];
  for (const { name, type, bytes, atMs } of all) {
    const when = atMs <= (signIn.at(-1)?.atMs ?? 0) ? 'sign-in' : 'behind';
    console.log(`${kb(bytes).padStart(10)}  ${when.padEnd(8)} ${type.padEnd(10)} ${name}`);
  }
  printFigures(`page: over the wire with brotli, medians of ${rounds} rounds`, figures);
} finally {
  await browser.close();
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Measures the tabs of an app of the simulated platform, because the many apps are empty. */
async function measureTabs(browser: Browser): Promise<number[]> {
  const small = await startSystem();
  try {
    const { page } = await openMeasuredPage(browser, small.origin);
    const { apps } = await small.signIn();
    await page.goto(`/#/config/${apps[0]?.id}`);
    await fillSignIn(page, demo);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    const tabMs: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      for (const tab of ['Functions', 'Config']) {
        const ms = await switchTab(page, tab);
        // The first round loads the pages.
        if (round > 0) tabMs.push(ms);
      }
    }
    await page.context().close();
    return tabMs;
  } finally {
    await small.stop();
  }
}

/** Searches the sync list for other rows than the ones in view. */
async function measureSearch(browser: Browser): Promise<number[]> {
  const many = await startSystem({ apps: integrationCount, withSync: true });
  try {
    const { apps } = await many.signIn();
    await storeIntegrations(
      many,
      apps.map(({ id }) => id),
    );
    const { page } = await openMeasuredPage(browser, many.origin);
    await page.goto('/#/sync');
    await fillSignIn(page, demo);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await page
      .getByRole('button', { name: /^Activity of / })
      .first()
      .waitFor();
    const searchMs: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      await page.waitForLoadState('networkidle');
      // Each finds other rows.
      const ms = await measureInteractionToPaint(page, tableSearch, `Integration ${100 + round * 37}`);
      // The first round compiles the scripts.
      if (round > 0) searchMs.push(ms);
    }
    await page.context().close();
    return searchMs;
  } finally {
    await many.stop();
  }
}

/** Clicks a tab of an app and returns the milliseconds until its title and its rows are painted. */
async function switchTab(page: Page, tab: string): Promise<number> {
  const link = page.getByRole('navigation', { name: /^Pages of / }).getByRole('link', { name: tab, exact: true });
  await page.waitForLoadState('networkidle');
  await link.evaluate((clicked) => {
    performance.clearMarks();
    const name = clicked.textContent;
    const check = () => {
      const current = document.querySelector('nav[aria-label^="Pages of "] a[aria-current="page"]')?.textContent;
      const isLoaded = document.querySelector('main table tbody') && !document.querySelector('main [aria-busy="true"]');
      if (current !== name || !isLoaded) return requestAnimationFrame(check);
      return requestAnimationFrame(() => setTimeout(() => performance.mark('tab-shown')));
    };
    const start = () => {
      performance.mark('tab-clicked');
      check();
    };
    clicked.addEventListener('click', start, { once: true });
  });
  await link.click();
  const passed = await page.waitForFunction(() => {
    const [clicked] = performance.getEntriesByName('tab-clicked');
    const [shown] = performance.getEntriesByName('tab-shown');
    return clicked && shown && { ms: shown.startTime - clicked.startTime };
  });
  const { ms } = (await passed.jsonValue()) || { ms: Number.NaN };
  return ms;
}

/** Clicks Sign In and returns the milliseconds until the first row is painted. */
async function submit(page: Page): Promise<number> {
  await page.evaluate(noteFirstRow);
  await page.evaluate(() => {
    document.querySelector('form')?.addEventListener('submit', () => performance.mark('submit'), { capture: true });
  });
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  const shownMs = await firstRowMs(page);
  return shownMs - (await page.evaluate(() => performance.getEntriesByName('submit')[0]?.startTime ?? 0));
}

/** Runs in the page: marks the time when the first row of a table is visible. */
function noteFirstRow(): void {
  const checkRows = () => {
    if (!document.querySelector('tbody td a, #peer td')) return requestAnimationFrame(checkRows);
    return requestAnimationFrame(() => setTimeout(() => performance.mark('first-row')));
  };
  checkRows();
}

async function firstRowMs(page: Page): Promise<number> {
  const mark = await page.waitForFunction(() => performance.getEntriesByName('first-row')[0]?.startTime);
  return Number(await mark.jsonValue());
}

async function appsAnswer(): Promise<Buffer> {
  const { cookie, baseUrl } = await system.signIn();
  const response = await fetch(`${system.origin}/portal-backend/api/apps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: system.origin, cookie },
    body: JSON.stringify({ baseUrl }),
  });
  return Buffer.from(await response.arrayBuffer());
}

async function measurePeer(browser: Browser, transfers: readonly Transfer[], apps: Buffer): Promise<number> {
  const size = transfers.filter(({ type }) => type !== 'Fetch').reduce((sum, { bytes }) => sum + bytes, 0);
  const html = `<!doctype html><title>Peer</title><script>(${noteFirstRow.toString()})();(${drawApps.toString()})()</script><table id="peer"></table>`;
  const file = (name: string, content: Buffer | string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const peer = await startChild<{ url: string }>('./baseline-handler.ts', [
    { method: 'GET', path: '/', type: 'text/html', file: file('peer.html', html) },
    { method: 'GET', path: '/bytes', type: 'application/octet-stream', file: file('bytes', Buffer.alloc(size, 1)) },
    { method: 'GET', path: '/apps', type: 'application/json', file: file('apps.json', apps) },
  ]);
  const measured: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const { page }: MeasuredPage = await openMeasuredPage(browser, peer.ready.url);
    await page.goto('/');
    const ms = await firstRowMs(page);
    if (round > 0) measured.push(ms);
    await page.context().close();
  }
  await peer.stop();
  return median(measured);
}

/** Runs in the peer's page. */
async function drawApps(): Promise<void> {
  const [, apps] = await Promise.all([
    fetch('/bytes').then((response) => response.arrayBuffer()),
    fetch('/apps').then((response) => response.json()),
  ]);
  apps.sort((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name));
  const table = document.querySelector('#peer');
  if (!table) return;
  for (const app of apps.slice(0, 10)) {
    const row = document.createElement('tr');
    for (const text of [app.name, app.id, app.fqdn])
      row.append(Object.assign(document.createElement('td'), { textContent: text }));
    table.append(row);
  }
}
