import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { expandCalendar } from './expand-calendar.ts';
import { packShifts, unpackShifts } from './packed-shifts.ts';
import { findZoneClock } from './zones/zone-clock.ts';

const zone = fc.constantFrom('Europe/London', 'America/New_York', 'Africa/Johannesburg', 'Australia/Lord_Howe', 'UTC');
const dayMs = 86_400_000;
const year = Date.UTC(2026, 0, 1);

function feed(rule: string, start: string, timeZone: string): string {
  const lines = ['UID:1', 'SUMMARY:A', `DTSTART;TZID=${timeZone}:${start}`, 'DURATION:P1D', `RRULE:${rule}`];
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
}

function written(localMs: number): string {
  return DateTime.fromMillis(localMs, { zone: 'UTC' }).toFormat("yyyyMMdd'T'HHmmss");
}

const readShifts = (...of: Parameters<typeof expandCalendar>) => unpackShifts(expandCalendar(...of).shifts);

const days = fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], { minLength: 1 });
const rule = fc
  .record({ freq: fc.constantFrom('DAILY', 'WEEKLY'), interval: fc.integer({ min: 1, max: 5 }), days: fc.option(days) })
  .map(({ freq, interval, days: by }) => `FREQ=${freq};INTERVAL=${interval}${by ? `;BYDAY=${by.join()}` : ''}`);

it('expands a rule to the same shifts from years back as from its start', () => {
  fc.assert(
    fc.property(
      rule,
      zone,
      fc.integer({ min: 0, max: 2000 }),
      fc.integer({ min: 0, max: 400 }),
      (by, timeZone, back, from) => {
        const start = written(year - back * dayMs + 8.5 * 3_600_000);
        const span = { from: new Date(year + from * dayMs), to: new Date(year + (from + 40) * dayMs) };
        const everything = { from: new Date(year - 3000 * dayMs), to: span.to };
        const [whole = []] = readShifts(feed(by, start, timeZone), [everything], 'UTC');
        const [part] = readShifts(feed(by, start, timeZone), [span], 'UTC');
        expect(part).toEqual(whole.filter((shift) => shift.end > span.from && shift.start < span.to));
      },
    ),
    { numRuns: 60 },
  );
});

/** The library expands every rule with explicit times. */
it('expands regular rules as the library does', () => {
  const ends = fc.oneof(
    fc.constant(''),
    fc.integer({ min: 1, max: 60 }).map((count) => `;COUNT=${count}`),
    fc.integer({ min: 0, max: 500 }).map((day) => `;UNTIL=${written(year + day * dayMs)}Z`),
  );
  const frequency = fc.constantFrom(
    { freq: 'WEEKLY', ownDay: false, same: 'BYHOUR=8' },
    { freq: 'WEEKLY', ownDay: true, same: 'BYHOUR=8' },
    { freq: 'DAILY', ownDay: false, same: 'BYHOUR=8' },
    { freq: 'HOURLY', ownDay: false, same: 'BYMINUTE=30' },
  );
  fc.assert(
    fc.property(
      frequency,
      fc.integer({ min: 1, max: 7 }),
      ends,
      zone,
      fc.integer({ min: 0, max: 400 }),
      ({ freq, ownDay, same }, interval, end, timeZone, back) => {
        const start = year - back * dayMs + 8.5 * 3_600_000;
        const day = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][new Date(start).getUTCDay()];
        const by = `FREQ=${freq};INTERVAL=${interval}${ownDay ? `;BYDAY=${day}` : ''}${end}`;
        const span = { from: new Date(year + 60 * dayMs), to: new Date(year + 100 * dayMs) };
        const even = readShifts(feed(by, written(start), timeZone), [span], 'UTC');
        expect(even).toEqual(readShifts(feed(`${by};${same}`, written(start), timeZone), [span], 'UTC'));
      },
    ),
    { numRuns: 80 },
  );
});

it('keeps the local start time of shifts all year', () => {
  fc.assert(
    fc.property(zone, fc.integer({ min: 4, max: 22 }), (timeZone, hour) => {
      const start = `20260101T${String(hour).padStart(2, '0')}0000`;
      const span = { from: new Date(year), to: new Date(year + 364 * dayMs) };
      const [shifts = []] = readShifts(feed('FREQ=DAILY', start, timeZone), [span], 'UTC');
      expect(shifts.length).toBeGreaterThan(360);
      for (const { start: begins, end } of shifts) {
        expect(DateTime.fromJSDate(begins, { zone: timeZone }).hour).toBe(hour);
        expect(DateTime.fromJSDate(end, { zone: timeZone }).hour).toBe(hour);
      }
    }),
    { numRuns: 25 },
  );
});

it('converts any instant to local time and back, except in the repeated hour', () => {
  fc.assert(
    fc.property(zone, fc.integer({ min: 0, max: 3 * 365 * 24 * 4 }), (timeZone, quarters) => {
      const instant = year + quarters * 15 * 60_000;
      const local = DateTime.fromMillis(instant, { zone: timeZone });
      const found = findZoneClock(timeZone)?.toInstant(local.setZone('UTC', { keepLocalTime: true }).toMillis()) ?? 0;
      expect(DateTime.fromMillis(found, { zone: timeZone }).toFormat('yyyyMMddHHmm')).toBe(
        local.toFormat('yyyyMMddHHmm'),
      );
      // The first of the two.
      expect(found).toBeLessThanOrEqual(instant);
    }),
    { numRuns: 300 },
  );
});

it('restores shifts unchanged after packing', () => {
  const shift = fc
    .record({ name: fc.string(), start: fc.date({ noInvalidDate: true }), end: fc.date({ noInvalidDate: true }) })
    .map((one) => ({ ...one, personId: one.name }));
  fc.assert(
    fc.property(fc.array(fc.array(shift)), (spans) => {
      const turns = spans.map((shifts) =>
        shifts.map(({ name, start, end }) => ({ name, from: start.getTime(), to: end.getTime() })),
      );
      expect(unpackShifts(packShifts(turns))).toEqual(spans);
    }),
  );
});

it.each([
  ['Europe/London', '2026-03-29T01:30', '2026-03-29T01:30:00.000Z'],
  ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
  ['Europe/London', '2026-10-25T01:30', '2026-10-25T00:30:00.000Z'],
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
])('resolves %s %s, which is skipped or repeated, to %s', (timeZone, wall, instant) => {
  expect(new Date(findZoneClock(timeZone)?.toInstant(Date.parse(`${wall}Z`)) ?? 0).toISOString()).toBe(instant);
});
