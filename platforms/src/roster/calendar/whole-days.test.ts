import { describe, expect, it } from 'vitest';
import { calendar, event, readFeed, readTurns } from './feed-text.fixture.ts';

const days = (uid: string, name: string, from: string, to: string, ...lines: string[]) =>
  event(`UID:${uid}`, `SUMMARY:${name}`, `DTSTART;VALUE=DATE:${from}`, `DTEND;VALUE=DATE:${to}`, ...lines);

describe('series of whole days', () => {
  const series = (...lines: string[]) => days('1', 'A', '20260105', '20260112', 'RRULE:FREQ=WEEKLY;COUNT=3', ...lines);

  it.each([
    'RECURRENCE-ID;VALUE=DATE:20260112',
    // The date as it is written.
    'RECURRENCE-ID:20260112T000000Z',
    'RECURRENCE-ID;TZID=America/New_York:20260112T000000',
    'RECURRENCE-ID:20260112T080000',
    // Midnight in Johannesburg.
    'RECURRENCE-ID:20260111T220000Z',
  ])('has one person in a swapped week: %s', (replaced) => {
    expect(readFeed(calendar(series(), days('1', 'B', '20260112', '20260119', replaced))).turns).toEqual([
      'A 2026-01-04T22:00',
      'B 2026-01-11T22:00',
      'A 2026-01-18T22:00',
    ]);
  });

  it.each([
    'EXDATE;VALUE=DATE:20260112',
    'EXDATE:20260112T000000Z',
    'EXDATE:20260111T220000Z',
    'EXDATE:20260112T220000Z',
  ])('does not have an excluded week: %s', (excluded) => {
    const { turns } = readFeed(calendar(series(excluded)));
    // The last one is midnight of the next day in Johannesburg, on which nothing starts.
    expect(turns).toHaveLength(excluded.endsWith('20260112T220000Z') ? 3 : 2);
  });

  it.each([
    ['UNTIL=20260119', 3],
    ['UNTIL=20260119T000000Z', 3],
    ['UNTIL=20260119T235959Z', 3],
    // Midnight and the last second of a day in Johannesburg.
    ['UNTIL=20260118T220000Z', 3],
    ['UNTIL=20260118T215959Z', 2],
    ['UNTIL=20260118', 2],
    // Before the event: the series was cut off at its start.
    ['UNTIL=20260104', 0],
  ])('ends with the day of %s', (until, count) => {
    const text = calendar(days('1', 'A', '20260105', '20260112', `RRULE:FREQ=WEEKLY;${until}`));
    expect(readFeed(text).turns).toHaveLength(count);
  });

  it('ignores hours in its rule, and is skipped if it repeats within days', () => {
    const rule = (text: string) => days('1', 'A', '20260105', '20260106', `RRULE:${text}`);
    expect(readFeed(calendar(rule('FREQ=DAILY;BYHOUR=8,9;COUNT=2'))).turns).toHaveLength(2);
    expect(() => readFeed(calendar(rule('FREQ=HOURLY;COUNT=2')))).toThrow('FREQ=HOURLY, but it has whole days');
  });
});

it('reads a whole day that ends on its start as one day', () => {
  expect(readTurns(calendar(days('1', 'A', '20260105', '20260105')))).toEqual([
    'A 2026-01-04T22:00:00.000Z 2026-01-05T22:00:00.000Z',
  ]);
});
