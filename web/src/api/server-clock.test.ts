import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { clockLag, noteServerDate } from './server-clock.ts';

const noon = Date.parse('2026-11-23T12:00:00Z');
const toHeader = (ms: number) => new Date(ms).toUTCString();

beforeEach(() => clockLag.set(0));

test('a clock that is right, or a few seconds off, is not corrected', () => {
  for (const offMs of [0, 900, -4_000, 4_000]) {
    noteServerDate(toHeader(noon + offMs), noon, noon + 50);
    expect(clockLag.get()).toBe(0);
  }
});

test('a response without a date, or before its request, is ignored', () => {
  noteServerDate(null, noon, noon);
  noteServerDate('soon', noon, noon);
  noteServerDate(toHeader(noon), noon + 3_600_000, noon);
  expect(clockLag.get()).toBe(0);
});

test('a clock that was wrong and was set right is no longer corrected', () => {
  noteServerDate(toHeader(noon + 3 * 3_600_000), noon, noon + 100);
  expect(Math.round(clockLag.get() / 3_600_000)).toBe(3);
  noteServerDate(toHeader(noon), noon, noon + 100);
  expect(clockLag.get()).toBe(0);
});

test('the corrected time is off by a few seconds and the longest response at most', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -86_400_000, max: 86_400_000 }),
      fc.array(fc.tuple(fc.nat(30_000), fc.double({ min: 0, max: 1, noNaN: true })), { minLength: 1 }),
      (lagMs, responses) => {
        clockLag.set(0);
        for (const [tookMs, answeredAt] of responses) {
          noteServerDate(toHeader(noon + lagMs + tookMs * answeredAt), noon, noon + tookMs);
          const longestMs = Math.max(...responses.map(([ms]) => ms));
          expect(Math.abs(clockLag.get() - lagMs)).toBeLessThanOrEqual(5_500 + longestMs);
        }
      },
    ),
  );
});
