import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getFirstDelayMs } from './loop.ts';

const hourMs = 3_600_000;

it('compares within two hours of the first start', () => {
  expect(getFirstDelayMs(null, 0)).toBe(hourMs);
  expect(getFirstDelayMs(null, 0.5)).toBe(1.5 * hourMs);
});

it('never starts all overdue comparisons at once, and never waits for more than an hour', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 24 * hourMs, max: 1_000 * hourMs }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (ageMs, random) => {
        expect(getFirstDelayMs(ageMs, random)).toBe(random * hourMs);
      },
    ),
  );
});

it('compares a day after the last comparison, and up to an hour later after a restart', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 24 * hourMs }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (ageMs, random) => {
        const sinceLastMs = ageMs + getFirstDelayMs(ageMs, random);
        expect(sinceLastMs).toBeGreaterThanOrEqual(24 * hourMs);
        expect(sinceLastMs).toBeLessThanOrEqual(25 * hourMs);
      },
    ),
  );
});
