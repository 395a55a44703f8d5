import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@portal/kit/logger';
import { createPool } from '@portal/kit/postgres/pool';
import { CalendarExpander } from '@portal/platforms/roster/calendar/calendar-expander';
import { configSchema } from '@portal/server/config';
import { SupportTeams } from '@portal/server/features/support-roster/support-teams';
import { Environments } from '@portal/server/platform/environments';
import { startChild } from './child.ts';
import { count, type Figure, median } from './figures.ts';

const timeZone = 'Africa/Johannesburg';
const year = { from: new Date('2025-12-31T22:00:00Z'), to: new Date('2026-12-31T22:00:00Z') };

/**
 * Measures the calendars of many teams with the server's code: fetched from another process and
 * expanded for a year by a fresh process, then read again. One event in a hundred recurs weekly.
 */
export async function measureRosterFeeds(
  databaseUrl: string,
  { feeds, events, rounds }: { readonly feeds: number; readonly events: number; readonly rounds: number },
): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-bench-'));
  const responses = Array.from({ length: feeds }, (_, team) => {
    const file = join(folder, `${team}.ics`);
    writeFileSync(file, createFeed(team, events));
    return { method: 'GET', path: `/${team}.ics`, type: 'text/calendar', file };
  });
  const calendars = await startChild<{ url: string }>('./baseline-handler.ts', responses);
  const cold: number[] = [];
  const cached: number[] = [];
  let shifts = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const { teams, stop } = startTeams(calendars.ready.url, feeds, databaseUrl);
      const readAll = async () => {
        const began = performance.now();
        const readings = await Promise.all(teams.list('Production').map((team) => team.read(year)));
        const ms = performance.now() - began;
        shifts = readings.reduce((sum, reading) => sum + reading.shifts.length, 0);
        return ms;
      };
      cold.push(await readAll());
      cached.push(await readAll());
      await stop();
    }
  } finally {
    await calendars.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  if (shifts < feeds * events) throw new Error(`only ${shifts} shifts were read`);
  const figure = (what: string, times: readonly number[], maxMs: number): Figure => ({
    what,
    ours: `${count(median(times))} ms`,
    goal: `< ${count(maxMs)} ms`,
    met: median(times) < maxMs,
  });
  const what = `${count(feeds)} calendars of ${count(events)} events, ${count(shifts)} shifts in the year`;
  return [figure(`${what}: fetched and expanded`, cold, 2_000), figure('the same, cached', cached, 20)];
}

function startTeams(
  calendarsUrl: string,
  feeds: number,
  databaseUrl: string,
): { teams: SupportTeams; stop: () => Promise<void> } {
  const { environments, supportRoster } = configSchema.parse({
    environments: [{ name: 'Production', baseUrl: 'http://127.0.0.1:1', timeZone }],
    databaseUrl,
    supportRoster: {
      teams: Array.from({ length: feeds }, (_, team) => ({
        name: `Team ${team}`,
        calendar: `${calendarsUrl}/${team}.ics`,
      })),
    },
  });
  const logger = createLogger({ name: 'bench', level: 'warn' });
  // The cache of earlier reads, which is empty.
  const pool = createPool(databaseUrl, { max: 10, applicationName: 'bench' });
  const expander = new CalendarExpander();
  const served = new Environments(environments, { timeoutMs: 1_000 }).all;
  const teams = new SupportTeams({ config: supportRoster, environments: served, pool, logger, expander });
  return {
    teams,
    async stop() {
      await expander.stop();
      await pool.end();
    },
  };
}

/** Shifts of nine hours, all of them within the year. */
function createFeed(team: number, events: number): string {
  const weekly = Math.ceil(events / 100);
  const lines = Array.from({ length: events }, (_, at) => {
    const day = new Date(Date.UTC(2026, 0, 2 + Math.floor((at * 360) / events)));
    const date = day.toISOString().slice(0, 10).replaceAll('-', '');
    return [
      'BEGIN:VEVENT',
      `UID:${team}-${at}@bench.example.org`,
      'DTSTAMP:20260101T000000Z',
      `SUMMARY:Person ${at % 12}`,
      `DTSTART;TZID=${timeZone}:${date}T080000`,
      `DTEND;TZID=${timeZone}:${date}T170000`,
      ...(at < weekly ? ['RRULE:FREQ=WEEKLY;UNTIL=20261230T000000Z'] : []),
      'END:VEVENT',
    ].join('\r\n');
  });
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Bench//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}
