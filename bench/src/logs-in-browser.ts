import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { type MeasuredPage, openMeasuredPage } from '@portal/e2e/measured-page';
import { getProcessTree, getResidentMb } from '@portal/e2e/processes';
import { getCommandLine } from '@portal/kit/process-identity';
import type { Browser, Page } from 'playwright-core';
import { baselineLogPage } from './baseline-log-page.ts';
import { startChild } from './child.ts';
import { count, type Figure, median, percentile } from './figures.ts';
import { type PageWatchResult, pageWatch } from './page-watch.ts';
import type { System } from './system.ts';

const targetLinesPerSecond = 5000;
const million = 1_000_000;
/** Faster than any app, and slower than the rate at which the page drops lines. */
const fillLinesPerSecond = 40_000;
const jumpCount = 100;
const warmUpMs = 5000;
const peerMs = 30_000;
const searchWords = ['record 77', 'Mongu Depot', 'record 654321', 'items in 249 ms', 'no such words'];

/** A log with a configurable rate. */
export interface DrivenLog {
  /** The route behind `#`. */
  readonly route: string;
  /** null stops it. */
  setLoad(linesPerSecond: number | null): Promise<void>;
}

/** Follows 5,000 lines per second for minutes: memory, long tasks, frames. */
export async function measureFollowing(system: System, minutes: number, log?: DrivenLog): Promise<Figure[]> {
  const browser = await launchBrowser(findChromium());
  try {
    const { route, setLoad } = log ?? (await getFirstAppLogRoute(system));
    const measured = await openLog(system, browser, route);
    const { page } = measured;
    await setLoad(targetLinesPerSecond);
    await pause(warmUpMs);
    await page.evaluate(() => Reflect.get(globalThis, 'pageWatch').reset());
    const heaps: { readonly atMs: number; readonly heapMb: number; readonly processMb: number }[] = [];
    const began = performance.now();
    while (performance.now() - began < minutes * 60_000) {
      await pause(1000);
      const { metrics } = await measured.cdp.send('Performance.getMetrics');
      const heapMb = (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
      heaps.push({ atMs: performance.now() - began, heapMb, processMb: rendererMb() });
    }
    const watched: PageWatchResult = await page.evaluate(() => Reflect.get(globalThis, 'pageWatch').read());
    const records = await getRecords(page);
    const status = await page.getByRole('status', { name: 'Log records' }).locator('..').textContent();
    await setLoad(null);
    await page.context().close();
    // Uncollected garbage is irrelevant, so the minimum of each fifth of the time is the memory in
    // use.
    const fifths = [0, 1, 2, 3, 4].map((at) => {
      const within = heaps.filter(({ atMs }) => Math.floor((atMs / (minutes * 60_000)) * 5) === at);
      return {
        heapMb: Math.min(...within.map((one) => one.heapMb)),
        processMb: median(within.map((one) => one.processMb)),
      };
    });
    const peer = await measureBaselinePage(system, browser);
    console.log(`following: ${status}`);
    const [beforeLast, last] = [fifths[3]?.heapMb ?? 0, fifths[4]?.heapMb ?? 0];
    const framesPerSecond = watched.frames / (watched.ms / 1000);
    const long = watched.longTasks.filter((ms) => ms > 100);
    return [
      { what: `${minutes} min at 5,000 lines/s: records on the page`, ours: count(records) },
      {
        what: 'heap in use, by fifths of the time',
        ours: `${fifths.map(({ heapMb }) => count(heapMb)).join(' → ')} MB`,
        goal: 'flat at the end',
        met: last < beforeLast * 1.1 + 5,
      },
      {
        what: 'whole renderer process, by fifths',
        ours: `${fifths.map(({ processMb }) => count(processMb)).join(' → ')} MB`,
      },
      {
        what: 'tasks over 100 ms',
        ours: `${long.length} (longest ${count(Math.max(0, ...watched.longTasks))} ms)`,
        peer: `${peer.long} (longest ${count(peer.longestMs)} ms)`,
        goal: '0',
        met: long.length === 0,
      },
      {
        what: 'frames/s',
        ours: count(framesPerSecond),
        peer: count(peer.framesPerSecond),
        ratio: framesPerSecond / peer.framesPerSecond,
        goal: '≥ 30',
        met: framesPerSecond >= 30,
      },
      {
        what: 'slowest second',
        ours: `${count(Math.min(...watched.framesBySecond))} frames`,
      },
    ];
  } finally {
    await browser.close();
  }
}

/**
 * The same lines for half a minute on a page that retains a thousand of them and has no features.
 */
async function measureBaselinePage(system: System, browser: Browser) {
  const { apps } = await system.signIn();
  const appId = apps[1]?.id ?? '';
  const relay = await startChild<{ url: string }>('./log-relay.ts', system.logUpstream(appId));
  const { page } = await openMeasuredPage(browser, system.origin);
  await page.addInitScript(pageWatch);
  await page.goto('about:blank');
  await page.evaluate(baselineLogPage, relay.ready.url);
  await system.setLoad(appId, targetLinesPerSecond);
  await pause(warmUpMs);
  await page.evaluate(() => Reflect.get(globalThis, 'pageWatch').reset());
  await pause(peerMs);
  const { frames, ms, longTasks }: PageWatchResult = await page.evaluate(() =>
    Reflect.get(globalThis, 'pageWatch').read(),
  );
  await system.setLoad(appId, null);
  await relay.stop();
  await page.context().close();
  return {
    framesPerSecond: frames / (ms / 1000),
    long: longTasks.filter((one) => one > 100).length,
    longestMs: Math.max(0, ...longTasks),
  };
}

/** A million lines on the page: jumps, searches, filters. */
export async function measureMillion(system: System): Promise<Figure[]> {
  const browser = await launchBrowser(findChromium());
  try {
    const { route, setLoad } = await getFirstAppLogRoute(system);
    const measured = await openLog(system, browser, route);
    const { page } = measured;
    const began = performance.now();
    await setLoad(fillLinesPerSecond);
    while ((await getRecords(page)) < million) await pause(250);
    await setLoad(null);
    const filledMs = performance.now() - began;
    await pause(2000);
    const records = await getRecords(page);
    await page.keyboard.press('Home');

    await page.evaluate(() => Reflect.get(globalThis, 'pageWatch').reset());
    const jumps: number[] = await page.evaluate((jumps) => Reflect.get(globalThis, 'pageWatch').jump(jumps), jumpCount);
    const longestJumping = await longestTaskMs(page);
    const search = page.getByRole('searchbox', { name: 'Search the log' });
    const searches: number[] = [];
    for (const words of searchWords) {
      searches.push(await answerMs(page, () => search.fill(words), 'search', words));
      await search.fill('');
      await page.getByLabel('Search result').filter({ hasNotText: /./ }).waitFor({ state: 'attached' });
    }
    const longestSearching = await longestTaskMs(page);
    const filters: number[] = [];
    for (const level of ['INFO', 'WARNING', 'INFO', 'WARNING']) {
      const button = page.locator(`button[data-level="${level.toLowerCase()}"]`);
      filters.push(await answerMs(page, () => button.click(), 'shown', level));
    }
    const longestFiltering = await longestTaskMs(page);
    const p95 = percentile(jumps, 95);
    const slowest = Math.max(...searches);
    const baselineSearches = await measureBaselineSearch(page);
    return [
      { what: `${count(records)} lines, loaded through the socket in`, ours: `${(filledMs / 1000).toFixed(1)} s` },
      {
        what: 'heap and whole renderer process',
        ours: `${count(await getHeapMb(measured))} MB, ${count(rendererMb())} MB`,
      },
      { what: `jump to anywhere, p95 of ${jumpCount}`, ours: `${count(p95)} ms`, goal: '≤ 100 ms', met: p95 <= 100 },
      {
        what: 'search, slowest and median of 5',
        ours: `${count(slowest)} ms, ${count(median(searches))} ms`,
        peer: `${count(Math.max(...baselineSearches))} ms, ${count(median(baselineSearches))} ms`,
        ratio: median(searches) / median(baselineSearches),
        goal: '≤ 300 ms',
        met: slowest <= 300,
      },
      {
        what: 'filter by level, slowest and median of 4',
        ours: `${count(Math.max(...filters))} ms, ${count(median(filters))} ms`,
      },
      {
        what: 'longest task while jumping, searching, filtering',
        ours: [longestJumping, longestSearching, longestFiltering].map((ms) => `${count(ms)} ms`).join(', '),
        goal: 'searching blocks nothing (≤ 100 ms)',
        met: longestSearching <= 100,
      },
    ];
  } finally {
    await browser.close();
  }
}

/**
 * The peer of the search: the same words as one expression over the same lines in one string, in
 * this process.
 */
async function measureBaselineSearch(page: Page): Promise<number[]> {
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download all lines as text' }).click(),
  ]);
  const text = readFileSync(await file.path(), 'utf8');
  return searchWords.map((words) => {
    const began = performance.now();
    const matches = text.match(new RegExp(words, 'gi'))?.length ?? 0;
    const ms = performance.now() - began;
    console.log(`baseline, ${words}: ${count(matches)} matches, in ${ms.toFixed(0)} ms`);
    return ms;
  });
}

