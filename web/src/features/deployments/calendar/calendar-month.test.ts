import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDay, formatMonth } from '../../../format/instants.ts';
import { getWeekday, getWeeks, isWeekendDay, shiftDay, shiftMonth } from './calendar-month.ts';

const month = fc
  .tuple(fc.integer({ min: 1971, max: 2199 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, number]) => `${year}-${String(number).padStart(2, '0')}`);

describe('calendar month', () => {
  test('builds six full weeks that contain every day of the month, each day once', () => {
    fc.assert(
      fc.property(month, (current) => {
        const weeks = getWeeks(current);
        const days = weeks.flat();
        expect(weeks.map((week) => week.length)).toEqual([7, 7, 7, 7, 7, 7]);
        expect(weeks.map(([monday = '']) => getWeekday(monday))).toEqual([0, 0, 0, 0, 0, 0]);
        expect(new Set(days).size).toBe(42);
        const last = shiftDay(`${shiftMonth(current, 1)}-01`, -1);
        expect(days).toContain(`${current}-01`);
        expect(days).toContain(last);
      }),
    );
  });

  test('shifts months and days forward and back to the same day', () => {
    fc.assert(
      fc.property(month, fc.integer({ min: -30, max: 30 }), (current, by) => {
        expect(shiftMonth(shiftMonth(current, by), -by)).toBe(current);
        expect(shiftDay(shiftDay(`${current}-01`, by), -by)).toBe(`${current}-01`);
      }),
    );
  });

  test('knows weekends and formats days in words', () => {
    expect(['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'].map(isWeekendDay)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(formatMonth('2026-11')).toBe('November 2026');
    expect(formatDay('2026-11-24')).toBe('Tuesday, November 24');
    expect(shiftMonth('2026-11', 2)).toBe('2027-01');
  });
});
