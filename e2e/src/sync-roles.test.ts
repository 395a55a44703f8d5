/** The sync screens for users with read access only, and for users without access. */
import { saveSyncDashboard } from '@portal/contract/sync/dashboards';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { violations } from './axe-violations.ts';
import { createIntegration } from './create-integration.ts';
import { readFaintValues } from './faint-values.ts';
import type { Portal } from './portal.ts';
import { createTest } from './test.ts';
import { arrive, seen } from './user-actions.ts';

const test = createTest({
  roles: [
    { role: 'admin', users: ['demo'] },
    { role: 'viewer', users: ['health.dev'] },
  ],
});

const viewer = { userName: 'health.dev', password: 'health' };
const reason =
  'You need the role maintainer or admin to change sync integrations in Production; you have the role viewer.';
const dashboardReason = reason.replace('sync integrations', 'sync dashboards');

/** A user with permission has created an integration and a dashboard with it. */
async function makeSync(page: Page, portal: Portal): Promise<string> {
  await arrive(page, '/');
  const app = portal.app('Clinic Visits');
  await createIntegration(page, app, 'helium-app-1');
  const saved = await page.request.post(saveSyncDashboard.path, {
    data: { name: 'Health', appIds: [app.id] },
    headers: { origin: portal.origin },
  });
  expect(saved.ok()).toBe(true);
  return app.id;
}

/** Checks that the control is visible, explains why it is unavailable, and does nothing. */
async function refused(page: Page, button: Locator, why = reason): Promise<void> {
  await seen(button);
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
  await expect.poll(() => button.getAttribute('aria-description')).toBe(why);
  const dialogs = await page.getByRole('dialog').count();
  await button.click({ force: true });
  await expect.poll(() => page.getByRole('dialog').count()).toBe(dialogs);
}

describe('sync viewer', () => {
  test('shows a viewer the integrations and why nothing can be changed, and the server enforces it', async ({
    visit,
    portal,
  }) => {
    const appId = await makeSync(await visit.open(), portal);
    const page = await visit.open();
    await arrive(page, '/sync', { who: viewer });
    const name = 'Clinic Visits';
    await seen(page.getByRole('button', { name: 'Create' }));
    expect(await violations(page)).toEqual([]);
    await refused(page, page.getByRole('button', { name: 'Create' }));
    await refused(page, page.getByRole('button', { name: `Delete ${name}` }));
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    for (const act of ['Enable', 'Disable']) await refused(page, page.getByRole('button', { name: act, exact: true }));

    await page.getByRole('button', { name: `Info ${name}` }).click();
    const dialog = page.getByRole('dialog');
    await refused(
      page,
      dialog.getByRole('button', { name: 'Show' }),
      'You need the role admin to reveal sync passwords in Production; you have the role viewer.',
    );
    await page.goto(`/#/sync?tab=maintenance&records=${appId}`);
    await seen(dialog.getByText(reason));
    expect(await violations(page)).toEqual([]);
    await expect.poll(() => readFaintValues(page)).toEqual([]);
    await refused(page, dialog.getByRole('button', { name: 'Compare both sides' }));
    for (const label of ['Direction', 'Version', 'Type MOVE to confirm'])
      await expect.poll(() => dialog.getByLabel(label).isDisabled()).toBe(true);
    await expect.poll(() => dialog.getByRole('button', { name: 'Move the cursor' }).isDisabled()).toBe(true);

    for (const [path, data] of [
      ['/sync/api/set-enabled', { appIds: [appId], enabled: true }],
      ['/sync/api/audit-drift', { appId }],
      ['/sync/api/reveal-password', { appId }],
    ] as const) {
      const answer = await page.request.post(path, { data, headers: { origin: portal.origin } });
      expect(answer.status(), path).toBe(403);
    }

    await page.goto(`/#/sync/form/${appId}`);
    await seen(page.getByText(reason).first());
    await seen(page.getByRole('button', { name: 'Save', exact: true }));
    expect(await violations(page)).toEqual([]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => readFaintValues(page)).toEqual([]);
    }
    await refused(page, page.getByRole('button', { name: 'Save', exact: true }));
  });

  test('lets a viewer open dashboards and the guide, but not create, change or delete a dashboard', async ({
    visit,
    portal,
  }) => {
    await makeSync(await visit.open(), portal);
    const page = await visit.open();
    await arrive(page, '/sync-dashboard', { who: viewer });
    for (const name of ['Create new', 'Update Health', 'Delete Health'])
      await refused(page, page.getByRole('button', { name }), dashboardReason);
    await page.getByRole('link', { name: 'Health' }).click();
    await refused(page, page.getByRole('button', { name: 'Update', exact: true }), dashboardReason);
    await seen(page.getByRole('rowheader', { name: 'Clinic Visits' }));
    await page.goto('/#/sync-guide');
    await seen(page.getByRole('heading', { name: 'Data types' }));
  });
});

test('shows a user without access the reason on each screen, and the guide', async ({ page }) => {
  // Users without any role cannot sign in, so only a faked response produces this state.
  const why = 'To see sync integrations in Production another role is needed.';
  await page.route('**/portal-backend/api/session', async (route) => {
    const answer = await route.fetch();
    const session = await answer.json();
    await route.fulfill({ response: answer, json: { ...session, refusals: { 'sync.view': why } } });
  });
  await arrive(page, '/sync');
  for (const screen of ['/sync', '/sync/form', '/sync-dashboard', '/sync-dashboard/Health']) {
    await page.goto(`/#${screen}`);
    await seen(page.getByText(why));
    expect(await page.getByRole('table').count(), screen).toBe(0);
    expect(await violations(page), screen).toEqual([]);
  }
  await page.goto('/#/sync-guide');
  await seen(page.getByRole('heading', { name: 'Data types' }));
});
