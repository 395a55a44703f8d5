import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCalendars } from '../parse-calendar.ts';
import { findPython } from '../second-readers.fixture.ts';
import { createDescribedClock } from './described-clock.ts';

const weekday = fc.constantFrom('SU', 'MO', 'FR', 'SA');
const nth = fc.constantFrom('-1', '1', '2', '3');
const offset = fc.integer({ min: -12 * 4, max: 13 * 4 }).map((quarters) => quarters * 15);
const startYear = fc.constantFrom('1601', '1970', '2010', '2026');

interface Description {
  readonly lines: readonly string[];
  /** Local times at noon, which no clock change affects. */
  readonly noons: readonly string[];
}

/** Zones with standard and daylight time, each from a day in its half of the year. */
const description: fc.Arbitrary<Description> = fc
  .record({
    ...{ standard: offset, saving: fc.constantFrom(30, 60, 120), weekday, nth, startYear },
    spring: fc.integer({ min: 2, max: 5 }),
    autumn: fc.integer({ min: 8, max: 11 }),
    days: fc.array(fc.integer({ min: -9 * 366, max: 3 * 366 }), { minLength: 8, maxLength: 8 }),
  })
  .map(({ standard, saving, days, ...when }) => {
    const rule = (month: number) => `RRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=${when.nth}${when.weekday}`;
    const observance = (kind: string, month: number, from: number, to: number) => [
      ...[`BEGIN:${kind}`, `DTSTART:${when.startYear}${String(month).padStart(2, '0')}01T020000`, rule(month)],
      ...[`TZOFFSETFROM:${writeOffset(from)}`, `TZOFFSETTO:${writeOffset(to)}`, `END:${kind}`],
    ];
    return {
      lines: [
        ...['BEGIN:VCALENDAR', 'BEGIN:VTIMEZONE', 'TZID:Plant'],
        ...observance('STANDARD', when.autumn, standard + saving, standard),
        ...observance('DAYLIGHT', when.spring, standard, standard + saving),
        ...['END:VTIMEZONE', 'END:VCALENDAR'],
      ],
      noons: days.map((day) => new Date(Date.UTC(2026, 0, 1, 12) + day * 86_400_000).toISOString().slice(0, 19)),
    };
  });

function writeOffset(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}${String(rest).padStart(2, '0')}`;
}

const program = `
import datetime, io, json, sys
from dateutil import tz
for line in sys.stdin:
    case = json.loads(line)
    zone = tz.tzical(io.StringIO('\\r\\n'.join(case['lines']))).get('Plant')
    times = [datetime.datetime.fromisoformat(noon).replace(tzinfo=zone) for noon in case['noons']]
    print(json.dumps([int(time.timestamp() * 1000) for time in times]))
`;

it.skipIf(!findPython())("reads described zones as python's dateutil does", () => {
  const cases = fc.sample(description, { numRuns: 200, seed: fc.readConfigureGlobal().seed ?? 1 });
  const input = cases.map((one) => JSON.stringify(one)).join('\n');
  const { stdout, stderr } = spawnSync(findPython() ?? '', ['-c', program], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  const theirs = stdout.trim().split('\n');
  for (const [index, { lines, noons }] of cases.entries()) {
    const [zone] = parseCalendars(lines.join('\r\n'))[0]?.zones ?? [];
    if (!zone) throw new Error('the zone is missing');
    const clock = createDescribedClock(zone);
    const ours = noons.map((noon) => clock.toInstant(Date.parse(`${noon}Z`)));
    expect(JSON.stringify(ours), [...lines, ...noons].join('\n')).toBe(theirs[index]?.replaceAll(' ', ''));
  }
});
