import { expect, it } from 'vitest';
import { getListRefreshMs } from './list-refresh.ts';

it.each([
  [0, 3],
  [50, 3],
  [100, 6],
  [300, 18],
])('refreshes a list of %i integrations every %i s', (count, seconds) => {
  expect(getListRefreshMs(count)).toBe(seconds * 1000);
});
