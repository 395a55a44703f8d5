import { expect, test } from 'vitest';
import { describeTrend } from './describe-trend.ts';

test('describes the sums of a trend and the range of its intervals', () => {
  expect(describeTrend({ calls: [0, 1200, 3], total_time: [0, 2500, 0.25] })).toBe(
    '1,203 calls in 2.5\u00a0s; calls per interval 0 to 1,200, last 3, total time 0\u00a0s to 2.5\u00a0s, last 250\u00a0µs',
  );
});
