import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOf, wallClockOf } from './wall-clock.ts';

const zone = fc.constantFrom(
  ...['Africa/Johannesburg', 'Africa/Lusaka', 'America/New_York', 'America/St_Johns', 'Asia/Kathmandu'],
  ...['Australia/Lord_Howe', 'Europe/London', 'UTC'],
);
const shape = fc.constantFrom('picker' as const, 'field' as const);
const minute = fc
  .integer({ min: Date.UTC(2020, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 })
  .map((at) => new Date(at * 60_000));

test('a clock tells 18:00 there, wherever the page is', () => {
  const instant = new Date('2026-11-24T16:00:00Z');
  expect(instantOf('2026-11-24 18:00:00', 'Africa/Johannesburg')).toEqual(instant);
  expect(wallClockOf(instant, 'Asia/Kathmandu')).toBe('2026-11-24 21:45:00');
  expect(wallClockOf(instant, 'Asia/Kathmandu', 'field')).toBe('2026-11-24T21:45');
});

test('what a clock shows is shown again at the instant it stands for', () => {
  fc.assert(
    fc.property(minute, zone, shape, (at, timeZone, as) => {
      const wall = wallClockOf(at, timeZone, as);
      const back = instantOf(wall, timeZone, { shape: as });
      if (back === null) throw new Error(`${wall} is shown and yet never`);
      expect(wallClockOf(back, timeZone, as)).toBe(wall);
    }),
  );
});

test('what is stored stays as it is where nothing else was written', () => {
  fc.assert(
    fc.property(minute, zone, shape, (stored, timeZone, as) => {
      expect(instantOf(wallClockOf(stored, timeZone, as), timeZone, { shape: as, stored })).toEqual(stored);
    }),
  );
  for (const stored of [new Date('2026-10-25T00:30:00Z'), new Date('2026-10-25T01:30:00Z')])
    expect(instantOf('2026-10-25 01:30:00', 'Europe/London', { stored })).toEqual(stored);
});

test('an hour that is left out in spring is none, and neither is anything else', () => {
  expect(instantOf('2026-03-29 01:30:00', 'Europe/London')).toBeNull();
  expect(instantOf('2026-03-29T01:30', 'Europe/London', { shape: 'field' })).toBeNull();
  expect(instantOf('2026-03-29 02:30:00', 'Europe/London')).toEqual(new Date('2026-03-29T01:30:00Z'));
  for (const wall of [null, '', 'tomorrow', '2026-11-31 18:00:00', '2026-11-24', '2026-11-24T18:00'])
    expect(instantOf(wall, 'UTC')).toBeNull();
});
