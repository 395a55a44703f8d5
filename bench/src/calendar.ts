import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodeCalendar } from '@portal/platforms/roster/calendar/decode-calendar';
import { expandCalendar } from '@portal/platforms/roster/calendar/expand-calendar';
import { count, type Figure, median, printFigures } from './figures.ts';

/**
 * `npm run bench -- calendar [EVENTS] [ROUNDS] [COMMIT]`: the processor time to expand a feed for a
 * year. The peer is the code of a commit, which alternates with the present one in the same
 * process. The default is the last one that used the iterator of ical.js.
 */
const [eventsText = '5000', roundsText = '15', commit = 'effc842b'] = process.argv.slice(2);
const [events, rounds] = [Number(eventsText), Number(roundsText)];
const timeZone = 'Africa/Johannesburg';
const year = { from: new Date('2025-12-31T22:00:00Z'), to: new Date('2026-12-31T22:00:00Z') };
const maxRatio = 1.1;

type Expand = (bytes: Buffer) => unknown;
type OldModule = { expandCalendar(text: string, spans: (typeof year)[], timeZone: string): unknown };

/** The rules of a feed's events, in turn. */
const feeds: Readonly<Record<string, readonly string[]>> = {
  'one event in a hundred recurs weekly': [
    'FREQ=WEEKLY;UNTIL=20261230T000000Z',
    ...Array.from({ length: 99 }, () => ''),
  ],
  'all recur every four weeks': ['FREQ=WEEKLY;INTERVAL=4'],
  'four rules, and single events': [
    ...['', '', 'FREQ=WEEKLY;UNTIL=20261230T000000Z', 'FREQ=WEEKLY;BYDAY=MO,WE,FR'],
    ...['FREQ=MONTHLY;BYDAY=1MO', 'FREQ=DAILY;COUNT=10'],
  ],
};

const root = join(import.meta.dirname, '..', '..');
// Within the project, so that its packages are found.
const folder = mkdtempSync(join(root, 'node_modules', '.cache', 'calendar-of-commit-'));
try {
  const archive = execFileSync('git', ['archive', commit, 'platforms/src/roster'], { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const file = join(folder, 'platforms/src/roster/calendar/expand-calendar.ts');
  const old = (await import(pathToFileURL(file).href)) as OldModule;
  const figures = Object.entries(feeds).map(([what, rules]) => measure(what, createFeed(rules), old));
  printFigures(`calendar: ${count(events)} events, median of ${rounds} rounds, peer is ${commit}`, figures);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(what: string, feed: Buffer, old: OldModule): Figure {
  const expanders: Readonly<Record<'ours' | 'peer', Expand>> = {
    ours: (bytes) => expandCalendar(decodeCalendar(bytes, 'text/calendar'), [year], timeZone),
    peer: (bytes) => old.expandCalendar(bytes.toString('utf8'), [year], timeZone),
  };
  const times = { ours: [] as number[], peer: [] as number[] };
  // The first rounds are slower until both are compiled.
  for (let round = -3; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)) {
      const ms = measureProcessorTime(() => expanders[name](feed));
      if (round >= 0) times[name].push(ms);
    }
  const [ours, peer] = [median(times.ours), median(times.peer)];
  const ratio = ours / peer;
  return {
    what: `${what}: processor time`,
    ours: `${count(ours)} ms`,
    peer: `${count(peer)} ms`,
    ratio,
    goal: `≤ ${maxRatio}`,
    met: ratio <= maxRatio,
  };
}

function measureProcessorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Shifts of nine hours, the first of each event in order of the year. */
function createFeed(rules: readonly string[]): Buffer {
  const lines = Array.from({ length: events }, (_, at) => {
    const day = new Date(Date.UTC(2026, 0, 2 + Math.floor((at * 360) / events)));
    const date = day.toISOString().slice(0, 10).replaceAll('-', '');
    const rule = rules[at % rules.length] ?? '';
    return [
      'BEGIN:VEVENT',
      `UID:${at}@bench.example.org`,
      'DTSTAMP:20260101T000000Z',
      'SEQUENCE:1',
      `SUMMARY:Person ${at % 12}`,
      `DTSTART;TZID=${timeZone}:${date}T080000`,
      `DTEND;TZID=${timeZone}:${date}T170000`,
      ...(rule === '' ? [] : [`RRULE:${rule}`]),
      'END:VEVENT',
    ].join('\r\n');
  });
  return Buffer.from(
    ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Bench//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n'),
  );
}
