import { expect, test } from 'vitest';
import { formatUtc } from './format-utc.ts';

test.each([
  ['2026-11-21T21:00:05.123Z', '2026-11-21 21:00:05 UTC'],
  ['2026-11-21T21:00:05Z', '2026-11-21 21:00:05 UTC'],
])('formats %s as %s', (instant, text) => {
  expect(formatUtc(instant)).toBe(text);
});
