import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dateText, instantSeconds, instantText } from './calendar.ts';

const year1Ms = Date.parse('0001-01-01T00:00:00Z');
const year9999Ms = Date.parse('9999-12-31T23:59:59.999Z');
const millis = fc.integer({ min: year1Ms, max: year9999Ms });

it('converts an instant from any time zone and drops only its milliseconds', () => {
  fc.assert(
    fc.property(millis, fc.integer({ min: -14 * 60, max: 14 * 60 }), (at, offsetMins) => {
      const sign = offsetMins < 0 ? '-' : '+';
      const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
      const zone = `${sign}${two(Math.abs(offsetMins) / 60)}:${two(Math.abs(offsetMins) % 60)}`;
      const local = new Date(at + offsetMins * 60_000);
      fc.pre(local.getTime() >= year1Ms && local.getTime() <= year9999Ms);
      const seconds = instantSeconds(local.toISOString().replace('Z', zone));
      expect(seconds).toBe(Math.floor(at / 1000));
      expect(instantText(seconds ?? 0)).toBe(`${new Date(at).toISOString().slice(0, 19)}Z`);
    }),
  );
});

it('accepts a day exactly when it exists in the calendar', () => {
  const part = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 1900, 2000, 2023, 2024, 9999), part, part, (year, month, day) => {
      const text = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join(
        '-',
      );
      const at = new Date(`${text}T00:00:00Z`);
      const isThere = year > 0 && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
      expect(dateText(text)).toBe(isThere ? text : undefined);
      expect(dateText(`${text}T23:30:00+05:00`)).toBe(isThere ? text : undefined);
    }),
    { numRuns: 1000 },
  );
});
