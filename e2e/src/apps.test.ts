// @module-tag long

import type { Locator } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { arrive, chooseOption, gone, readColumn, seen, select } from './user-actions.ts';

describe('apps list', () => {
  test('shows the number of apps and their environment, and lists them by name with line numbers', {
    tags: 'short',
  }, async ({ page, portal }) => {
    await arrive(page, '/apps');
    const environments = await (await page.request.get('/portal-backend/api/environments')).json();
    const { host } = new URL(environments[0].baseUrl);
    await seen(page.getByText(`3 apps found from ${host}/helium/api/v2/app`));
    await expect.poll(() => readColumn(page, 'name')).toEqual(['Clinic Visits', 'Farm Inputs', 'Stock Room']);
    await expect.poll(() => page.locator('tbody tr td:first-child').allTextContents()).toEqual(['1', '2', '3']);
    await expect
      .poll(() => page.getByRole('columnheader').allTextContents())
      .toEqual(['#', 'name', 'id', 'state', 'fqdn', 'Actions']);
    const row = page.getByRole('row').filter({ hasText: portal.app('Farm Inputs').id });
    for (const [name, route] of [
      ['View', 'app'],
      ['Config', 'config'],
      ['Logs', 'logs'],
      ['Scheduled Functions', 'scheduledfunctions'],
    ]) {
      const link = row.getByRole('link', { name: `${name} of Farm Inputs` });
      await expect
        .poll(() => link.getAttribute('href'))
        .toMatch(new RegExp(`#/${route}/${portal.app('Farm Inputs').id}$`));
    }
    for (const card of [/db performance/, /timeout values/, /logs to the browser/]) await seen(page.getByText(card));
  });

  test('shows the state of apps, shows only those in one state, and finds apps by id, schema and function', async ({
    page,
    portal,
  }) => {
    const [clinic, farm] = [portal.app('Clinic Visits'), portal.app('Farm Inputs')];
    await page.route('**/portal-backend/api/apps/states', (route) =>
      route.fulfill({
        json: {
          apps: [
            { appId: clinic.id, states: ['failing-function', 'locked-app'] },
            { appId: farm.id, states: ['disabled-app', 'halted-sync'] },
          ],
          problems: [],
          pending: 0,
        },
      }),
    );
    await page.route('**/portal-backend/api/apps/functions', (route) =>
      route.fulfill({ json: [{ appId: clinic.id, names: ['Nightly:closeOldVisits'] }] }),
    );
    await arrive(page, '/apps');
    await expect.poll(() => readColumn(page, 'state')).toEqual(['FailingLocked', 'Sync haltedDisabled', '']);
    const choices = page.getByRole('group', { name: 'Show only apps in one state' });
    await choices.getByRole('button', { name: '1 Locked' }).click();
    await expect.poll(() => readColumn(page, 'name')).toEqual(['Clinic Visits']);
    await expect.poll(() => new URL(page.url()).hash).toContain('state=Locked');
    await choices.getByRole('button', { name: '1 Locked' }).click();
    for (const [text, name] of [
      ['closeOldVisits', 'Clinic Visits'],
      [farm.id, 'Farm Inputs'],
      [portal.app('Stock Room').schemaName, 'Stock Room'],
    ] as const) {
      await page.getByRole('searchbox').fill(text);
      await expect.poll(() => readColumn(page, 'name')).toEqual([name]);
    }
  });

  test('copies an id exactly when its text is selected, also where it is cut', async ({ page, portal }) => {
    const { id } = portal.app('Clinic Visits');
    await arrive(page, '/apps');
    const text = page.getByTitle(id).locator('span').first();
    const copySelection = async () => {
      await text.evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        window.getSelection()?.removeAllRanges();
        window.getSelection()?.addRange(range);
      });
      await page.keyboard.press('Control+c');
      return page.evaluate(async () => [String(window.getSelection()), await navigator.clipboard.readText()]);
    };
    expect(await copySelection()).toEqual([id, id]);
    await text.evaluate((element) => {
      element.style.maxWidth = '120px';
    });
    expect(await copySelection()).toEqual([id, id]);
  });

  test('says that an app of the address does not exist, and lists all apps', async ({ page }) => {
    await arrive(page, '/apps/unknown');
    await seen(
      page.getByText('You have no access to an app with the id unknown in Production, so all apps are listed.'),
    );
    await expect.poll(() => readColumn(page, 'name')).toEqual(['Clinic Visits', 'Farm Inputs', 'Stock Room']);
  });

  test('draws the direction marks of a name, which cannot make it look like another name', async ({ page, portal }) => {
    const { id } = portal.app('Clinic Visits');
    const apps = await arrive(page, '/');
    const named = apps.map((app) => (app.id === id ? { ...app, name: 'Stock \u202Eevil\u202C live' } : app));
    await page.route('**/portal-backend/api/apps', (route) => route.fulfill({ json: named }));
    await page.goto('/#/apps');
    await page.reload();
    await expect.poll(() => readColumn(page, 'name')).toContain('Stock U+202EevilU+202C live');
    await page.goto(`/#/config/${id}`);
    await seen(page.getByRole('heading', { level: 1, name: 'Stock U+202EevilU+202C live' }));
    await expect.poll(() => page.title()).toBe('Config · Stock U+202EevilU+202C live · Portal');
    await chooseOption(page, select(page, 'Locked or unlocked'), 'Locked');
    await seen(page.getByRole('dialog').getByText('Stock U+202EevilU+202C live in Production'));
  });

  test('shows all of a name of 300 letters, at every width and without a wider page', async ({ page, portal }) => {
    const { id } = portal.app('Clinic Visits');
    const name = 'Dispensing'.repeat(30);
    const apps = await arrive(page, '/');
    const named = apps.map((app) => (app.id === id ? { ...app, name } : app));
    await page.route('**/portal-backend/api/apps', (route) => route.fulfill({ json: named }));
    for (const route of ['/apps', `/config/${id}`, `/scheduledfunctions/${id}`, `/logs/${id}`]) {
      await page.goto(`/#${route}`);
      await page.reload();
      await seen(page.getByRole('main').getByText(name, { exact: true }).first());
      for (const width of [360, 768, 1024, 1440, 1920]) {
        await page.setViewportSize({ width, height: 780 });
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), {
            message: `${route} at ${width} px`,
          })
          .toBeLessThanOrEqual(0);
      }
    }
  });

  test('stores search and sort order in the URL, so that a link shows the same list', { tags: 'short' }, async ({
    page,
    visit,
  }) => {
    await arrive(page, '/apps');
    await page.getByRole('button', { name: 'fqdn' }).click();
    await expect
      .poll(() => readColumn(page, 'fqdn'))
      .toEqual(['inputs.example.org', 'stock.example.org', 'visits.example.org']);
    await page.getByRole('button', { name: 'fqdn' }).click();
    await expect.poll(() => readColumn(page, 'name')).toEqual(['Clinic Visits', 'Stock Room', 'Farm Inputs']);
    await page.getByRole('searchbox', { name: 'Search Apps' }).fill('o');
    await expect.poll(() => page.url()).toContain('q=o');
    await page.getByRole('searchbox', { name: 'Search Apps' }).fill('room');
    await expect.poll(() => readColumn(page, 'name')).toEqual(['Stock Room']);
    await expect.poll(() => page.url()).toContain('q=room');

    const other = await visit.open();
    await arrive(other, new URL(page.url()).hash.slice(1));
    await expect.poll(() => readColumn(other, 'name')).toEqual(['Stock Room']);
    await other.getByRole('searchbox', { name: 'Search Apps' }).fill('');
    await expect.poll(() => readColumn(other, 'name')).toEqual(['Clinic Visits', 'Stock Room', 'Farm Inputs']);
    await other.getByRole('searchbox', { name: 'Search Apps' }).fill('nothing like that');
    await seen(other.getByText(/No matches for/));
  });

  test('lets the user choose columns by keyboard, and gives the focus back', async ({ page }) => {
    await arrive(page, '/apps');
    await seen(page.getByRole('link', { name: 'View of Stock Room' }));
    const button = page.getByRole('button', { name: 'Columns of Apps' });
    const columns = page.getByRole('dialog', { name: 'Columns of Apps' });
    const id = page.getByRole('columnheader', { name: 'id', exact: true });
    const hasFocus = (control: Locator) =>
      expect.poll(() => control.evaluate((element) => element === document.activeElement)).toBe(true);
    await button.press('Enter');
    await hasFocus(columns.getByRole('checkbox', { name: 'name', exact: true }));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await gone(id);
    await page.keyboard.press('Escape');
    await gone(columns);
    await hasFocus(button);

    await page.keyboard.press('Enter');
    await hasFocus(columns.getByRole('checkbox', { name: 'name', exact: true }));
    await columns.getByRole('button', { name: 'Reset to default' }).press('Enter');
    await seen(id);
    await page.keyboard.press('Tab');
    await gone(columns);
    await hasFocus(page.getByRole('button', { name: 'Download Apps as CSV' }));
  });

  test('does not apply a pending search to the next page', async ({ visit, portal }) => {
    // The clock is shared by the whole context.
    const page = await visit.open({});
    await page.clock.install();
    await arrive(page, '/apps');
    await seen(page.getByRole('link', { name: 'View of Stock Room' }));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/assets\/.*\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('searchbox', { name: 'Search Apps' }).fill('room');
    await page.getByRole('link', { name: 'View of Stock Room' }).click();
    await page.clock.runFor(400);
    release();
    await seen(page.getByRole('heading', { name: 'Stock Room' }));
    expect(new URL(page.url()).hash).toBe(`#/app/${portal.app('Stock Room').id}`);
  });

  test('a card of an app has no line for a state that it does not have', async ({ page, portal }) => {
    await page.route('**/portal-backend/api/apps/states', (route) =>
      route.fulfill({
        json: { apps: [{ appId: portal.app('Farm Inputs').id, states: ['locked-app'] }], problems: [], pending: 0 },
      }),
    );
    await page.setViewportSize({ width: 360, height: 740 });
    await arrive(page, '/apps');
    await seen(page.getByText('Locked', { exact: true }));
    /** How much is between the name of an app and its address. */
    const readGap = (name: string) =>
      page
        .locator('tbody tr')
        .filter({ has: page.getByRole('rowheader', { name }) })
        .evaluate((card) => {
          const [title, address] = [card.querySelector('th'), card.querySelector('[data-label="fqdn"]')];
          return (address?.getBoundingClientRect().top ?? 0) - (title?.getBoundingClientRect().bottom ?? 0);
        });
    expect(await readGap('Farm Inputs')).toBeGreaterThan(20);
    expect(await readGap('Stock Room')).toBeLessThan(1);
  });

  test('an app with a long name and two states takes one line at 960 px', async ({ page, portal }) => {
    const name = 'Chronic Medicine Dispensing';
    await page.route('**/portal-backend/api/**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('"Clinic Visits"', `"${name}"`) });
    });
    const { id } = portal.app('Clinic Visits');
    await page.route('**/portal-backend/api/apps/states', (route) =>
      route.fulfill({
        json: { apps: [{ appId: id, states: ['halted-sync', 'failing-function'] }], problems: [], pending: 0 },
      }),
    );
    await page.setViewportSize({ width: 960, height: 700 });
    await arrive(page, '/apps');
    const row = page.locator('tbody tr').filter({ hasText: name });
    await seen(row.getByText('Sync halted'));
    await seen(row.getByRole('button', { name: `Copy id ${id}` }));
    // Two lines of text need more.
    await expect.poll(async () => (await row.boundingBox())?.height).toBeLessThan(45);
  });

  test('hides the id at 750 px and less, and on mobile devices', async ({ page, visit }) => {
    await page.setViewportSize({ width: 751, height: 800 });
    await arrive(page, '/apps');
    const id = page.getByRole('columnheader', { name: 'id', exact: true });
    await seen(id);
    await page.setViewportSize({ width: 750, height: 800 });
    await gone(id);

    const userAgent = 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/156.0.0.0 Mobile Safari/537.36';
    const phone = await visit.open({ userAgent, viewport: { width: 1000, height: 800 } });
    await arrive(phone, '/apps');
    await seen(phone.getByText('Clinic Visits').first());
    expect(await phone.getByRole('columnheader', { name: 'id', exact: true }).count()).toBe(0);
  });

  test('shows one app when the URL names it', async ({ page, portal }) => {
    await arrive(page, `/apps/${portal.app('Stock Room').id}`);
    await expect.poll(() => readColumn(page, 'name')).toEqual(['Stock Room']);
  });

  test('keeps the loaded apps when a refresh fails', async ({ page, portal, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    await arrive(page, '/apps');
    await seen(page.getByText('Clinic Visits').first());
    portal.helium.faults.set({ path: '/helium/api/v2/app', mode: 'error500' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await seen(page.getByRole('alert').filter({ hasText: 'Unable to reload the apps' }));
    await expect.poll(() => readColumn(page, 'name')).toEqual(['Clinic Visits', 'Farm Inputs', 'Stock Room']);
    portal.helium.faults.clear();
  });
});
