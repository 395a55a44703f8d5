import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JourneyFailure } from './journey-problem.ts';
import { journeyBackoff, retryDelayMs } from './retry-delay.ts';

const askedMs = fc.integer({ min: 1_000, max: 3_600_000 });
const failures: fc.Arbitrary<[JourneyFailure, number]> = fc.oneof(
  askedMs.map((retryAfterMs): [JourneyFailure, number] => [{ kind: 'rate-limited', retryAfterMs }, retryAfterMs]),
  askedMs.map((retryAfterMs): [JourneyFailure, number] => [
    { kind: 'server-error', status: 503, retryAfterMs },
    retryAfterMs,
  ]),
  fc.constantFrom<[JourneyFailure, number]>(
    [{ kind: 'server-error', status: 500, retryAfterMs: undefined }, 0],
    [{ kind: 'no-response', timedOut: true }, 0],
    [{ kind: 'unreachable' }, 0],
  ),
);
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('waits at least as long as requested and at most the doubling limit longer', () => {
  fc.assert(
    fc.property(failures, fc.nat({ max: 2_000 }), chance, ([failure, requestedMs], attempt, luck) => {
      const waitMs = retryDelayMs(failure, attempt, () => luck);
      expect(waitMs).toBeGreaterThanOrEqual(requestedMs);
      expect(waitMs).toBeLessThan(
        requestedMs + Math.min(journeyBackoff.maxMs, journeyBackoff.initialMs * 2 ** attempt),
      );
      expect(retryDelayMs(failure, attempt, () => 0)).toBe(requestedMs);
    }),
  );
  expect(retryDelayMs({ kind: 'rate-limited', retryAfterMs: 1_000 }, 0, () => 0.5)).toBe(1_500);
  expect(retryDelayMs({ kind: 'unreachable' }, 40, () => 0.5)).toBe(2_500);
});
