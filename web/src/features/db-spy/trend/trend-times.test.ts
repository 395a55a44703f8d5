import { expect, test } from 'vitest';
import { describePeriods, formatAxisTime } from './trend-times.ts';

/** A local time as an ISO instant, so that the test holds in every time zone. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();

test('describes the interval of each bar of a trend, with the second day only where it differs', () => {
  expect(describePeriods([at(21, 10), at(21, 11), at(22, 1)])).toEqual([
    'Sat 21 Nov 2026, 10:00 to 11:00',
    'Sat 21 Nov 2026, 11:00 to Sun 22 Nov 2026, 01:00',
  ]);
});

test('shows the day of times on an axis only where it covers more than one', () => {
  expect(formatAxisTime(at(21, 10), [at(21, 10), at(21, 11)])).toBe('10:00');
  expect(formatAxisTime(at(21, 10), [at(21, 10), at(22, 1)])).toBe('21 Nov, 10:00');
});
