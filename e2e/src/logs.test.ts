// @module-tag long

import { describe, expect } from 'vitest';
import { collectAnnouncements, readAnnouncements } from './announcements.ts';
import { violations } from './axe-violations.ts';
import {
  chip,
  counts,
  download,
  downloadAll,
  editor,
  getValues,
  isFocused,
  logLines,
  openLog,
  readMarkers,
  streams,
} from './log-page.ts';
import { test } from './test.ts';
import { arrive, seen, showsBriefly } from './user-actions.ts';

const trace = `java.lang.IllegalStateException: no clinic
\tat com.mezzanineware.dsl.Clinic.find(Clinic.java:12)
\tat com.mezzanineware.dsl.Visit.open(Visit.java:88)
Caused by: java.net.SocketTimeoutException: Read timed out
\t... 2 more`;

describe('live logs', () => {
  test('starts with the last minutes and appends new lines; Stop and Play close and open the stream', {
    tags: 'short',
  }, async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    const before = logLines(app, 1, 5);
    await app.logWritten();
    await openLog(page, app);
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem');
    await expect.poll(() => crumbs.allTextContents()).toEqual(['Home', 'Apps', `Log for Clinic Visits (${app.id})`]);
    await counts(page, 5);
    const after = logLines(app, 6, 8);
    await counts(page, 8);
    expect(getValues(await downloadAll(page))).toEqual([...before, ...after]);

    const [play, stop] = [page.getByRole('button', { name: 'Play' }), page.getByRole('button', { name: 'Stop' })];
    await expect.poll(() => play.isDisabled()).toBe(true);
    await stop.click();
    await seen(chip(page, 'Stopped'));
    await expect.poll(() => stop.isDisabled()).toBe(true);
    await expect.poll(() => isFocused(play)).toBe(true);
    await seen(editor(page).getByText('Terminate - Connection to portal backend closed.'));

    const missed = logLines(app, 9, 12);
    await play.press('Enter');
    await expect.poll(() => isFocused(stop)).toBe(true);
    await streams(page, app);
    await counts(page, 12);
    expect(getValues(await downloadAll(page))).toEqual([...before, ...after, ...missed]);
  });

  test('pauses by a key, counts new lines in the meantime, and follows again', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await openLog(page, app);
    logLines(app, 1, 3);
    await seen(editor(page).getByText('line 3'));
    await page.keyboard.press(' ');
    await seen(chip(page, 'Paused (0 new)'));
    logLines(app, 4, 7);
    await seen(chip(page, 'Paused (4 new)'));
    await page.getByRole('button', { name: '4 new records, follow' }).press('Enter');
    await expect.poll(() => isFocused(editor(page))).toBe(true);
    await seen(chip(page, 'Following'));
    await seen(editor(page).getByText('line 7'));
  });

  test('filters by level and keeps a stack trace with its first line', { tags: 'short' }, async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await openLog(page, app);
    app.log({ key: 'INFO', value: 'all is well' }, { key: 'WARNING', value: 'stock is low' });
    app.log({ key: 'SEVERE', value: trace }, { key: 'INFO', value: 'all is well again' });
    await counts(page, 4);
    for (const [level, count] of [
      ['INFO', 2],
      ['WARNING', 1],
      ['SEVERE', 1],
      ['ERROR', 0],
    ] as const) {
      await seen(
        page
          .getByRole('button', { name: `${level}${count}` })
          .or(page.getByRole('button', { name: `${level} ${count}` })),
      );
    }
    await page.getByRole('button', { name: /^INFO/ }).click();
    await seen(page.getByText('2 shown'));
    await expect.poll(() => page.url()).toContain('levels=');
    await expect.poll(() => editor(page).innerText()).not.toContain('all is well');
    const shown = (await editor(page).innerText()).split('\n');
    for (const line of trace.split('\n')) expect(shown.some((other) => other.includes(line.trim()))).toBe(true);

    const file = await download(page, 'Download shown lines as text');
    expect(file).toContain(trace);
    expect(file).not.toContain('all is well');
    await page.getByRole('button', { name: 'All levels' }).click();
    await expect.poll(() => editor(page).innerText()).toContain('all is well again');
  });

  test('searches with regular expressions, match by match, or shows only matches', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    logLines(app, 101, 150);
    await counts(page, 50);
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('line 1[12]5$');
    await seen(page.getByLabel('Search result').getByText('No matches'));
    await page.getByRole('button', { name: 'Regular expression' }).click();
    const result = page.getByLabel('Search result');
    await seen(result.getByText('2 matches'));
    await page.getByRole('button', { name: 'Previous match' }).click();
    await seen(result.getByText('2 of 2 matches'));
    await page.getByRole('button', { name: 'Previous match' }).click();
    await seen(result.getByText('1 of 2 matches'));
    await seen(editor(page).getByText('line 115'));
    await page.getByRole('button', { name: 'Show matches only' }).click();
    await seen(page.getByText('2 shown'));
    const linesShown = async () => (await editor(page).innerText()).match(/line \d+/g);
    await expect.poll(linesShown).toEqual(['line 115', 'line 125']);

    await page.getByRole('searchbox', { name: 'Search the log' }).fill('line [');
    await seen(result.getByText(/./));
    await expect.poll(() => result.getAttribute('data-error')).toBe('true');
    const inAddress = () => new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('find');
    await expect.poll(inAddress).toBe('line [');
    await page.reload();
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search the log' }).inputValue()).toBe('line [');
  });

  test('clears the log, and undoes that', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await counts(page, 0);
    const lines = logLines(app, 21, 24);
    await counts(page, 4);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await counts(page, 0);
    const later = logLines(app, 25, 26);
    await page.getByRole('button', { name: 'Undo clear' }).press('Enter');
    await expect.poll(() => isFocused(page.getByRole('button', { name: 'Clear', exact: true }))).toBe(true);
    await expect.poll(async () => getValues(await downloadAll(page)).slice(-6)).toEqual([...lines, ...later]);
  });

  test('shows a log as it was left, and only the lines since then are new', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    const before = logLines(app, 31, 40);
    await counts(page, 10);
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Apps' }).click();
    await seen(
      page
        .getByRole('heading', { name: /apps found/i })
        .or(page.getByText(/apps found from/))
        .first(),
    );
    const missed = logLines(app, 41, 44);
    await page.goBack();
    await seen(editor(page).getByText('line 40'));
    await counts(page, 14);
    const rows = await downloadAll(page);
    expect(getValues(rows)).toEqual([...before, ...missed]);
    expect(readMarkers(rows)).toContain('Reconnected: nothing lost.');
  });

  test('acts on keys only in the log or on nothing, and announces what they did', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    logLines(app, 51, 53);
    await counts(page, 3);
    await page.getByRole('button', { name: 'Menu' }).press('c');
    await page.getByRole('button', { name: 'Download', exact: true }).press('c');
    await counts(page, 3);
    await editor(page).press('w');
    await seen(page.locator('[aria-live="polite"]').getByText('Lines are wrapped.'));
    await editor(page).press('c');
    await counts(page, 0);
    await seen(page.locator('[aria-live="polite"]').getByText('Log cleared.'));
    await page.keyboard.press('Control+f');
    await expect.poll(() => isFocused(page.getByRole('searchbox', { name: 'Search the log' }))).toBe(true);

    await page.evaluate(() => localStorage.setItem('portal.single-keys', 'false'));
    await page.reload();
    await streams(page, app);
    const wrap = page.getByRole('button', { name: 'Wrap lines' });
    const before = await wrap.getAttribute('aria-pressed');
    await editor(page).press('w');
    await editor(page).press('End');
    await seen(page.locator('[aria-live="polite"]').getByText('Last line. New lines are followed.'));
    await expect.poll(() => wrap.getAttribute('aria-pressed')).toBe(before);
  });

  test('announces the matches of a search once it pauses, and not those of each letter', async ({ visit, portal }) => {
    const app = portal.app('Farm Inputs');
    // The clock is shared by the whole context.
    const page = await visit.open({});
    await page.clock.install();
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    logLines(app, 1, 12);
    await counts(page, 12);
    await page.clock.pauseAt(Date.now() + 60_000);
    await collectAnnouncements(page);
    const result = page.getByLabel('Search result');
    for (const [find, shown] of [
      ['line 1', '4 matches'],
      ['line 12', '1 match'],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Search the log' }).fill(find);
      await expect.poll(() => result.textContent()).toBe(shown);
    }
    const matches = async () => (await readAnnouncements(page)).filter((text) => text.includes('match'));
    expect(await matches()).toEqual([]);
    await expect
      .poll(async () => {
        await page.clock.runFor(100);
        return matches();
      })
      .toEqual(['1 match']);
  });

  test('opens the fields of a JSON line, and shows only the lines with one of them', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    const values = [1, 2, 3].map((id) => JSON.stringify({ request: { id: id % 2 }, text: `request ${id}` }));
    app.log(...values.map((value) => ({ key: 'DEBUG', value })), { key: 'INFO', value: 'text' });
    await counts(page, 4);
    await page.getByRole('button', { name: 'Show the fields' }).first().press('Enter');
    const panel = page.getByRole('region', { name: 'Fields of the line' });
    await seen(panel.getByText('request.id'));
    await expect.poll(() => isFocused(panel)).toBe(true);
    expect(await violations(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Show only lines with this request.id' }).click();
    await seen(page.getByText('2 shown'));
    await expect.poll(() => new URL(page.url()).hash).toContain('field=request.id&value=1');
    await panel.press('Escape');
    await expect.poll(() => isFocused(editor(page))).toBe(true);
    await page.getByRole('button', { name: 'Remove the filter' }).click();
    await expect.poll(() => editor(page).innerText()).toContain('request 2');
    await page.getByRole('button', { name: /^DEBUG/ }).click();
    await seen(page.getByText('1 shown'));
  });

  test('cuts a line of 20,000 letters, with its time once, until all of it is requested', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    const value = `start ${'x'.repeat(20_000)} end`;
    app.log({ key: 'INFO', value });
    await counts(page, 1);
    const prefixes = async () => (await editor(page).innerText()).match(/INFO/g)?.length;
    await expect.poll(prefixes).toBe(1);
    await page.getByRole('button', { name: 'Wrap lines' }).click();
    await page.getByRole('button', { name: 'Show all 20,010 characters' }).click();
    await expect.poll(prefixes).toBe(1);
    await editor(page).press('End');
    await expect.poll(() => editor(page).innerText()).toContain(' end');
    expect(getValues(await downloadAll(page))).toEqual([value]);
  });

  test('loses nothing of a line of 1 MB, nor the line after it', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    const value = `start ${'0123456789'.repeat(100_000)} end`;
    app.log({ key: 'INFO', value }, { key: 'WARNING', value: 'after the long line' });
    await counts(page, 2);
    await seen(editor(page).getByText('after the long line'));
    await seen(page.getByRole('button', { name: 'Show all 1,000,010 characters' }));
    const rows = getValues(await downloadAll(page));
    expect(rows.map(({ length }) => length)).toEqual([value.length, 19]);
    expect(rows[0] === value).toBe(true);
  });

  test('copies the selected or visible lines for a ticket, without personal data', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    app.log({ key: 'INFO', value: '\u001b[32mMail\u001b[0m to thandi@example.org, password=hidden' });
    await counts(page, 1);
    await showsBriefly(page.getByText('Masked 1 e-mail address and 1 password.'), () =>
      page.getByRole('button', { name: 'Copy for a ticket' }).click(),
    );
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^\d{4}-\d\d-\d\d [\d:.]+ INFO {4}Mail to \[e-mail\], password=\[password\]$/);
  });

  test('says above its first line where older ones are, as long as none was cleared', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await openLog(page, app);
    const note = page.locator('[data-log-start]');
    logLines(app, 1, 200);
    await seen(editor(page).getByText(/line 200$/));
    await editor(page).press('Home');
    await seen(note);
    await expect
      .poll(() => note.innerText())
      .toMatch(
        /^Starts with the last 5 minutes .* at most 5,000 lines\. Older lines are in .* \S+\.__logging_log__\.$/,
      );
    await expect.poll(() => note.evaluate((drawn) => drawn.getBoundingClientRect().top)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    logLines(app, 201, 400);
    await seen(editor(page).getByText(/line 400$/));
    await editor(page).press('Home');
    await seen(editor(page).getByText(/line 201$/));
    expect(await note.count()).toBe(0);
  });

  test('starts in the upper third of a phone, with its tools in one row', async ({ page, portal }) => {
    await page.setViewportSize({ width: 360, height: 780 });
    const app = portal.app('Clinic Visits');
    await openLog(page, app);
    logLines(app, 1, 40);
    await seen(
      editor(page)
        .getByText('line 40', { exact: true })
        .or(editor(page).getByText(/line 40$/))
        .first(),
    );
    const box = await page.locator('[data-log]').boundingBox();
    expect(box?.y).toBeLessThan(260);
    await page.getByRole('button', { name: 'Log tools' }).click();
    await seen(page.getByRole('button', { name: /^INFO/ }));
    await expect.poll(() => page.getByRole('button', { name: 'Wrap lines' }).getAttribute('aria-pressed')).toBe('true');
    expect(await violations(page)).toEqual([]);
  });

  test('shows anything that is not a log record as a line, and keeps streaming', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    app.sendToLogSockets('{"value":null}');
    app.sendToLogSockets(`{"id":"a","key":"INFO","value":null,"millis":${Date.now()}}`);
    app.sendToLogSockets('neither');
    app.log({ key: 'INFO', value: '\u001b=\u001b7the\u001b8 next\u009b0m line\u001bc' });
    await counts(page, 4);
    await seen(editor(page).getByText('next'));
    const shown = (await editor(page).innerText()).replaceAll(/\s+/g, ' ');
    expect(shown).toContain('Helium sent something that is not a log record: {"value":null}');
    expect(shown).toContain('INFO (null)');
    expect(shown).toContain('Helium sent something that is not a log record: neither');
    expect(shown).toContain('the next line');
    await seen(chip(page, 'Following'));
  });

  test('shows the number of records and the connection without scrolling', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await openLog(page, app);
    logLines(app, 1, 100);
    await seen(editor(page).getByText(/line 100$/));
    for (const size of [
      { width: 1366, height: 768 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(size);
      const count = page.getByRole('status', { name: 'Log records' });
      for (const shown of [count, page.getByText(/^Streaming the log of /)]) {
        const readBottom = () => shown.evaluate((element) => element.getBoundingClientRect().bottom);
        await expect.poll(readBottom).toBeLessThan(size.height);
      }
    }
  });

  test('marks matches, shows pressed levels and the focus in forced colors', async ({ page, portal }) => {
    await page.emulateMedia({ forcedColors: 'active' });
    const app = portal.app('Clinic Visits');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    logLines(app, 1, 3);
    await counts(page, 3);
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('line 2');
    const readStyle = (selector: string, property: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
    const match = '.cm-line [class*="match"]';
    await seen(page.locator(match));
    expect(await readStyle(match, 'background-color')).not.toBe(await readStyle('.cm-content', 'background-color'));
    const pressed = 'button[data-level="info"][aria-pressed="true"]';
    expect(await readStyle(`${pressed} span`, 'color')).toBe(await readStyle(pressed, 'color'));
    await editor(page).focus();
    expect(await readStyle('[data-log]', 'outline-style')).toBe('solid');
  });

  test('shows any text literally', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await openLog(page, app);
    const markup = '<img src=x onerror="document.title=1"><script>alert(1)</script> \u001b[31mred\u001b[0m \u202Eabc';
    app.log({ key: 'INFO', value: markup });
    await seen(editor(page).getByText('<script>alert(1)</script>'));
    expect(getValues(await downloadAll(page)).at(-1)).toBe(markup);
    await expect.poll(() => page.title()).toContain('Stock Room');
  });

  test('shows which minute to look for after a link from a run, and goes there where it has its lines', async ({
    page,
    portal,
  }) => {
    const app = portal.app('Stock Room');
    logLines(app, 201, 203);
    await app.logWritten();
    const [from, to] = [-600_000, 600_000].map((offset) => new Date(Date.now() + offset).toISOString());
    await arrive(page, `/logs/${app.id}?find=line&run-from=${from}&run-to=${to}`);
    await streams(page, app);
    const note = page.getByRole('note', { name: 'Run to look for' });
    await seen(note.getByText(/^The run started on .* and ended on .*\./));
    await seen(note.getByRole('button', { name: 'Copy the SQL for the lines of the run' }));
    await seen(editor(page).getByText('line 203'));
    await note.getByRole('button', { name: 'Go to that minute' }).click();
    await seen(chip(page, /^Paused/));
    await expect.poll(() => isFocused(editor(page))).toBe(true);
    expect(await violations(page)).toEqual([]);

    await page.goto(`/#/logs/${app.id}?run-from=2026-01-05T08:00:00Z`);
    await seen(note.getByText(/^The run started on Mon 5 Jan 2026, [\d:]+ [^ ]+\. /));
    await note.getByRole('button', { name: 'Go to that minute' }).click();
    await seen(note.getByText('This page has no lines from that minute.'));
    await note.getByRole('button', { name: 'Hide' }).click();
    await expect.poll(() => note.count()).toBe(0);
    expect(page.url()).not.toContain('run-from');
  });
});

