// @module-tag long

import { getSessions } from '@portal/contract/sessions';
import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { answerDialog, arrive, demo, fillSignIn, gone, isFocused, seen, select, signInByCall } from './user-actions.ts';

describe('lost connection to the server', () => {
  test('shows one banner, keeps the loaded data, and recovers automatically', { tags: 'short' }, async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/ERR_/);
    const app = portal.app('Clinic Visits');
    await arrive(page, `/scheduledfunctions/${app.id}`);
    await seen(page.getByText('closeOldVisits').first());
    const connection = page.getByRole('status', { name: 'Connection' });

    portal.line.down();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await seen(connection.getByText(/^Connection to the portal lost/));
    await seen(page.getByText('closeOldVisits').first());
    expect(
      await page.getByRole('alert').filter({ hasText: 'Error getting scheduled functions!' }).count(),
    ).toBeLessThan(2);

    portal.line.restore();
    await seen(connection.getByText('Connected to the portal again.'));
    await gone(connection.getByText(/^Connection to the portal lost/));
  });

  test('reports a screen that cannot be fetched, and loads it when the connection is back', async ({
    portal,
    visit,
  }) => {
    // A separate context has an empty browser cache.
    const page = await visit.open({});
    visit.trouble.expect(/ERR_|preload|dynamically imported/);
    const app = portal.app('Clinic Visits');
    await arrive(page, '/');
    portal.line.down();
    await page.goto(`/#/scheduledfunctions/${app.id}`);
    await seen(page.getByRole('heading', { name: 'This page could not be shown' }));
    // The page has reloaded a moment ago, so that it leaves the next time to the button.
    await page.evaluate(() => localStorage.setItem('portal.reloaded-at', String(Date.now())));
    portal.line.restore();
    await page.getByRole('button', { name: 'Try again' }).click();
    await seen(page.getByText('closeOldVisits').first());
  });
});

describe('lost connection between the server and the sync service', () => {
  test('names the part that is unavailable, and refreshes the page when it is back', async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/502/);
    const connection = page.getByRole('status', { name: 'Connection' });
    portal.syncLine.down();
    await arrive(page, '/sync');
    await seen(
      connection.getByText('The sync service is unavailable. Everything that needs it fails until it is back.'),
    );

    portal.syncLine.restore();
    await seen(connection.getByText('All parts of the portal are available again.'));
    await gone(connection.getByText(/is unavailable/));
    await seen(page.getByText(/^No Helium Journey Integrations found/));
  });
});

describe('session that ended on the server', () => {
  test('shows the sign-in, and then returns to the previous page', { tags: 'short' }, async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/401/);
    const app = portal.app('Clinic Visits');
    await arrive(page, `/config/${app.id}`);
    await seen(select(page, 'Locked or unlocked'));
    await page.request.delete('/portal-backend/api/session', { headers: { origin: portal.origin } });
    await page.goto(`/#/scheduledfunctions/${app.id}`);
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
    expect(await page.getByLabel('Username').inputValue()).toBe('demo');
    await fillSignIn(page, demo);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await seen(page.getByText('closeOldVisits').first());
    expect(new URL(page.url()).hash).toBe(`#/scheduledfunctions/${app.id}`);
  });
});

