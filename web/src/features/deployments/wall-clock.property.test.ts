import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf, wallClockOf } from './wall-clock.ts';

const zone = fc.constantFrom('Africa/Johannesburg', 'Africa/Lusaka', 'Asia/Kathmandu', 'America/St_Johns', 'UTC');

describe('the clock of a zone', () => {
  test('tells 18:00 there, wherever the page is', () => {
    expect(instantOf('2026-11-24 18:00:00', 'Africa/Johannesburg')?.toISOString()).toBe('2026-11-24T16:00:00.000Z');
    expect(wallClockOf(new Date('2026-11-24T16:00:00Z'), 'Asia/Kathmandu')).toBe('2026-11-24 21:45:00');
  });

  test('has no time in what is no time', () => {
    for (const text of ['', 'tomorrow', '2026-11-31 18:00:00', '2026-11-24']) {
      expect(instantOf(text, 'Africa/Johannesburg'), text).toBeNull();
    }
    expect(instantOf(null, 'Africa/Johannesburg')).toBeNull();
  });

  test('is read back as it was told', () => {
    // Whole seconds outside the hour that a clock put back shows twice.
    const second = fc.integer({ min: Date.UTC(2020, 0, 1) / 1000, max: Date.UTC(2040, 0, 1) / 1000 });
    fc.assert(
      fc.property(second, zone, (at, timeZone) => {
        const told = wallClockOf(new Date(at * 1000), timeZone);
        const read = instantOf(told, timeZone);
        expect(read).not.toBeNull();
        expect(read && wallClockOf(read, timeZone)).toBe(told);
      }),
    );
  });
});