describe('interrupted log stream', () => {
  test('loses and repeats nothing after an interruption between page and server', async ({ page, portal, visit }) => {
    visit.trouble.expect(/ERR_|WebSocket/);
    const app = portal.app('Clinic Visits');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    const lines = logLines(app, 1, 200);
    await counts(page, 200);
    portal.line.down();
    lines.push(...logLines(app, 201, 400));
    await seen(page.getByText('The stream is interrupted. Lines already received stay visible.'));
    await seen(chip(page, /^Interrupted/));
    await expect.poll(() => chip(page, /^Interrupted/).getAttribute('data-tone')).toBe('danger');
    await seen(editor(page).getByText('line 200'));
    lines.push(...logLines(app, 401, 450));
    portal.line.restore();
    await streams(page, app);
    lines.push(...logLines(app, 451, 500));
    await counts(page, 500);
    const rows = await downloadAll(page);
    expect(getValues(rows)).toEqual(lines);
    expect(readMarkers(rows)).toContain('Reconnected: nothing lost.');
  });

  test('fills an interruption between server and platform from the app’s own log', async ({ page, portal }) => {
    const app = portal.app('Farm Inputs');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    const lines = logLines(app, 1, 100);
    await counts(page, 100);
    portal.helium.cutSockets();
    lines.push(...logLines(app, 101, 130));
    await counts(page, 130);
    await streams(page, app);
    lines.push(...logLines(app, 131, 140));
    await counts(page, 140);
    const rows = await downloadAll(page);
    expect(getValues(rows)).toEqual(lines);
    expect(readMarkers(rows).join('\n')).toContain("from the app's log table");
    expect(readMarkers(rows).join('\n')).not.toContain('gap');
  });

  test('marks the gap if the data source is unreachable during an interruption', async ({ page, portal }) => {
    const app = portal.app('Stock Room');
    await openLog(page, app, 'Zambia-production');
    const first = logLines(app, 1, 10);
    await seen(editor(page).getByText('line 10', { exact: false }).first());
    portal.helium.cutSockets();
    logLines(app, 11, 20);
    await streams(page, app);
    await seen(editor(page).getByText(/gap: an unknown number of lines is missing/));
    const last = logLines(app, 21, 30);
    await seen(editor(page).getByText('line 30').first());
    const values = getValues(await downloadAll(page)).filter((value) => value.startsWith('line '));
    expect(values).toEqual([...first, ...last]);
    await seen(page.getByText('1 gap of unknown size'));
  });

  test('shows the sign-in when the session has ended', async ({ page, portal, visit }) => {
    visit.trouble.expect(/401/);
    await openLog(page, portal.app('Clinic Visits'));
    await page.request.delete('/portal-backend/api/session', { headers: { origin: portal.origin } });
    await seen(page.getByRole('button', { name: 'Sign In', exact: true }));
  });

  test('shows the sign-in at the root after signing out, without an expiry message', async ({ page, portal }) => {
    const app = portal.app('Clinic Visits');
    await openLog(page, app);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign me out!' }).click();
    await seen(page.getByText('Use your Helium API credentials'));
    await expect.poll(() => new URL(page.url()).hash).toBe('#/');
    await expect.poll(() => app.viewers()).toBe(0);
  });
});
