import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JourneyFailure } from './journey-problem.ts';
import { journeyBackoff, retryWaitMs } from './retry-wait.ts';

const askedMs = fc.integer({ min: 1_000, max: 3_600_000 });
const failures: fc.Arbitrary<[JourneyFailure, number]> = fc.oneof(
  askedMs.map((retryAfterMs): [JourneyFailure, number] => [{ kind: 'rate-limited', retryAfterMs }, retryAfterMs]),
  askedMs.map((retryAfterMs): [JourneyFailure, number] => [
    { kind: 'server-trouble', status: 503, retryAfterMs },
    retryAfterMs,
  ]),
  fc.constantFrom<[JourneyFailure, number]>(
    [{ kind: 'server-trouble', status: 500, retryAfterMs: undefined }, 0],
    [{ kind: 'no-answer', timedOut: true }, 0],
    [{ kind: 'unreachable' }, 0],
  ),
);
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('waits as long as was asked, and by the doubling bound at most longer', () => {
  fc.assert(
    fc.property(failures, fc.nat({ max: 2_000 }), chance, ([failure, asked], attempt, luck) => {
      const waitMs = retryWaitMs(failure, attempt, () => luck);
      expect(waitMs).toBeGreaterThanOrEqual(asked);
      expect(waitMs).toBeLessThan(asked + Math.min(journeyBackoff.maxMs, journeyBackoff.initialMs * 2 ** attempt));
      expect(retryWaitMs(failure, attempt, () => 0)).toBe(asked);
    }),
  );
  expect(retryWaitMs({ kind: 'rate-limited', retryAfterMs: 1_000 }, 0, () => 0.5)).toBe(1_500);
  expect(retryWaitMs({ kind: 'unreachable' }, 40, () => 0.5)).toBe(15_000);
});
