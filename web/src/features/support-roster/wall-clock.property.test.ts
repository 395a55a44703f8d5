import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOfWall, wallClockOf } from './wall-clock.ts';

const zones = fc.constantFrom('Africa/Johannesburg', 'Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'UTC');
const minutes = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2035-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 60_000) * 60_000).toISOString());

test('what a clock shows is shown again at the instant it stands for', () => {
  fc.assert(
    fc.property(minutes, zones, (at, zone) => {
      const wall = wallClockOf(at, zone);
      const back = instantOfWall(wall, zone);
      if (back === null) throw new Error(`${wall} is shown and yet never`);
      expect(wallClockOf(back, zone)).toBe(wall);
    }),
  );
});

test('what is stored stays as it is where nothing else was written', () => {
  fc.assert(
    fc.property(minutes, zones, (at, zone) => {
      expect(instantOfWall(wallClockOf(at, zone), zone, at)).toBe(at);
    }),
  );
  for (const at of ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])
    expect(instantOfWall('2026-10-25T01:30', 'Europe/London', at)).toBe(at);
});

test('an hour that is left out in spring is none, and neither is anything else', () => {
  expect(instantOfWall('2026-03-29T01:30', 'Europe/London')).toBeNull();
  expect(instantOfWall('2026-03-29T02:30', 'Europe/London')).toBe('2026-03-29T01:30:00.000Z');
  for (const wall of ['', '2026-02-30T08:00', 'tomorrow', '2026-11-23']) expect(instantOfWall(wall, 'UTC')).toBeNull();
});
