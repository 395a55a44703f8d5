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
  test('and shows its screen', async ({ page, portal, visit }) => {
    // Nobody has made an integration for this app, or a dashboard.
    visit.trouble.expect(/404 .*(sync\/api\/get|sync-dashboard)\//);
    await arrive(page, '/');
    for (const route of routes) {
      for (const address of [route, `${route}/`]) {
        await page.goto(`/#${address.replace('APP', portal.app('Clinic Visits').id).replace('//', '/')}`);
        await seen(page.getByRole('heading', { level: 1 }));
        expect(await page.getByText(/not found/i).count(), address).toBe(0);
      }
    }
  });

  test('/app without a matching app goes back to the apps list', async ({ page }) => {
    await arrive(page, '/');
    for (const address of ['/app', '/app/', '/app/nobody']) {
      await page.goto(`/#${address}`);
      await seen(page.getByText('3 apps found from'));
      expect(new URL(page.url()).hash).toMatch(/^#\/apps\/?$/);
    }
  });

  test('/signin is the sign-in, and home for those who are signed in', async ({ page }) => {
    await page.goto('/#/signin/');
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
    await arrive(page, '/signin');
    await page.reload();
    await seen(page.getByText('DevOps Deployments'));
  });

  test('an unknown route says so, with a way on', async ({ page }) => {
    await arrive(page, '/no/such/place');
    await seen(page.getByText(/not found|no such/i).first());
    await seen(page.getByRole('main').getByRole('link').first());
  });
});
