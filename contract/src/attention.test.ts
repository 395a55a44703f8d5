import { expect, it } from 'vitest';
import { getAttentionRefreshMs } from './attention.ts';

it.each([
  [0, 60_000],
  [1, 3_000],
  [10, 3_000],
  [20, 6_000],
  [400, 10_000],
])('asks again while %d checks are missing after %d ms', (missing, expected) => {
  expect(getAttentionRefreshMs(missing)).toBe(expected);
});
