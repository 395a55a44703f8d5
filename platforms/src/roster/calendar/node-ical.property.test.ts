/** Rotations as teams keep them in a calendar, compared with a reader that many programs use. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findSecondReader } from '../../second-readers.fixture.ts';
import { expandCalendar } from './expand-calendar.ts';
import { calendar, year } from './feed-text.fixture.ts';
import { unpackShifts } from './packed-shifts.ts';

/** As far as this test uses node-ical. */
interface NodeIcal {
  readonly sync: { parseICS(text: string): Readonly<Record<string, { readonly type: string }>> };
  expandRecurringEvent(
    event: { readonly type: string },
    range: { readonly from: Date; readonly to: Date },
  ): readonly { readonly start: Date; readonly end: Date; readonly summary: string }[];
}

const path = findSecondReader('node-ical');
const range = year(2026);
const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

const rotation = fc.record({
  zone: fc.constantFrom('Africa/Johannesburg', 'Europe/Berlin', 'America/New_York'),
  /** From Monday, 5 January 2026. */
  week: fc.integer({ min: 0, max: 50 }),
  // No clock changes at these hours.
  hour: fc.integer({ min: 6, max: 22 }),
  hours: fc.constantFrom(1, 8, 12, 24, 168),
  interval: fc.integer({ min: 1, max: 4 }),
  others: fc.subarray(days.slice(1)),
  count: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
  excluded: fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }),
  swapped: fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }),
});
type Rotation = typeof rotation extends fc.Arbitrary<infer T> ? T : never;

/** Writes a local time `week` weeks after Monday, 5 January 2026. */
function write(week: number, hour: number): string {
  const date = new Date(Date.UTC(2026, 0, 5 + 7 * week)).toISOString().slice(0, 10).replaceAll('-', '');
  return `${date}T${String(hour).padStart(2, '0')}0000`;
}

function toFeed(all: readonly Rotation[]): string {
  const events = all.flatMap(({ zone, week, hour, hours, interval, others, count, excluded, swapped }, at) => {
    const own = [`UID:rotation-${at}`, `DURATION:PT${hours}H`];
    const nth = (turn: number) => write(week + turn * interval, hour);
    const end = count === null ? '' : `;COUNT=${count}`;
    // A turn cannot be both.
    const swap = swapped === excluded ? null : swapped;
    const isThere = swap !== null && (count === null || swap * (others.length + 1) < count);
    return [
      ['BEGIN:VEVENT', ...own, `SUMMARY:Person ${at}`, `DTSTART;TZID=${zone}:${nth(0)}`],
      [`RRULE:FREQ=WEEKLY;WKST=MO;INTERVAL=${interval};BYDAY=${['MO', ...others].join()}${end}`],
      excluded === null ? [] : [`EXDATE;TZID=${zone}:${nth(excluded)}`],
      ['END:VEVENT'],
      ...(isThere
        ? [
            ['BEGIN:VEVENT', ...own, `SUMMARY:Swap ${at}`, `RECURRENCE-ID;TZID=${zone}:${nth(swap)}`],
            [`DTSTART;TZID=${zone}:${write(week + swap * interval, hour - 1)}`, 'END:VEVENT'],
          ]
        : []),
    ].flat();
  });
  return calendar(...events);
}

it.skipIf(path === null)('reads rotations with swaps and skipped turns as node-ical does', async () => {
  const { default: ical }: { readonly default: NodeIcal } = await import(path ?? '');
  fc.assert(
    fc.property(fc.array(rotation, { minLength: 1, maxLength: 3 }), (all) => {
      const feed = toFeed(all);
      const [shifts = []] = unpackShifts(expandCalendar(feed, [range], 'UTC').shifts);
      const theirs = Object.values(ical.sync.parseICS(feed))
        .filter(({ type }) => type === 'VEVENT')
        .flatMap((event) => ical.expandRecurringEvent(event, range));
      expect(shifts.map(toLine).sort()).toEqual(
        theirs.map(({ start, end, summary }) => toLine({ start, end, name: summary })).sort(),
      );
    }),
    { numRuns: 200 },
  );
});

function toLine({ start, end, name }: { readonly start: Date; readonly end: Date; readonly name: string }): string {
  return `${start.toISOString()} ${end.toISOString()} ${name}`;
}
