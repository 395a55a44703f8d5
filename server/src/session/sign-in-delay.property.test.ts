import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getDelaySeconds } from './sign-in-delay.ts';

const count = fc.nat({ max: 5_000 });
const limits = fc.record({
  failuresPerUser: fc.integer({ min: 1, max: 200 }),
  failuresPerAddress: fc.integer({ min: 1, max: 2_000 }),
});

describe('getDelaySeconds', () => {
  it('starts with one second and doubles with each failure, up to 30 seconds', () => {
    const given = { failuresPerUser: 5, failuresPerAddress: 100 };
    const getDelays = (ofAddress: number) =>
      Array.from({ length: 12 }, (_, ofUser) => getDelaySeconds({ ofUser, ofAddress }, given));
    expect(getDelays(99)).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30]);
    expect(getDelays(100)).toEqual([0, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30]);
  });

  it('never exceeds 30 seconds', () => {
    fc.assert(
      fc.property(count, count, limits, (ofUser, ofAddress, given) => {
        const delay = getDelaySeconds({ ofUser, ofAddress }, given);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(30);
      }),
    );
  });

  it('never shrinks with more failures', () => {
    fc.assert(
      fc.property(count, count, count, count, limits, (ofUser, more, ofAddress, moreOfAddress, given) => {
        const before = getDelaySeconds({ ofUser, ofAddress }, given);
        const after = getDelaySeconds({ ofUser: ofUser + more, ofAddress: ofAddress + moreOfAddress }, given);
        expect(after).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it('never delays a user without failures, whatever others do at the address', () => {
    fc.assert(
      fc.property(count, limits, (ofAddress, given) => {
        expect(getDelaySeconds({ ofUser: 0, ofAddress }, given)).toBe(0);
      }),
    );
  });
});