describe('platform failure at the sign-in', () => {
  for (const [mode, text] of [
    ['error500', /Error logging in: .+ \(\d{3}\)/],
    ['html', /Error logging in: .+ \(\d{3}\)/],
    ['half-body', /Error logging in: .+ \(\d{3}\)/],
    ['refuse', /Error logging in: .+ \(\d{3}\)/],
  ] as const) {
    test(`${mode}: shows the status in the specified words`, async ({ page, portal, visit }) => {
      visit.trouble.expect(/50[0-9]/);
      await page.goto('/');
      await fillSignIn(page, demo);
      portal.helium.faults.set({ path: '/helium/api/v2/app', mode });
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await seen(page.getByText(text));
      portal.helium.faults.clear();
      await page.getByRole('button', { name: 'Sign In', exact: true }).click();
      await seen(page.getByText('Signed into Production as demo'));
    });
  }

  test('reports that environments cannot be fetched', async ({ page, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    await page.route('**/portal-backend/api/environments', (route) => route.fulfill({ status: 500, body: '' }));
    await page.goto('/');
    const problem = page.getByText(/^Error fetching environments: /);
    await seen(problem);
    await page.unroute('**/portal-backend/api/environments');
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await gone(problem);
    await expect.poll(() => isFocused(page.getByRole('combobox'))).toBe(true);
  });
});

describe('platform failure', () => {
  const appsFail = { path: '/helium/api/v2/app', mode: 'error500' } as const;

  test('leaves the last app list at a reload', async ({ page, portal, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    await arrive(page, `/scheduledfunctions/${portal.app('Clinic Visits').id}`);
    await seen(page.getByText('closeOldVisits').first());
    portal.helium.faults.set(appsFail);
    await page.reload();
    await seen(page.getByText('closeOldVisits').first());
    await seen(page.getByText('Signed into Production as demo'));
  });

  test('shows the shell, the last known list and the reason at a reload, and everything that needs no platform', async ({
    page,
    visit,
    portal,
  }) => {
    visit.trouble.expect(/502/);
    await arrive(page, '/apps');
    await seen(page.getByRole('link', { name: 'Clinic Visits', exact: true }));
    let isDown = true;
    await page.route('**/portal-backend/api/apps', (route) =>
      isDown
        ? route.fulfill({
            status: 502,
            json: {
              kind: 'unreachable',
              message: 'The Helium platform responded with status 500.',
              requestId: 'req-7',
            },
          })
        : route.fallback(),
    );
    await page.reload();
    const line = page.getByRole('status', { name: 'Apps' });
    await seen(line.getByText('Your apps are those of the last successful load: The Helium platform responded with'));
    await seen(line.getByText('Request req-7'));
    await seen(page.getByRole('link', { name: 'Clinic Visits', exact: true }));
    for (const [route, title] of [
      ['/support-roster', 'Support Roster'],
      ['/deployments', 'Deployments'],
      ['/audit', 'Audit'],
    ] as const) {
      await page.goto(`/#${route}`);
      await seen(page.getByRole('heading', { level: 1, name: title }));
    }
    await page.goto('/#/config/unknown');
    await seen(page.getByText('The app with the id unknown is not among the last known apps'));
    isDown = false;
    await line.getByRole('button', { name: 'Try again' }).click();
    await gone(line.getByText('last successful load'));
    expect(await page.evaluate(() => sessionStorage.getItem('portal.last-apps'))).toContain(
      portal.app('Farm Inputs').id,
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await answerDialog(page, 'Going so soon?', 'Sign me out!');
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
    expect(await page.evaluate(() => sessionStorage.getItem('portal.last-apps'))).toBe('null');
  });

  test('shows why the list of apps is only the last known one', async ({ page, portal, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    await arrive(page, '/apps');
    portal.helium.faults.set(appsFail);
    // Has the effect of a minute.
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.reload();
    const line = page.getByRole('status', { name: 'Apps' });
    await seen(line.getByText(/last successful load: .*500/));
    await seen(line.getByText(/Request /));
    portal.helium.faults.clear();
    await line.getByRole('button', { name: 'Try again' }).click();
    await gone(line.getByText('last successful load'));
  });

  test('opens the portal without any list of apps, reports why, and loads it on a retry', async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/50[0-9]/);
    await signInByCall(page);
    const { sessions } = getSessions.response.parse(
      await (await page.request.get('/portal-backend/api/sessions')).json(),
    );
    portal.helium.faults.set(appsFail);
    // As on a server that has just started.
    for (const { id } of sessions) portal.server.dependencies.appLists.invalidate(id);
    await page.goto(`/#/scheduledfunctions/${portal.app('Clinic Visits').id}`);
    const line = page.getByRole('status', { name: 'Apps' });
    await seen(line.getByText(/^Your apps could not be loaded: .*500/));
    await seen(page.getByText('Signed into Production as demo'));
    await page.goto('/#/apps');
    await seen(page.getByText(/^No list from .*\/helium\/api\/v2\/app$/));
    await page.goto('/#/support-roster');
    await seen(page.getByRole('heading', { level: 1, name: 'Support Roster' }));
    await page.goto(`/#/scheduledfunctions/${portal.app('Clinic Visits').id}`);
    portal.helium.faults.clear();
    await line.getByRole('button', { name: 'Try again' }).click();
    await seen(page.getByText('closeOldVisits').first());
    await gone(line.getByText('Your apps could not be loaded'));
  });
});
