import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWallClock, toWallClock } from './wall-clock.ts';

const zone = fc.constantFrom(
  ...['Africa/Johannesburg', 'Africa/Lusaka', 'America/New_York', 'America/St_Johns', 'Asia/Kathmandu'],
  ...['Australia/Lord_Howe', 'Europe/London', 'UTC'],
);
const shape = fc.constantFrom('picker' as const, 'field' as const);
const minute = fc
  .integer({ min: Date.UTC(2020, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 })
  .map((at) => new Date(at * 60_000));

test("shows 18:00 in the given zone regardless of the browser's zone", () => {
  const instant = new Date('2026-11-24T16:00:00Z');
  expect(parseWallClock('2026-11-24 18:00:00', 'Africa/Johannesburg')).toEqual(instant);
  expect(toWallClock(instant, 'Asia/Kathmandu')).toBe('2026-11-24 21:45:00');
  expect(toWallClock(instant, 'Asia/Kathmandu', 'field')).toBe('2026-11-24T21:45');
});

test('round-trips every wall-clock time through its instant', () => {
  fc.assert(
    fc.property(minute, zone, shape, (at, timeZone, as) => {
      const wall = toWallClock(at, timeZone, as);
      const back = parseWallClock(wall, timeZone, { format: as });
      if (back === null) throw new Error(`${wall} is shown but cannot be parsed`);
      expect(toWallClock(back, timeZone, as)).toBe(wall);
    }),
  );
});

test('returns the stored instant when the wall-clock time is unchanged', () => {
  fc.assert(
    fc.property(minute, zone, shape, (stored, timeZone, as) => {
      expect(parseWallClock(toWallClock(stored, timeZone, as), timeZone, { format: as, preferred: stored })).toEqual(
        stored,
      );
    }),
  );
  for (const stored of [new Date('2026-10-25T00:30:00Z'), new Date('2026-10-25T01:30:00Z')])
    expect(parseWallClock('2026-10-25 01:30:00', 'Europe/London', { preferred: stored })).toEqual(stored);
});

test('returns null for times skipped in spring and for invalid text', () => {
  expect(parseWallClock('2026-03-29 01:30:00', 'Europe/London')).toBeNull();
  expect(parseWallClock('2026-03-29T01:30', 'Europe/London', { format: 'field' })).toBeNull();
  expect(parseWallClock('2026-03-29 02:30:00', 'Europe/London')).toEqual(new Date('2026-03-29T01:30:00Z'));
  for (const wall of [null, '', 'tomorrow', '2026-11-31 18:00:00', '2026-11-24', '2026-11-24T18:00'])
    expect(parseWallClock(wall, 'UTC')).toBeNull();
});
