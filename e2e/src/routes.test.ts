// @module-tag long

import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { arrive, seen } from './user-actions.ts';

const routes = [
  '/',
  '/home',
  '/apps',
  '/apps/APP',
  '/app/APP',
  '/logs/APP',
  '/config/APP',
  '/scheduledfunctions/APP',
  '/audit',
  '/doctor',
  '/schema-access',
  '/deployments',
  '/dbspy',
  '/dbspy/APP',
  '/helium-dev-latest',
  '/support-roster',
  '/support-roster/Team One',
  '/sync',
  '/sync/APP',
  '/sync/form',
  '/sync/form/APP',
  '/sync-guide',
  '/sync-dashboard',
  '/sync-dashboard/Morning',
];

describe('every route of the route table exists, with and without the trailing slash', () => {
  test('every route shows its screen, with a sign-out', { tags: 'short' }, async ({ page, portal, visit }) => {
    // There is no integration for this app, and no dashboard.
    visit.trouble.expect(/404 .*(sync\/api\/get|sync-dashboard)\//);
    await arrive(page, '/');
    for (const route of routes) {
      for (const address of [route, `${route}/`]) {
        await page.goto(`/#${address.replace('APP', portal.app('Clinic Visits').id).replace('//', '/')}`);
        await seen(page.getByRole('heading', { level: 1 }));
        await seen(page.getByRole('button', { name: 'Sign out' }));
        expect(await page.getByText(/not found/i).count(), address).toBe(0);
      }
    }
  });

  test('redirects /app without a matching app to the apps list', async ({ page }) => {
    await arrive(page, '/');
    for (const address of ['/app', '/app/']) {
      await page.goto(`/#${address}`);
      await seen(page.getByText('3 apps found from'));
      expect(new URL(page.url()).hash).toMatch(/^#\/apps\/?$/);
    }
    await page.goto('/#/app/unknown');
    await seen(
      page.getByText('You have no access to an app with the id unknown in Production, so all apps are listed.'),
    );
  });

  test('shows the sign-in at /signin, and home to signed-in users', async ({ page }) => {
    await page.goto('/#/signin/');
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
    await arrive(page, '/signin');
    await page.reload();
    await seen(page.getByText('DevOps Deployments'));
  });

  test('shows an error with a link for an unknown route', async ({ page }) => {
    await arrive(page, '/no/such/place');
    await seen(page.getByText(/not found|no such/i).first());
    await seen(page.getByRole('main').getByRole('link').first());
  });
});
