import { findChromium, launchBrowser } from '@portal/e2e/browser';
import { openMeasuredPage } from '@portal/e2e/measured-page';
import { demo, fillSignIn } from '@portal/e2e/user-actions';
import type { Page } from 'playwright-core';
import { atMost, count, type Figure, median } from './figures.ts';
import { traceTasks } from './trace-tasks.ts';

const screens = [
  { what: 'support roster', route: '/support-roster', row: 'main tbody td[data-label]' },
  {
    what: 'deployments with their calendar',
    route: '/deployments',
    row: 'main section[aria-label=Calendar] td button',
  },
] as const;

/** Measures home and the screens that list all teams in Chromium. */
export async function measureCompanyPages(origin: string, rounds: number): Promise<Figure[]> {
  const browser = await launchBrowser(findChromium());
  const signIns: number[] = [];
  const bottoms = { onCall: 0, home: 0 };
  const longest = screens.map(() => ({ ms: 0, cpuMs: 0 }));
  try {
    // The first round warms up the server.
    for (let round = 0; round <= rounds; round += 1) {
      const { page } = await openMeasuredPage(browser, origin);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto('/');
      await fillSignIn(page, demo);
      const from = performance.now();
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await waitForHome(page);
      if (round > 0) signIns.push(performance.now() - from);
      bottoms.onCall = Math.max(bottoms.onCall, await readBottom(page, 'On call now'));
      for (const title of ['Your apps', 'Recent changes'])
        bottoms.home = Math.max(bottoms.home, await readBottom(page, title));
      for (const [at, { route, row }] of screens.entries()) {
        const endTrace = await traceTasks(browser, page);
        await page.goto(`/#${route}`);
        await page.locator(row).first().waitFor();
        // The rest of the screen is drawn by then.
        await page.waitForTimeout(1_000);
        const tasks = await endTrace();
        const known = longest[at];
        if (round === 0 || !known) continue;
        known.ms = Math.max(known.ms, ...tasks.map(({ ms }) => ms));
        known.cpuMs = Math.max(known.cpuMs, ...tasks.map(({ cpuMs }) => cpuMs));
      }
      await page.context().close();
    }
  } finally {
    await browser.close();
  }
  return [
    atMost(`from sign-in to complete home in Chromium, median of ${rounds} rounds`, median(signIns), 'ms', 1_000),
    atMost('end of "On call now" at 1440 × 900', bottoms.onCall, 'px', 900),
    atMost('end of home at 1440 × 900', bottoms.home, 'px', 900),
    ...screens.flatMap(({ what }, at) => {
      const { ms, cpuMs } = longest[at] ?? { ms: Number.NaN, cpuMs: Number.NaN };
      return [
        atMost(`${what}, the longest task`, ms, 'ms', 100),
        { what: `${what}, the most processor time of a task`, ours: `${count(cpuMs)} ms` },
      ];
    }),
  ];
}

/** Waits until all sections are drawn and none is loading. */
async function waitForHome(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Recent changes' }).waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector('main [aria-busy=true]') === null &&
      !document.querySelector('main')?.textContent?.includes('Your apps are being read'),
  );
}

async function readBottom(page: Page, title: string): Promise<number> {
  return page
    .getByRole('region', { name: title })
    .evaluate((section) => section.getBoundingClientRect().bottom + window.scrollY);
}
