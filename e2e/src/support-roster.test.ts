// @module-tag long

import { getRoster, type RosterRow } from '@portal/contract/support-roster';
import { writeCalendar, writeRotationFeed } from '@portal/simulators/roster/rotation-feed';
import { startRosterSimulator } from '@portal/simulators/roster/simulator';
import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { expectActionsInSight } from './hidden-actions.ts';
import { createTest } from './test.ts';
import { answerDialog, arrive, chooseOption, gone, isFocused, readColumn, seen, select } from './user-actions.ts';

const team = 'Night Shift';
const dayMs = 24 * 3_600_000;

const rotation = { timeZone: 'Africa/Johannesburg', people: ['Thabo Mokoena', 'Naledi Khumalo'], swapEvery: 10_000 };

const [weekStart] = new Date(Date.now() - 3 * dayMs).toISOString().split('T');
const busy = writeCalendar([
  ['UID:1', 'SUMMARY:Busy', `DTSTART;VALUE=DATE:${weekStart?.replaceAll('-', '')}`, 'DURATION:P7D'],
]);

const rosters = await startRosterSimulator({
  feeds: { busy: () => busy, health: () => writeRotationFeed(rotation, new Date()), broken: () => 'no calendar' },
  pagerDuty: {
    token: 'secret',
    users: [{ id: 'PU1', name: 'Lerato Nkosi', phone: { country_code: 27, address: '825550131' } }],
    scheduleIds: [],
    shiftBasedScheduleIds: ['P1'],
  },
});
// The coming month is read first; what follows it is not.
rosters.faults.set({ path: '/v3/schedules/', mode: 'error500', skip: 2 });
afterAll(() => rosters.stop());

const test = createTest({
  teams: [team, 'Field Support', 'Health'].map((name) => ({ name, apps: ['clinic_visits_001'] })),
  supportRoster: {
    teams: [
      { name: team },
      { name: 'Field Support', environments: ['Production'] },
      { name: 'Health', calendar: rosters.feedUrl('health') },
      { name: 'Farming', calendar: rosters.feedUrl('broken') },
      { name: 'Stock', pagerDutySchedule: 'P1' },
      { name: 'Hidden', calendar: rosters.feedUrl('busy') },
    ],
    pagerDuty: { baseUrl: rosters.pagerDutyUrl, token: 'secret' },
    people: rotation.people.map((name, at) => ({ name, number: `+27 82 555 014${at}` })),
  },
});

