import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

const bounds = fc.record({
  initialMs: fc.integer({ min: 1, max: 10_000 }),
  maxMs: fc.integer({ min: 10_000, max: 600_000 }),
});
const attempts = fc.nat({ max: 5_000 });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('returns a delay from 0 up to its bound, however many attempts failed', () => {
  fc.assert(
    fc.property(bounds, attempts, chance, (bound, attempt, luck) => {
      const waitMs = backoffMs(attempt, bound, () => luck);
      expect(waitMs).toBeGreaterThanOrEqual(0);
      expect(waitMs).toBeLessThan(bound.maxMs);
      expect(waitMs).toBeLessThan(bound.initialMs * 2 ** attempt);
    }),
  );
});

test('never shortens the delay after a further failure, and spreads delays over the whole range', () => {
  fc.assert(
    fc.property(bounds, attempts, chance, (bound, attempt, luck) => {
      expect(backoffMs(attempt + 1, bound, () => luck)).toBeGreaterThanOrEqual(backoffMs(attempt, bound, () => luck));
      expect(backoffMs(attempt, bound, () => 0)).toBe(0);
    }),
  );
  expect(backoffMs(20, { initialMs: 100, maxMs: 30_000 }, () => 0.999_999)).toBe(29_999);
  expect(backoffMs(2, { initialMs: 100, maxMs: 30_000 }, () => 0.5)).toBe(200);
});
