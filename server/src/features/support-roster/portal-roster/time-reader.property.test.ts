import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { readInstant, readSpreadsheetTime, readWallTime } from './shift-times.ts';
import { createTimeReader } from './time-reader.ts';

const readers = new Map<string, ReturnType<typeof createTimeReader>>();
function readBoth(text: string, timeZone: string) {
  const read = readers.get(timeZone) ?? createTimeReader(timeZone);
  readers.set(timeZone, read);
  const reference = readWallTime(text, timeZone) ?? readInstant(text) ?? readSpreadsheetTime(text, timeZone);
  return { fast: read(text), reference };
}

const pad = (value: number, digits = 2) => String(value).padStart(digits, '0');
const padded = (min: number, max: number, digits = 2) => fc.integer({ min, max }).map((value) => pad(value, digits));

/** Mostly valid, with values just beyond the limits of each field. */
const date = fc.tuple(padded(1998, 2202, 4), padded(0, 13), padded(0, 32)).map((parts) => parts.join('-'));
const clock = fc.tuple(padded(0, 24), padded(0, 60)).map((parts) => parts.join(':'));
const seconds = fc.oneof(
  fc.constantFrom('', '.000', '.5', ':00', ':00.000', ':00.0004'),
  padded(0, 61).map((value) => `:${value}`),
);
const offset = fc.oneof(
  fc.constantFrom('', 'Z', 'z', ' ', '+2', '-00:30', '+0200', '[Europe/Berlin]'),
  fc
    .tuple(fc.constantFrom('+', '-'), padded(0, 25), padded(0, 61))
    .map(([sign, hours, mins]) => `${sign}${hours}:${mins}`),
);
const written = fc
  .tuple(date, fc.constantFrom(' ', 'T', 't', '  ', ''), clock, seconds, offset)
  .map((parts) => parts.join(''));
const changed = fc
  .tuple(written, fc.nat(20), fc.constantFrom('', ' ', '0', '-', 'T', '٣', '\u00a0'))
  .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at + 1));
const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC');

describe('createTimeReader', () => {
  it('reads every text like the functions it is faster than, in every time zone', () => {
    fc.assert(
      fc.property(fc.oneof(written, changed), zone, (text, timeZone) => {
        const { fast, reference } = readBoth(text, timeZone);
        expect(fast).toEqual(reference);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Pacific/Apia',
    'Asia/Gaza',
  ])('reads the times around every clock change of %s', (timeZone) => {
    for (let day = DateTime.utc(2010); day.year < 2014; day = day.plus({ days: 1 })) {
      const isQuiet =
        day.minus({ days: 2 }).setZone(timeZone).offset === day.plus({ days: 3 }).setZone(timeZone).offset;
      if (isQuiet) continue;
      for (let mins = 0; mins < 24 * 60; mins += 30) {
        const text = `${day.toISODate()} ${pad(Math.floor(mins / 60))}:${pad(mins % 60)}`;
        const { fast, reference } = readBoth(text, timeZone);
        expect(fast, text).toEqual(reference);
      }
    }
  });
});
