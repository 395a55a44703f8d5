import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { arrive, demo, fillSignIn, gone, seen, select } from './user-actions.ts';

describe('when the connection to the server is lost', () => {
  test('one banner says so, what was loaded stays, and it recovers by itself', async ({ page, portal, visit }) => {
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

  test('a screen that was not fetched yet says so, and comes when the connection is back', async ({
    portal,
    visit,
  }) => {
    // In a context of its own nothing is in the browser's cache.
    const page = await visit.open({});
    visit.trouble.expect(/ERR_|preload|dynamically imported/);
    const app = portal.app('Clinic Visits');
    await arrive(page, '/');
    portal.line.down();
    await page.goto(`/#/scheduledfunctions/${app.id}`);
    await seen(page.getByRole('heading', { name: 'This page could not be shown' }));
    portal.line.restore();
    await page.getByRole('button', { name: 'Try again' }).click();
    await seen(page.getByText('closeOldVisits').first());
  });
});

describe('when the session ended on the server', () => {
  test('the sign-in comes, and afterwards the page where one was', async ({ page, portal, visit }) => {
    visit.trouble.expect(/401/);
    const app = portal.app('Clinic Visits');
    await arrive(page, `/config/${app.id}`);
    await seen(select(page, 'Locked or unlocked'));
    await page.request.delete('/portal-backend/api/session', { headers: { origin: portal.origin } });
    await page.goto(`/#/scheduledfunctions/${app.id}`);
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
    await fillSignIn(page, demo);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await seen(page.getByText('closeOldVisits').first());
    expect(new URL(page.url()).hash).toBe(`#/scheduledfunctions/${app.id}`);
  });
});

describe('when the platform is in trouble at the sign-in', () => {
  for (const [mode, text] of [
    ['error500', /Error logging in: .+ \(\d{3}\)/],
    ['html', /Error logging in: .+ \(\d{3}\)/],
    ['half-body', /Error logging in: .+ \(\d{3}\)/],
    ['refuse', /Error logging in: .+ \(\d{3}\)/],
  ] as const) {
    test(`${mode}: says the status in the specified words`, async ({ page, portal, visit }) => {
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

  test('environments that cannot be fetched are told', async ({ page, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    await page.route('**/portal-backend/api/environments', (route) => route.fulfill({ status: 500, body: '' }));
    await page.goto('/');
    await seen(page.getByText(/^Error fetching environments: /));
  });
});

describe('when the platform is in trouble at a reload', () => {
  test('the session is kept: what is wrong is said, and a try later goes on where one was', async ({
    page,
    portal,
    visit,
  }) => {
    visit.trouble.expect(/50[0-9]/);
    const app = portal.app('Clinic Visits');
    await arrive(page, `/scheduledfunctions/${app.id}`);
    portal.helium.faults.set({ path: '/helium/api/v2/app', mode: 'error500' });
    await page.reload();
    await seen(page.getByRole('alert').filter({ hasText: '500' }));
    portal.helium.faults.clear();
    await page.getByRole('button', { name: 'Try again' }).click();
    await seen(page.getByText('closeOldVisits').first());
    await seen(page.getByText('Signed into Production as demo'));
  });
});
