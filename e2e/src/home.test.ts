// @module-tag long

import { getAttention } from '@portal/contract/attention';
import type { OnCall } from '@portal/contract/support-roster';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Portal } from './portal.ts';
import { createTest } from './test.ts';
import { arrive, gone, seen } from './user-actions.ts';

/** A team whose roster is managed in the portal. */
const team = {
  source: 'portal',
  now: [],
  next: null,
  gaps: [],
  readAt: null,
  problem: null,
  warnings: [],
  notes: [],
} satisfies Omit<OnCall, 'team'>;

const test = createTest({ supportRoster: { teams: [{ name: 'Night Shift', environments: ['Production'] }] } });

describe('home', () => {
  test('shows that nothing needs attention', async ({ page, portal }) => {
    await arrive(page, '/', { environment: 'Staging' });
    await checkApps(page, portal);
    await page.reload();
    await seen(part(page, 'Needs attention').getByText('Nothing needs attention.'));
    await seen(part(page, 'On call now').getByText('No support teams are configured.'));
    expect(await part(page, 'Deployments today').count()).toBe(0);
  });

  test('does not state that nothing needs attention until the checks are as recent as promised', async ({ page }) => {
    let outdated = 4;
    await page.route('**/portal-backend/api/attention', (route) =>
      route.fulfill({
        json: {
          items: [],
          counts: {},
          problems: [],
          checks: { missing: 0, outdated, oldest: new Date().toISOString() },
        },
      }),
    );
    await arrive(page, '/', { environment: 'Staging' });
    const section = part(page, 'Needs attention');
    await seen(section.getByText('Still checking. Nothing that needs attention is known yet.'));
    await seen(section.getByText('Your apps are being checked again: 4 checks left'));
    expect(await section.getByText('Nothing needs attention.').count()).toBe(0);
    outdated = 0;
    await seen(section.getByText('Nothing needs attention.'));
  });

  test('shows who is on call, and that no one is', async ({ page }) => {
    await arrive(page, '/');
    await seen(part(page, 'Needs attention').getByRole('listitem').getByText('No one on call'));
    await seen(part(page, 'Deployments today').getByText('No deployments are scheduled today.'));
    const onCall = part(page, 'On call now').getByRole('listitem').filter({ hasText: 'Night Shift' });
    await seen(onCall.getByText('No one is on call'));
    await onCall.getByRole('link', { name: 'Night Shift' }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'Night Shift' }));
  });

  test('shows what needs attention, with a link to it', { tags: 'short' }, async ({ page, portal }) => {
    const failing = portal.app('Clinic Visits');
    const locked = portal.app('Farm Inputs');
    await failing.run('Reminders:callGateway');
    await arrive(page, '/apps');
    const lock = (isLocked: boolean) =>
      page.request.post('/portal-backend/api/config/lock-app', {
        data: { appId: locked.id, locked: isLocked },
        headers: { origin: portal.origin },
      });
    await lock(true);
    await page.goto('/#/');
    await checkApps(page, portal);
    await page.reload();
    const entries = part(page, 'Needs attention').getByRole('listitem');
    await seen(entries.filter({ hasText: 'Locked' }).getByRole('link', { name: 'Farm Inputs' }));
    const failure = entries.filter({ hasText: 'Failed' }).filter({ hasText: 'Reminders:callGateway' });
    await failure.getByRole('link', { name: 'Clinic Visits' }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'Clinic Visits' }));
    expect(new URL(page.url()).hash).toBe(`#/scheduledfunctions/${failing.id}`);
    await lock(false);
  });

  test('aligns what needs attention, and breaks no address inside a word', async ({ page }) => {
    const address = 'https://dhis2.example.org/api/39/dataValueSets';
    const item = { title: 'Clinic Visits', at: new Date(0).toISOString(), route: '/apps' };
    const items = [
      { ...item, kind: 'failing-function', detail: `Outbound:push failed: Outbound API call failed for ${address}` },
      { ...item, kind: 'locked-app', detail: 'Logins are refused; background processes continue.' },
    ];
    await page.route('**/api/attention', (route) =>
      route.fulfill({ json: { items, counts: {}, problems: [], checks: { missing: 4, oldest: null } } }),
    );
    await arrive(page, '/');
    const attention = part(page, 'Needs attention');
    await seen(attention.getByText('Your apps are being read: 4 checks left, two per app (its configuration'));
    const lines = attention.getByRole('listitem');
    const countLines = () =>
      lines.first().evaluate((line, word) => {
        const spans = [...line.querySelectorAll('span')].filter((span) => span.textContent === word);
        return spans.map(
          (span) => span.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(span).lineHeight),
        );
      }, address);
    for (const width of [768, 1024, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(countLines, { message: `${width} px` }).toEqual([1]);
      const edges = await lines.evaluateAll((all) =>
        all.map((line) => [...line.children].map((cell) => cell.getBoundingClientRect().left)),
      );
      expect(edges[0]?.slice(0, 2), `${width} px`).toEqual(edges[1]?.slice(0, 2));
    }
    const tiles = page
      .getByRole('main')
      .getByRole('list')
      .filter({ hasText: 'HeliumJourney Sync' })
      .getByRole('listitem');
    await page.setViewportSize({ width: 768, height: 900 });
    const tops = await tiles.evaluateAll((all) => all.map((tile) => tile.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
  });

  test("lists today's deployments, and others on request", async ({ page }) => {
    const item = { kind: 'deployment', title: 'Release 7', detail: 'of Health.', at: null, route: '/deployments' };
    const stopped = Array.from({ length: 20 }, (_, at) => ({
      ...item,
      kind: 'halted-sync',
      title: `App ${at}`,
      route: `/sync/${at}`,
    }));
    await page.route('**/api/attention', (route) =>
      route.fulfill({
        json: {
          items: [item, ...stopped],
          counts: { deployment: 1, 'halted-sync': 118 },
          problems: [],
          checks: { missing: 0, oldest: null },
        },
      }),
    );
    await arrive(page, '/');
    await seen(part(page, 'Deployments today').getByRole('link', { name: 'Release 7' }));
    const entries = part(page, 'Needs attention').getByRole('listitem');
    const group = page.getByRole('button', { name: '118 integrations are halted' });
    await seen(group);
    await expect.poll(() => entries.count()).toBe(1);
    await group.click();
    await expect.poll(() => entries.count()).toBe(22);
    await seen(page.getByRole('link', { name: 'Show all 118' }));
    await group.click();
    await expect.poll(() => entries.count()).toBe(1);
    expect(await entries.filter({ hasText: 'Release 7' }).count()).toBe(0);
  });

  test.for([
    { day: 'a usual day of a company', kinds: 5, fitting: ['On call now', 'Deployments today', 'Recent changes'] },
    { day: 'a day of all kinds of trouble', kinds: 7, fitting: ['On call now', 'Recent changes'] },
  ])('fits $day into a screen of 1440 × 900', async ({ kinds, fitting }, { page, portal }) => {
    const [deployments, teams] = [14, 30];
    const apps = (['Clinic Visits', 'Farm Inputs', 'Stock Room'] as const).map((name) => portal.app(name).id);
    await page.addInitScript(
      (starred) => localStorage.setItem('portal.apps.Production.demo', JSON.stringify({ starred, recent: [] })),
      apps,
    );
    const at = '2026-06-01T06:00:00.000Z';
    // A time to come is longer than how long ago something was.
    const plannedAt = '2100-06-01T06:00:00.000Z';
    const names = [
      'halted-sync',
      'stale-sync',
      'late-sync',
      'failing-function',
      'disabled-app',
      'locked-app',
      'roster-gap',
    ];
    const toItems = (kind: string, count: number) =>
      Array.from({ length: count }, (_, no) => ({
        kind,
        title: `Stock Visibility ${no}`,
        detail: 'Health Team releases Community Health Visits, Vaccine Cold Chain.',
        at: plannedAt,
        route: `/${kind}/${no}`,
      }));
    const items = [...names.slice(0, kinds).flatMap((kind) => toItems(kind, 9)), ...toItems('deployment', deployments)];
    await page.route('**/api/attention', (route) =>
      route.fulfill({ json: { items, counts: {}, problems: [], checks: { missing: 0, oldest: at } } }),
    );
    const person = { personId: 'p', name: 'Thabo Mokoena', number: null, until: at };
    await page.route('**/support-roster/on-call', (route) =>
      route.fulfill({
        json: Array.from({ length: teams }, (_, no) => ({ ...team, team: `Team ${no}`, now: [person] })),
      }),
    );
    const resource = { resourceKind: 'app', resource: 'a' };
    const change = { at, username: 'demo', environment: 'Production', action: 'config.lock-app', ...resource };
    const unknown = { before: null, after: null, reason: null, address: null, userAgent: null, requestId: null };
    const text = {
      resourceName: 'Stock Visibility',
      description: 'App locked',
      outcome: 'done',
      attempts: 1,
      lastAt: null,
    };
    await page.route('**/audit/recent-changes', (route) =>
      route.fulfill({ json: Array.from({ length: 8 }, (_, no) => ({ id: `${no}`, ...change, ...text, ...unknown })) }),
    );
    await page.setViewportSize({ width: 1440, height: 900 });
    await arrive(page, '/');
    await seen(part(page, 'Recent changes').getByText('App locked').first());
    await seen(part(page, 'On call now').getByText('Thabo Mokoena').first());
    await seen(part(page, 'Deployments today').getByText('Stock Visibility 0'));
    for (const title of fitting) {
      const readBottom = () =>
        part(page, title).evaluate((section) => section.getBoundingClientRect().bottom + scrollY);
      await expect.poll(readBottom, { message: title }).toBeLessThanOrEqual(900);
    }
  });

  test('gives each team on call as many lines as the others on a phone', async ({ page }) => {
    const person = { personId: 'p', name: 'Thabo Mokoena', number: null, until: '2026-06-01T06:00:00.000Z' };
    const teams = ['A', 'Night Shift', 'Community Health Visits'];
    await page.route('**/support-roster/on-call', (route) =>
      route.fulfill({ json: teams.map((name) => ({ ...team, team: name, now: [person] })) }),
    );
    await page.setViewportSize({ width: 360, height: 780 });
    await arrive(page, '/');
    const onCall = part(page, 'On call now');
    await seen(onCall.getByText('Community Health Visits'));
    const lines = await onCall.getByRole('listitem').evaluateAll((items) =>
      items.map((item) => {
        const { top } = item.getBoundingClientRect();
        return [...item.children].map((part) => Math.round(part.getBoundingClientRect().top - top));
      }),
    );
    expect(new Set(lines.map(String)).size, JSON.stringify(lines)).toBe(1);
    expect(new Set(lines[0]).size).toBe(2);
  });

  test('shows a single further item instead of a button for it', async ({ page }) => {
    const teams = Array.from({ length: 7 }, (_, at) => ({ ...team, team: `Team ${at}` }));
    await page.route('**/support-roster/on-call', (route) => route.fulfill({ json: teams }));
    await arrive(page, '/');
    await seen(part(page, 'On call now').getByText('Team 6'));
    expect(await part(page, 'On call now').getByRole('button').count()).toBe(0);
  });

  test('lists six teams on call, and others on request', async ({ page }) => {
    const teams = Array.from({ length: 9 }, (_, at) => ({ ...team, team: `Team ${at}` }));
    await page.route('**/support-roster/on-call', (route) => route.fulfill({ json: teams }));
    await arrive(page, '/');
    const entries = part(page, 'On call now').getByRole('listitem');
    await expect.poll(() => entries.count()).toBe(6);
    await page.getByRole('button', { name: '3 more teams' }).click();
    await expect.poll(() => entries.count()).toBe(9);
  });

  test('stays usable and reports a part that cannot be loaded', async ({ page, visit }) => {
    visit.trouble.expect(/502/);
    await page.route('**/api/attention', (route) => route.fulfill({ status: 502, body: '' }));
    await arrive(page, '/');
    await seen(part(page, 'On call now').getByText('Night Shift'));
    const problem = part(page, 'Needs attention').getByRole('status');
    await seen(problem.getByText('What needs attention could not be loaded.'));
    await page.unroute('**/api/attention');
    await page.route('**/support-roster/on-call', (route) => route.fulfill({ status: 502, body: '' }));
    await problem.getByRole('button', { name: 'Try again' }).click();
    await gone(problem);
    await page.reload();
    await seen(part(page, 'On call now').getByText('Who is on call could not be loaded.'));
    await gone(part(page, 'Needs attention').getByRole('status'));
  });

  test('reports which checks failed and shows the rest', async ({ page }) => {
    await arrive(page, '/', { environment: 'Zambia-production' });
    const attention = part(page, 'Needs attention');
    await seen(attention.getByRole('status').first());
    await seen(attention.getByText('Nothing else needs attention.'));
  });
});

/** Checks the user's apps until each was read: on a busy computer, a check may time out. */
async function checkApps(page: Page, portal: Portal): Promise<void> {
  await expect
    .poll(async () => {
      // The server checks the apps of those who have asked.
      await page.request.get(getAttention.path);
      await portal.server.dependencies.appChecker.checkAll();
      const { checks, problems } = await (await page.request.get(getAttention.path)).json();
      return { ...checks, oldest: checks.oldest !== null, problems };
    })
    .toEqual({ missing: 0, outdated: 0, oldest: true, problems: [] });
}

function part(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title });
}
