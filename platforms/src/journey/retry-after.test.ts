import { expect, it } from 'vitest';
import { parseRetryAfterMs } from './retry-after.ts';

it.each([
  [{}, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '0' }, 1_000],
  [{ 'retry-after': '0.2' }, 1_000],
  [{ 'retry-after': '17' }, 17_000],
  [{ 'retry-after': '86400' }, 300_000],
  [{ 'retry-after': '9'.repeat(400) }, 300_000],
  // Their clock is years off; the wait is relative to it.
  [{ 'retry-after': 'Fri, 01 Mar 2024 09:30:30 GMT', date: 'Fri, 01 Mar 2024 09:30:00 GMT' }, 30_000],
  [{ 'retry-after': 'Fri, 01 Mar 2024 09:29:00 GMT', date: 'Fri, 01 Mar 2024 09:30:00 GMT' }, 1_000],
  [{ 'retry-after': 'Fri, 01 Mar 2024 09:29:00 GMT' }, 1_000],
])('parses %j as %j ms', (headers, waitMs) => {
  expect(parseRetryAfterMs(new Headers(headers))).toBe(waitMs);
});
