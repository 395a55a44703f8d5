import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultTiming } from '../run/pace/timing.ts';
import { getFirstDelayMs } from './loop.ts';

const hourMs = 3_600_000;
const extra = fc.integer({ min: 0, max: defaultTiming.compareSpreadMs });

it('compares within two hours of the first start', () => {
  expect(getFirstDelayMs(null, 0)).toBe(hourMs);
  expect(getFirstDelayMs(null, defaultTiming.compareSpreadMs)).toBe(2 * hourMs);
});

it('starts overdue comparisons after the random delay only, however old they are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 24 * hourMs, max: 1_000 * hourMs }), extra, (ageMs, extraMs) => {
      expect(getFirstDelayMs(ageMs, extraMs)).toBe(extraMs);
    }),
  );
});

it('compares a day after the last comparison, and up to an hour later after a restart', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 24 * hourMs }), extra, (ageMs, extraMs) => {
      const sinceLastMs = ageMs + getFirstDelayMs(ageMs, extraMs);
      expect(sinceLastMs).toBeGreaterThanOrEqual(24 * hourMs);
      expect(sinceLastMs).toBeLessThanOrEqual(25 * hourMs);
    }),
  );
});
