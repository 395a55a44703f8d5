// @module-tag long

import { formatSkippedEntries, skippedEntriesHeader } from '@portal/contract/skipped-entries';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from './test.ts';
import { answerDialog, arrive, gone, readColumn, seen } from './user-actions.ts';

describe('scheduled functions', () => {
  test('lists functions with schedule, unit, name and state, grouped by unit', { tags: 'short' }, async ({
    page,
    portal,
  }) => {
    const app = portal.app('Clinic Visits');
    await arrive(page, `/scheduledfunctions/${app.id}`);
    await seen(functionRow(page, 'closeOldVisits').getByText('15 2 * * *'));
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
    await expect
      .poll(() => crumbs.getByRole('listitem').allTextContents())
      .toEqual(['Home', 'Apps', 'Scheduled Functions Clinic Visits']);
    expect((await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim())).toEqual([
      'Schedule',
      'Unit',
      'Function',
      'State',
      'Last result',
      'Next run',
      'Actions',
    ]);
    const units = await readColumn(page, 'Unit');
    expect(units).toHaveLength(5);
    expect(units).toEqual([...units].sort());
  });

  test('shows the next run by the clock of the schedules, with its offset, and names the clocks of the page', async ({
    visit,
    portal,
  }) => {
    for (const [timezoneId, clocks] of [
      ['Africa/Johannesburg', /^Times: Africa\/Johannesburg, UTC\+02:00$/],
      [
        'America/New_York',
        /^Planned times: Africa\/Johannesburg, UTC\+02:00\. Other times: America\/New_York, UTC-0[45]:00\.$/,
      ],
    ] as const) {
      const page = await visit.open({ timezoneId });
      await arrive(page, `/scheduledfunctions/${portal.app('Clinic Visits').id}`);
      await seen(functionRow(page, 'closeOldVisits').getByText(/, 02:15 \+02:00$/));
      await seen(page.getByRole('contentinfo').getByText(clocks));
    }
  });

  test('goes by the server’s clock where the computer’s is a day fast', async ({ visit, portal }) => {
    const page = await visit.open({});
    await page.clock.install({ time: Date.now() + 24 * 3_600_000 });
    await arrive(page, `/scheduledfunctions/${portal.app('Clinic Visits').id}`);
    await seen(functionRow(page, 'closeOldVisits').getByText(/^in /));
    await seen(page.getByRole('contentinfo').getByText(/^The clock of this computer is .+ fast\./));
  });

  test('shows how many entries of the platform could not be read, with the reasons', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await page.route('**/get-scheduled-events/', async (route) => {
      const response = await route.fetch();
      const skipped = formatSkippedEntries(['entry 6: state: "PAUSED" is unknown', 'entry 7: not an object']);
      await route.fulfill({ response, headers: { ...response.headers(), [skippedEntriesHeader]: skipped } });
    });
    await arrive(page, `/scheduledfunctions/${app.id}`);
    await page.getByText('2 entries of the platform could not be read').click();
    await seen(page.getByText('entry 6: state: "PAUSED" is unknown'));
    await seen(functionRow(page, 'closeOldVisits'));
  });

  test('stops a function when it is disabled, and runs it again when it is enabled', { tags: 'short' }, async ({
    page,
    portal,
  }) => {
    const app = portal.app('Clinic Visits');
    const noon = new Date('2026-11-18T10:00:00Z');
    const ran = async () => (await portal.helium.runDue(noon)).map(({ qualifiedName }) => qualifiedName);
    expect(await ran()).toContain('Reminders:sendReminders');

    await arrive(page, `/scheduledfunctions/${app.id}`);
    const row = functionRow(page, 'sendReminders');
    await row.getByRole('button', { name: 'Toggle' }).click();
    await answerDialog(page, 'Disable this function?', 'Disable');
    await seen(row.getByText('Disabled'));
    expect(await ran()).not.toContain('Reminders:sendReminders');

    await row.getByRole('button', { name: 'Toggle' }).click();
    await answerDialog(page, 'Enable this function?', 'Enable');
    await seen(row.getByText('Enabled'));
    expect(await ran()).toContain('Reminders:sendReminders');
  });

  test('offers to undo a toggle outside production in its message, and from the configuration', async ({
    page,
    portal,
  }) => {
    const app = portal.app('Farm Inputs');
    await arrive(page, `/scheduledfunctions/${app.id}`, { environment: 'Staging' });
    const row = page.getByRole('row').nth(1);
    const messages = page.getByRole('status', { name: 'Messages' });
    await row.getByRole('button', { name: 'Toggle' }).click();
    await seen(row.getByText('Disabled'));
    await messages.getByRole('button', { name: 'Undo' }).click();
    await seen(row.getByText('Enabled'));
    await expect.poll(() => messages.getByRole('button', { name: 'Undo' }).count()).toBe(0);

    await row.getByRole('button', { name: 'Toggle' }).click();
    await seen(row.getByText('Disabled'));
    await page.getByRole('link', { name: 'Config', exact: true }).click();
    await seen(page.getByText(/^Changed by demo .*: Scheduled function .* disabled\./));
    await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
    await seen(page.getByText(/^Changed by demo .*: Undo: Scheduled function .* enabled\./));
    await page.getByRole('link', { name: 'Functions', exact: true }).click();
    await seen(page.getByRole('row').nth(1).getByText('Enabled'));
  });

  test('shows that no function will run while the app is disabled', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await arrive(page, `/scheduledfunctions/${app.id}`, { environment: 'Staging' });
    await seen(page.getByRole('row').nth(1).getByText('Enabled'));
    const setDisabled = (disabled: boolean) =>
      page.request.post('/portal-backend/api/config/disable-app', {
        data: { appId: app.id, disabled },
        headers: { origin: portal.origin },
      });
    await setDisabled(true);
    await page.reload();
    await seen(page.getByRole('row').nth(1).getByText('Will not run: the app is disabled'));
    await seen(page.getByText('No function runs: the app is disabled.'));
    await setDisabled(false);
    await page.reload();
    await seen(page.getByRole('row').nth(1).getByText(/^in /));
    expect(await page.getByText('Will not run').count()).toBe(0);
  });

  test("shows the result of each function's last run, with the stack trace of a failure", async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await app.run('Reports:exportVisits');
    await app.run('Reminders:callGateway');
    await arrive(page, `/scheduledfunctions/${app.id}`);
    await seen(functionRow(page, 'exportVisits').getByText('OK'));
    await functionRow(page, 'callGateway')
      .getByRole('button', { name: /^Failed/ })
      .click();
    const failure = page.getByRole('dialog', { name: 'Reminders:callGateway' });
    await seen(failure.getByText('java.net.SocketTimeoutException').first());
    await page.keyboard.press('Escape');
    await gone(failure);
  });

  test('shows the newest results first, and offers the indexes that a large table lacks', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await app.run('Reports:exportVisits');
    const sql = 'CREATE INDEX CONCURRENTLY ON "clinic".__scheduled_function_result__ (datetimestampstarted);';
    let respond: () => void = () => undefined;
    const responding = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route('**/debug/scheduled-function', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: [(await response.json())[0]] });
    });
    await page.route('**/debug/last-function-results', async (route) => {
      await responding;
      await route.fulfill({ json: { results: null, isLimited: false, indexStatements: [sql] } });
    });
    await arrive(page, `/scheduledfunctions/${app.id}`);
    await seen(functionRow(page, 'exportVisits').getByText('OK'));
    await seen(functionRow(page, 'runForever').getByText('Reading…'));
    respond();
    await seen(page.getByText('The last result of each function could not be read in time.'));
    await seen(page.getByText(sql));
    await seen(page.getByRole('button', { name: 'Copy SQL of the missing indexes' }));
    await gone(functionRow(page, 'runForever').getByText('Reading…'));
  });

  test('never shows SQL twice while its editor opens', async ({ page, portal }) => {
    await page.addInitScript(() => {
      const look = () => {
        if (document.querySelector('figure:has(pre):has(.cm-editor)')) document.documentElement.dataset.twice = 'yes';
      };
      new MutationObserver(look).observe(document, { childList: true, subtree: true });
    });
    const json = { results: [], isLimited: false, indexStatements: ['CREATE INDEX ON visit (status);'] };
    await page.route('**/debug/last-function-results', (route) => route.fulfill({ json }));
    await arrive(page, `/scheduledfunctions/${portal.app('Clinic Visits').id}`);
    await seen(page.locator('figure .cm-editor'));
    await expect.poll(() => page.locator('html').getAttribute('data-twice')).toBe(null);
  });

  test('says when the results of some functions are not loaded', async ({ page, portal }) => {
    const json = { results: [], isLimited: true, indexStatements: [] };
    await page.route('**/debug/last-function-results', (route) => route.fulfill({ json }));
    await arrive(page, `/scheduledfunctions/${portal.app('Clinic Visits').id}`);
    await seen(page.getByText(/^The app has results of more than 1,000 functions\./));
  });

  test('shows that an app has no functions', async ({ page, portal }) => {
    await arrive(page, `/scheduledfunctions/${portal.app('Stock Room').id}`);
    await seen(page.getByText('No scheduled function could be found for this app.'));
  });

  test('shows the functions without their results', async ({ page, portal, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    const app = portal.app('Farm Inputs');
    await arrive(page, '/apps');
    await page.route('**/debug/scheduled-function', (route) => route.fulfill({ status: 502, body: '' }));
    await page.goto(`/#/scheduledfunctions/${app.id}`);
    await seen(functionRow(page, 'expireVouchers'));
    await seen(page.getByText(/Error getting scheduled-function stats!/));
  });

  test('shows the specified text if the list cannot be loaded', async ({ page, portal, visit }) => {
    visit.trouble.expect(/50[0-9]/);
    portal.helium.faults.set({ path: 'scheduled-events', mode: 'half-body' });
    await arrive(page, `/scheduledfunctions/${portal.app('Farm Inputs').id}`);
    await seen(page.getByText('Error getting scheduled functions!').first());
    portal.helium.faults.clear();
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await seen(functionRow(page, 'expireVouchers'));
  });
});

function functionRow(page: Page, event: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: event, exact: true }) });
}
