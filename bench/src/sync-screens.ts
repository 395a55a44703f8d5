import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { openMeasuredPage } from '@portal/e2e/measured-page';
import { getTreeUsage } from '@portal/e2e/processes';
import { demo } from '@portal/e2e/user-actions';
import type { Page } from 'playwright-core';
import { startChild } from './child.ts';
import { count, type Figure, median, printFigures } from './figures.ts';
import { measureTimeToRows, watchForRows } from './first-row.ts';
import { measureInteractionToPaint, tableSearch } from './interaction-to-paint.ts';
import { measureFollowing } from './logs-in-browser.ts';
import { readLongestTask, watchLongTasks } from './long-tasks.ts';
import { storeIntegrations } from './stored-integrations.ts';
import { type System, startSystem } from './system.ts';

/**
 * `npm run bench -- sync-screens [ROUNDS] [INTEGRATIONS] [MINUTES]`: measures the list and a
 * dashboard of many integrations, and the log of one integration at a high rate. The real sync
 * service responds; nothing is synced.
 */
const [rounds = 7, integrations = 1_000, minutes = 1] = process.argv.slice(2).map(Number);

const calls = 30;

const many = await startSystem({ apps: integrations, withSync: true });
try {
  const figures = [...(await measureLists(many)), ...(await measureCalls(many))];
  printFigures(`sync-screens: medians of ${rounds} rounds`, figures);
} finally {
  await many.stop();
}
const one = await startSystem({ withSync: true });
try {
  printFigures('sync-screens: the log of an integration, followed in Chromium', await measureLog(one));
} finally {
  await one.stop();
}

async function measureLists(system: System): Promise<Figure[]> {
  const { baseUrl, cookie, apps } = await system.signIn();
  await storeIntegrations(
    system,
    apps.map(({ id }) => id),
  );
  const saved = await fetch(`${system.origin}/portal-backend/api/sync-dashboard/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: system.origin, cookie },
    body: JSON.stringify({ name: 'All', appIds: apps.map(({ id }) => id) }),
  });
  if (!saved.ok) throw new Error(`the dashboard call returned ${saved.status} ${await saved.text()}`);
  const browser = await launchBrowser(findChromium());
  const screens = [
    {
      what: 'list',
      route: '/sync',
      call: '/sync/api/list',
      table: 'Helium Journey Apps',
      ...createMeasurements(),
    },
    {
      what: 'dashboard',
      route: '/sync-dashboard/All',
      call: '/sync-dashboard/All',
      table: 'Integrations of All',
      ...createMeasurements(),
    },
  ];
  try {
    // The first round warms up the server and the service.
    for (let round = 0; round <= rounds; round += 1) {
      for (const { route, call, table, times, searches, longestTasks, idleBytes } of screens) {
        const { page } = await openMeasuredPage(browser, system.origin);
        await page.request.post('/portal-backend/api/apps', { data: { credentials: demo, baseUrl } });
        await page.goto('/#/apps');
        await page.getByText('apps found from').waitFor();
        await watchForRows(page, table);
        await page.evaluate(watchLongTasks);
        await page.goto(`/#${route}`);
        const ms = await measureTimeToRows(page, 'startTime', call);
        const searchMs = await measureInteractionToPaint(page, tableSearch, 'Integration 77');
        const longest = await page.evaluate(readLongestTask);
        if (round > 0) {
          times.push(ms);
          searches.push(searchMs);
          longestTasks.push(longest);
        }
        if (round === rounds) idleBytes.push(await measureIdleMinute(page));
        await page.context().close();
      }
    }
  } finally {
    await browser.close();
  }
  return screens.flatMap(({ what, times, searches, longestTasks, idleBytes }) => {
    const name = `${what} of ${count(integrations)} integrations`;
    return [
      compare(`${name}, from the call to its rows`, median(times), 'ms', 200),
      compare(`${name}, from the input of a search to its paint`, median(searches), 'ms', 50),
      compare(`${name}, the longest task until then`, Math.max(...longestTasks), 'ms', 100),
      compare(`${name}, transferred in a minute without input`, median(idleBytes) / 1000, 'kB', 20),
    ];
  });
}

function createMeasurements() {
  const empty = (): number[] => [];
  return { times: empty(), searches: empty(), longestTasks: empty(), idleBytes: empty() };
}

function compare(what: string, value: number, unit: 'ms' | 'kB', max: number): Figure {
  return { what, ours: `${count(value)} ${unit}`, goal: `< ${max} ${unit}`, met: value < max };
}

/** Returns the bytes that the page receives in a minute. */
async function measureIdleMinute(page: Page): Promise<number> {
  await page.evaluate(() => performance.clearResourceTimings());
  await page.waitForTimeout(60_000);
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .reduce((sum, entry) => sum + (entry instanceof PerformanceResourceTiming ? entry.transferSize : 0), 0),
  );
}

/** Measures a call of the list, which a page repeats regularly. */
async function measureCalls({ origin, serverPid, syncPid, signIn }: System): Promise<Figure[]> {
  const { cookie, baseUrl } = await signIn();
  const times: number[] = [];
  let bytes = 0;
  const pids = [serverPid, ...(syncPid === null ? [] : [syncPid])];
  const cpu = () => pids.map((pid) => getTreeUsage(pid).cpuSeconds);
  const before = cpu();
  for (let at = 0; at < calls; at += 1) {
    const began = performance.now();
    const response = await fetch(`${origin}/sync/api/list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, cookie },
      body: JSON.stringify({ environment: 'Production', baseUrl }),
    });
    bytes = (await response.arrayBuffer()).byteLength;
    if (!response.ok) throw new Error(`the list call returned ${response.status}`);
    times.push(performance.now() - began);
  }
  const spent = cpu().map((seconds, at) => ((seconds - (before[at] ?? 0)) / calls) * 1000);
  return [
    {
      what: `a call of the list, ${(bytes / 1e6).toFixed(1)} MB; processor time of server and sync service`,
      ours: `${count(median(times))} ms; ${spent.map((ms) => `${count(ms)} ms`).join(', ')}`,
    },
  ];
}

async function measureLog(system: System): Promise<Figure[]> {
  const { apps } = await system.signIn();
  const appId = apps[0]?.id ?? '';
  const [no = ''] = await storeIntegrations(system, [appId]);
  const writer = await startChild<null, number>('./sync-log-writer.ts', { databaseUrl: system.databaseUrl, no });
  try {
    return await measureFollowing(system, minutes, {
      route: `/sync/${appId}`,
      setLoad: (linesPerSecond) => writer.ask(linesPerSecond ?? 0),
    });
  } finally {
    await writer.stop();
  }
}
