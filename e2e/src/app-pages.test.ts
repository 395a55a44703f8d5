// @module-tag long

import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { createIntegration } from './create-integration.ts';
import { test } from './test.ts';
import { arrive, gone, seen, select } from './user-actions.ts';

const name = 'Clinic Visits';

describe('pages of an app', () => {
  test('leads from each page of an app to every other one, each with a title of its own', { tags: 'short' }, async ({
    page,
    portal,
  }) => {
    const { id } = portal.app(name);
    const pages = [
      ['View', `#/app/${id}`],
      ['Config', `#/config/${id}`],
      ['Functions', `#/scheduledfunctions/${id}`],
      ['Logs', `#/logs/${id}`],
      ['Schema Access', `#/config/${id}?tab=schema-access`],
      ['Deployments', `#/deployments?app=${id}`],
      ['Sync', `#/sync?app=${id}`],
    ] as const;
    await arrive(page, `/config/${id}`);
    for (const [tab, hash] of pages) {
      await pageLink(page, tab).click();
      await expect.poll(() => page.title()).toBe(`${tab} · ${name} · Portal`);
      await expect.poll(() => new URL(page.url()).hash).toBe(hash);
      await seen(page.getByRole('heading', { level: 1, name }));
      await expect.poll(() => tabs(page).getByRole('link').allTextContents()).toEqual(pages.map(([label]) => label));
      await expect.poll(() => tabs(page).locator('[aria-current="page"]').allTextContents()).toEqual([tab]);
    }
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Sync' }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'Sync' }));
    await gone(tabs(page));
  });

  test('shows a page of the app that was open before from what is loaded, without waiting for a call', async ({
    page,
    portal,
  }) => {
    const { id } = portal.app(name);
    const pages: readonly [string, Locator][] = [
      ['Config', select(page, 'Enabled or disabled')],
      ['Functions', page.getByText('closeOldVisits').first()],
    ];
    await arrive(page, `/config/${id}`);
    for (const [tab, content] of pages) {
      await pageLink(page, tab).click();
      await seen(content);
    }
    // Calls are not answered from here on.
    await page.route('**/portal-backend/**', () => undefined);
    for (const [tab, content] of pages) {
      await pageLink(page, tab).click();
      await expect.poll(() => page.title()).toBe(`${tab} · ${name} · Portal`);
      await seen(content);
    }
  });

  test('shows the id, the state and the star of an app on each of its pages', async ({ page, portal }) => {
    const app = portal.app(name);
    await arrive(page, `/logs/${app.id}`);
    await page.request.post('/portal-backend/api/config/lock-app', {
      data: { appId: app.id, locked: true },
      headers: { origin: portal.origin },
    });
    await page.reload();
    await page.getByRole('button', { name: `Star ${name}` }).click();
    for (const tab of ['View', 'Functions', 'Deployments']) {
      await pageLink(page, tab).click();
      await seen(page.getByText('Locked', { exact: true }).first());
      await seen(page.getByRole('button', { name: `Copy app id ${app.id}` }));
      await seen(page.getByRole('button', { name: `Star ${name}`, pressed: true }));
    }
    await page.request.post('/portal-backend/api/config/lock-app', {
      data: { appId: app.id, locked: false },
      headers: { origin: portal.origin },
    });
  });

  test('lists the integration of one app only, and says that another has none', async ({ page, portal }) => {
    await arrive(page, '/');
    await createIntegration(page, portal.app(name), 'helium-app-1');
    await page.goto(`/#/sync?app=${portal.app(name).id}`);
    await seen(page.getByRole('row').filter({ hasText: name }));
    await page.goto(`/#/sync?app=${portal.app('Farm Inputs').id}`);
    await seen(page.getByText('Farm Inputs has no integration.'));
    await page.goto('/#/sync?app=unknown');
    await seen(page.getByText('You have no access to an app with the id unknown in Production.'));
  });

  test('draws the hidden characters of a name in the titles of the dialogs of its integration', async ({
    page,
    portal,
  }) => {
    const { id } = portal.app(name);
    await arrive(page, '/');
    await createIntegration(page, portal.app(name), 'helium-app-1');
    await page.route('**/sync/api/list', async (route) => {
      const response = await route.fetch();
      const listed: { id: string }[] = await response.json();
      const json = listed.map((one) => (one.id === id ? { ...one, appName: 'Stock \u202Eevil\u202C live' } : one));
      await route.fulfill({ response, json });
    });
    for (const [route, title] of [
      [`/sync?info=${id}`, ''],
      [`/sync?records=${id}`, 'Records of '],
      [`/sync/${id}`, 'Logs of '],
    ] as const) {
      await page.goto(`/#${route}`);
      await seen(page.getByRole('dialog', { name: `${title}Stock U+202EevilU+202C live`, exact: true }));
    }
  });

  test('has no page of deployments outside of production', async ({ page, portal }) => {
    await arrive(page, `/logs/${portal.app(name).id}`, { environment: 'Staging' });
    await seen(pageLink(page, 'Sync'));
    expect(await pageLink(page, 'Deployments').count()).toBe(0);
  });

  test('shows the current page in the row of links on a phone, and the state of an app that is locked', async ({
    visit,
    portal,
  }) => {
    const page = await visit.open({ viewport: { width: 360, height: 780 } });
    await page.route('**/config/get-config/', async (route) => {
      const config = await (await route.fetch()).json();
      await route.fulfill({ json: { ...config, locked: true } });
    });
    await arrive(page, `/sync?app=${portal.app(name).id}`);
    const readEnd = () => pageLink(page, 'Sync').evaluate((link) => link.getBoundingClientRect().right);
    await expect.poll(readEnd).toBeLessThanOrEqual(360);
    for (const state of ['Enabled', 'Locked']) await seen(page.getByText(state, { exact: true }).first());
  });
});

function tabs(page: Page): Locator {
  return page.getByRole('navigation', { name: `Pages of ${name}` });
}

function pageLink(page: Page, tab: string): Locator {
  return tabs(page).getByRole('link', { name: tab, exact: true });
}