describe('support roster', () => {
  test('requires a project, and stores it in the URL', async ({ page }) => {
    await arrive(page, '/support-roster');
    await seen(page.getByText('Select a Project to view team members'));
    await chooseOption(page, select(page, 'Project'), 'Field Support');
    await seen(page.getByRole('heading', { level: 2, name: 'Team members' }));
    await expect.poll(() => decodeURI(new URL(page.url()).hash)).toBe('#/support-roster/Field Support');
    const heads = await table(page, 'Team members').getByRole('columnheader').allInnerTexts();
    expect(heads.map((text) => text.trim())).toEqual(['#', 'Name', 'Number', 'Date', 'From – until']);
    await page.reload();
    await expect.poll(() => select(page, 'Project').inputValue()).toBe('Field Support');
  });

  test('reports an unknown team', async ({ page }) => {
    await arrive(page, '/support-roster/Unknown');
    await seen(page.getByText('There is no support team “Unknown”.'));
  });

  test('adds, changes and deletes shifts, and shows the number to call', { tags: 'short' }, async ({ page }) => {
    await arrive(page, `/support-roster/${team}`);
    await seen(onCall(page).getByText('No one is on call'));
    await page.getByRole('button', { name: 'Add shift' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a shift' });
    const save = dialog.getByRole('button', { name: 'Save' });
    await save.click();
    await seen(dialog.getByText('Please enter a name'));
    await expect.poll(() => isFocused(dialog.getByLabel('Name'))).toBe(true);
    await dialog.getByLabel('Name').fill('Thandi Nkosi');
    await save.click();
    await seen(dialog.getByText('Please enter when the shift begins'));
    await expect.poll(() => isFocused(dialog.getByLabel('From'))).toBe(true);
    await dialog.getByLabel('From').fill(wallClock(Date.now() - dayMs));
    await dialog.getByLabel('Until').fill(wallClock(Date.now() - 2 * dayMs));
    await save.click();
    await seen(dialog.getByText('The shift must end after it begins'));
    await dialog.getByLabel('Until').fill(wallClock(Date.now() + dayMs));
    await dialog.getByLabel('Number').fill('+27 82 555 0167');
    await save.click();
    await gone(dialog);

    await seen(onCall(page).getByText('Thandi Nkosi'));
    const row = rowsOf(page, 'Team members').filter({ hasText: 'Thandi Nkosi' });
    await seen(row.getByText('On call now'));
    await expectActionsInSight(page, 'shifts');
    await expect.poll(() => row.getByRole('link').getAttribute('href')).toBe('tel:+27825550167');
    await expect.poll(() => onCall(page).getByRole('link').innerText()).toBe('+27 82 555 0167');

    await page.getByRole('button', { name: 'Change the shift of Thandi Nkosi' }).click();
    const change = page.getByRole('dialog', { name: 'Change the shift' });
    await change.getByLabel('Name').fill('Sipho Dlamini');
    await change.getByRole('button', { name: 'Save' }).click();
    await gone(change);
    await seen(onCall(page).getByText('Sipho Dlamini'));

    await page.getByRole('button', { name: 'Remove the shift of Sipho Dlamini' }).click();
    await answerDialog(page, 'Remove this shift?', 'Remove');
    await seen(onCall(page).getByText('No one is on call'));
    await seen(page.getByText('No one is on the roster this year.'));
    expect(await page.getByText('This team has no shifts yet.').count()).toBe(0);
  });

  test('offers the changes of the shifts in the palette, as actions of the page', async ({ page }) => {
    await arrive(page, `/support-roster/${team}`);
    await seen(page.getByRole('button', { name: 'Add shift' }));
    for (const [action, title] of [
      ['Add shift', 'Add a shift'],
      ['Import CSV', 'Import shifts from CSV'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find apps and screens' }).fill(action);
      await page.getByRole('option', { name: `${action} On this page` }).click();
      await seen(page.getByRole('dialog', { name: title }));
      await page.keyboard.press('Escape');
      await gone(page.getByRole('dialog'));
    }
  });

  test('finds who is on call in the palette, by name and by team', async ({ page }) => {
    await arrive(page, '/apps');
    const person = new RegExp(`^On call · (${rotation.people.join('|')})`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find apps and screens' }).fill('on call health');
    const option = page.getByRole('option', { name: person });
    const name = (await option.innerText()).match(person)?.[1] ?? '';
    await page.getByRole('combobox', { name: 'Find apps and screens' }).fill(name);
    await option.click();
    await seen(page.getByRole('heading', { level: 1, name: 'Health' }));
  });

  test('imports CSV after its errors are fixed, opens at the current day, and shows progress after a reload', async ({
    page,
    portal,
  }) => {
    await arrive(page, `/support-roster/${team}`);
    await page.getByRole('button', { name: 'Import CSV' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import shifts from CSV' });
    // The list has the shifts of this year.
    const yearEndMs = Date.parse(`${Number(wallClock(Date.now()).slice(0, 4)) + 1}-01-01T00:00+02:00`);
    const nextMins = Math.min(1440, Math.floor((yearEndMs - Date.now()) / 60_000) - 1);
    const over = Array.from({ length: 12 }, (_, at) => shiftLine(`Over ${at}`, -2, -1));
    const lines = [...over, shiftLine('Lerato Mokoena', -1, nextMins), shiftLine('Chanda Mwansa', nextMins, 2880)];
    await dialog.getByLabel('CSV').fill(`name,number,start,end\n${lines.join('\n')}\n,,2026-11-23 08:00,soon`);
    await seen(dialog.getByText('Line 16: Please enter a name.'));
    await expect.poll(() => dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel('CSV').fill(`name,number,start,end\n${lines.join('\n')}`);
    await seen(dialog.getByRole('table').getByText('Over 0'));
    await dialog.getByRole('button', { name: 'Import 14 shifts' }).click();
    await gone(dialog);
    await seen(onCall(page).getByText('Lerato Mokoena'));
    await seen(onCall(page).getByText('Chanda Mwansa'));

    await page.goto('/#/support-roster');
    await chooseOption(page, select(page, 'Project'), team);
    await seen(rowsOf(page, 'Team members').filter({ hasText: 'Lerato Mokoena' }).getByText('On call now'));
    await seen(table(page, 'Team members').getByText('11–14 of 14'));
    await page.getByRole('searchbox', { name: /Team members/ }).fill('lerato');
    await seen(table(page, 'Team members').getByText('1–1 of 1, found in 14'));

    // Another node runs an import of the team.
    const { pool } = portal.server.dependencies;
    await pool.query("update roster_import set state = 'running', added = 300, total = 1200, updated_at = 'infinity'");
    await page.reload();
    const progress = page.getByRole('progressbar', { name: 'Shift import' });
    await expect.poll(() => progress.getAttribute('aria-valuenow')).toBe('25');
    await seen(page.getByText('demo is importing 1,200 shifts: 300 added so far.'));
    await pool.query("update roster_import set state = 'done'");
    await seen(page.getByText('1,200 shifts imported.'));
    await gone(progress);
  });

  test('shows the age of a calendar, which is edited at its source', async ({ page }) => {
    await arrive(page, '/support-roster/Health');
    const [first = '', second = ''] = rotation.people;
    await seen(onCall(page).getByText(first));
    await seen(onCall(page).getByText(second));
    await seen(onCall(page).getByText(/^From the team’s calendar, read /));
    await seen(rowsOf(page, 'Team members').getByText('On call now'));
    expect(await page.getByRole('button', { name: 'Add shift' }).count()).toBe(0);
  });

  test('shows who is on call for each team now and next, and calls them without a detour', async ({ page }) => {
    const [first = '', second = ''] = rotation.people;
    await arrive(page, '/support-roster');
    const row = rowsOf(page, 'On call now').filter({ hasText: 'Health' });
    const [now, next] = [row.getByRole('cell').nth(0), row.getByRole('cell').nth(1)];
    await seen(now.getByText(/^until /));
    await seen(next.getByText(/^from /));
    const names = async () => [await now.locator('strong').innerText(), await next.locator('strong').innerText()];
    await expect.poll(async () => (await names()).toSorted()).toEqual([second, first]);
    await expect.poll(() => now.getByRole('link').getAttribute('href')).toMatch(/^tel:\+278255501/);
    await expect.poll(() => next.getByRole('link').getAttribute('href')).toMatch(/^tel:\+278255501/);
    await page.getByRole('searchbox', { name: /On call now/ }).fill('health');
    await seen(table(page, 'On call now').getByText('1–1 of 1, found in 6'));
    await row.getByRole('link', { name: 'Health' }).click();
    await seen(page.getByRole('heading', { level: 1, name: 'Health' }));
  });

  test('shows who is on call at any moment, and keeps the moment in the URL', async ({ page, portal }) => {
    const [from, until] = [new Date(Date.now() + 100 * dayMs), new Date(Date.now() + 101 * dayMs)];
    await portal.server.dependencies.pool.query(
      `insert into roster_shift (environment, team, name, starts_at, ends_at)
       values ('Production', 'Field Support', 'Neo Sithole', $1, $2)`,
      [from, until],
    );
    await arrive(page, '/support-roster');
    const field = page.getByLabel('On call at');
    await field.fill(wallClock(from.getTime() + dayMs / 2));
    const then = rowsOf(page, 'On call then').filter({ hasText: 'Field Support' });
    await seen(then.getByRole('cell').nth(0).getByText('Neo Sithole'));
    await page.reload();
    await seen(then.getByText('Neo Sithole'));
    await chooseOption(page, select(page, 'Project'), 'Field Support');
    await seen(onCall(page).getByText('Neo Sithole'));
    await seen(onCall(page).getByText('Gaps in the 30 days after'));
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await seen(onCall(page).getByText('No one is on call'));
    await expect.poll(() => decodeURI(new URL(page.url()).hash)).toBe('#/support-roster/Field Support');
    await portal.server.dependencies.pool.query("delete from roster_shift where team = 'Field Support'");
  });

  test('rows of the roster keep their places while the pointer is on them', async ({ page }) => {
    await page.clock.install();
    const shift = (name: string, date: string): RosterRow => {
      const [start, end] = [`${date}T06:00:00.000Z`, `${date}T18:00:00.000Z`];
      return { name, number: null, date, start, end, personId: name };
    };
    let shifts = [shift('Neo', '2020-01-02'), shift('Neo', '2020-01-02'), shift('Thandi', '2020-01-03')];
    await page.route(`**${getRoster.path}`, (route) => route.fulfill({ json: shifts }));
    await arrive(page, '/support-roster/Health');
    await expect.poll(() => readColumn(page, 'Name')).toEqual(['Neo', 'Neo', 'Thandi']);
    await rowsOf(page, 'Team members').last().hover();
    shifts = [shift('Sipho', '2020-01-01'), ...shifts];
    const refreshed = page.waitForResponse(`**${getRoster.path}`);
    await page.clock.fastForward(60_000);
    await refreshed;
    await seen(page.getByRole('button', { name: 'Order changed: sort again' }));
    expect(await readColumn(page, 'Name')).toEqual(['Neo', 'Neo', 'Thandi', 'Sipho']);
  });

  test('shows why a calendar cannot be read', async ({ page, visit }) => {
    visit.trouble.expect(/502/);
    await arrive(page, '/support-roster/Farming');
    await seen(onCall(page).getByText(/Could not be read yet: /));
    await seen(onCall(page).getByText('Not known', { exact: true }));
    await seen(table(page, 'Team members').getByRole('alert'));
    await page.goto('/#/support-roster');
    const farming = rowsOf(page, 'On call now').filter({ hasText: 'Farming' });
    await seen(farming.getByText('No one is known to be on call'));
    await seen(farming.getByText(/calendar/i));
  });

  test('shows beside the team what its roster may lack, and what was left out', async ({ page }) => {
    await arrive(page, '/support-roster/Stock');
    await seen(onCall(page).getByText('Lerato Nkosi'));
    await seen(onCall(page).getByText(/^From PagerDuty, read /));
    const warnings = onCall(page).getByRole('list', { name: 'About the roster of Stock' });
    await seen(
      warnings.getByText(/^The shifts from [-0-9]+ to [-0-9]+ are not known\. .+ returned status 500\.$/).first(),
    );
    await page.goto('/#/support-roster');
    const row = (name: string) => rowsOf(page, 'On call now').filter({ hasText: name });
    await seen(
      row('Stock')
        .getByText(/are not known/)
        .first(),
    );
    await seen(row('Hidden').getByText('No one is known to be on call'));
    await seen(row('Hidden').getByText(/^All events are called “Busy”: /));
  });

  test('stays usable if the shifts of the year cannot be loaded', async ({ page, visit }) => {
    visit.trouble.expect(/502/);
    const away = { kind: 'unreachable', requestId: 'r-8', message: 'The calendar did not answer.' };
    await page.route('**/support-roster/roster', (route) => route.fulfill({ status: 502, json: away }));
    await arrive(page, '/support-roster/Field Support');
    const problem = table(page, 'Team members').getByRole('alert');
    await seen(problem.getByText('The calendar did not answer.'));
    await seen(onCall(page).getByText('No one is on call'));
    await page.unroute('**/support-roster/roster');
    await problem.getByRole('button', { name: 'Try again' }).click();
    await seen(page.getByText('No one is on the roster this year.'));
  });
});

function onCall(page: Page): Locator {
  return page.getByRole('region', { name: 'On call', exact: true });
}

function table(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

function rowsOf(page: Page, name: string): Locator {
  return table(page, name).locator('tbody tr:not([inert])');
}

/** Formats a time in Johannesburg, which is UTC+2 all year, as a datetime input expects it. */
function wallClock(atMs: number): string {
  return new Date(atMs + 2 * 3_600_000).toISOString().slice(0, 16);
}

/** From and until this many minutes from now. */
function shiftLine(name: string, fromMins: number, untilMins: number): string {
  const at = (mins: number) => wallClock(Date.now() + mins * 60_000).replace('T', ' ');
  return [name, '', at(fromMins), at(untilMins)].join(',');
}
