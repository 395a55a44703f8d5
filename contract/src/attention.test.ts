import { expect, it } from 'vitest';
import { getAttentionRefreshMs, getPromisedAgeMs } from './attention.ts';

it.each([
  [0, 60_000],
  [1, 3_000],
  [10, 3_000],
  [20, 6_000],
  [400, 10_000],
])('asks again while %d checks are pending after %d ms', (missing, expected) => {
  expect(getAttentionRefreshMs(missing)).toBe(expected);
});

it('promises checks that are a minute old for a few apps, and five minutes for 400', () => {
  expect([0, 10, 400].map(getPromisedAgeMs)).toEqual([60_000, 66_000, 300_000]);
});
