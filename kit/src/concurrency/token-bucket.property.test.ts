import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokenBucket, type TokenBucketRate } from './token-bucket.ts';

const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 200 }), burst: fc.integer({ min: 1, max: 20 }) });
const gapsMs = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 50 }), fc.nat({ max: 3_000 })), { maxLength: 80 });
/** The tolerance for sums of fractions. */
const tinyMs = 1e-6;

function takeTimes(gaps: readonly number[]): number[] {
  let nowMs = 0;
  return gaps.map((gap) => {
    nowMs += gap;
    return nowMs;
  });
}

/** Whether one more token at `atMs` would exceed what a full bucket can give. */
function isTooFast(before: readonly number[], atMs: number, { perSecond, burst }: TokenBucketRate): boolean {
  return before.some((fromMs, index) => {
    const used = before.length - index + 1;
    return used > burst + ((atMs - fromMs) * perSecond) / 1000 + tinyMs;
  });
}

test('never exceeds its rate and never delays longer than necessary', () => {
  fc.assert(
    fc.property(rates, gapsMs, (rate, gaps) => {
      const bucket = createTokenBucket(rate);
      const taken: number[] = [];
      for (const wantedMs of takeTimes(gaps)) {
        const nowMs = Math.max(wantedMs, taken.at(-1) ?? 0);
        const atMs = bucket.nextAtMs(nowMs);
        bucket.take(atMs);
        expect(isTooFast(taken, atMs, rate)).toBe(false);
        if (atMs > nowMs) expect(isTooFast(taken, atMs - 0.01, rate)).toBe(true);
        taken.push(atMs);
      }
    }),
  );
});

test('predicts when each queued caller gets a token', () => {
  fc.assert(
    fc.property(rates, gapsMs, fc.nat({ max: 50 }), fc.nat({ max: 5_000 }), (rate, gaps, others, furtherMs) => {
      const bucket = createTokenBucket(rate);
      let nowMs = 0;
      const takeOne = () => {
        nowMs = bucket.nextAtMs(nowMs);
        bucket.take(nowMs);
        return nowMs;
      };
      for (const time of takeTimes(gaps)) {
        nowMs = Math.max(nowMs, time);
        takeOne();
      }
      nowMs += furtherMs;
      const expectedMs = bucket.nextAtMs(nowMs, others);
      for (let other = 0; other < others; other++) takeOne();
      expect(Math.abs(takeOne() - expectedMs)).toBeLessThan(tinyMs);
    }),
  );
});

test('delays no one without a rate', () => {
  const bucket = createTokenBucket({ perSecond: Number.POSITIVE_INFINITY, burst: 1 });
  for (let token = 0; token < 5; token++) {
    expect(bucket.nextAtMs(7, 1_000)).toBe(7);
    bucket.take(7);
  }
});