async function getFirstAppLogRoute(system: System): Promise<DrivenLog> {
  const { apps } = await system.signIn();
  const appId = apps[0]?.id ?? '';
  return { route: `/logs/${appId}`, setLoad: (linesPerSecond) => system.setLoad(appId, linesPerSecond) };
}

async function openLog(system: System, browser: Browser, route: string): Promise<MeasuredPage> {
  const { baseUrl } = await system.signIn();
  const measured = await openMeasuredPage(browser, system.origin);
  const { page, cdp } = measured;
  await cdp.send('Performance.enable');
  await page.addInitScript(pageWatch);
  await page.request.post('/portal-backend/api/apps', {
    data: { credentials: { userName: 'demo', password: 'demo' }, baseUrl },
  });
  await page.goto(`/#${route}`);
  await page.getByRole('button', { name: 'Play' }).and(page.locator(':disabled')).waitFor();
  return measured;
}

/** Milliseconds on the page's clock from the interaction until the page shows its result. */
async function answerMs(
  page: Page,
  interact: () => Promise<void>,
  what: 'search' | 'shown',
  label: string,
): Promise<number> {
  const answered = page.evaluate((what) => Reflect.get(globalThis, 'pageWatch').measureOutcome(what), what);
  await interact();
  const { ms, text }: { ms: number; text: string } = await answered;
  console.log(`${label}: ${text}, in ${ms.toFixed(0)} ms`);
  return ms;
}

/** Since the last read; the browser reports tasks of 50 ms and more. */
async function longestTaskMs(page: Page): Promise<number> {
  const { longTasks }: PageWatchResult = await page.evaluate(() => Reflect.get(globalThis, 'pageWatch').read());
  await page.evaluate(() => Reflect.get(globalThis, 'pageWatch').reset());
  return Math.max(0, ...longTasks);
}

async function getRecords(page: Page): Promise<number> {
  const text = await page.getByRole('status', { name: 'Log records' }).textContent();
  return Number(text?.replaceAll(/\D/g, '') ?? 0);
}

async function getHeapMb({ cdp }: MeasuredPage): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
}

/** The largest renderer among the browser's processes belongs to the page. */
function rendererMb(): number {
  const renderers = getProcessTree(process.pid).filter(({ pid }) => getCommandLine(pid).includes('--type=renderer'));
  return Math.max(0, ...renderers.map(({ pid }) => getResidentMb(pid)));
}
