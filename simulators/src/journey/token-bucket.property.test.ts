import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTokenBucket } from './token-bucket.ts';

it('never allows more than the burst plus the refill in any period', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 }),
      (perSecond, burst, pauses) => {
        let now = 0;
        const bucket = createTokenBucket({ perSecond, burst }, () => now);
        const passedAt: number[] = [];
        for (const pause of pauses) {
          now += pause;
          const { waitMs } = bucket.take();
          if (waitMs === 0) passedAt.push(now);
          else {
            // A caller that waits as long as instructed is allowed.
            now += waitMs;
            expect(bucket.take().waitMs).toBe(0);
            passedAt.push(now);
          }
        }
        for (const [first, from] of passedAt.entries()) {
          for (const [last, to] of passedAt.entries()) {
            if (last < first) continue;
            expect(last - first + 1).toBeLessThanOrEqual(burst + ((to - from) * perSecond) / 1000 + 1e-6);
          }
        }
      },
    ),
    // Here, 0.939 s after 0.061 of a token, the sum of both is a little less than one.
    { examples: [[1, 2, [0, 0, 174, 60]]] },
  );
});
