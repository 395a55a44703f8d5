import { expect, test } from 'vitest';
import { formatShare } from '../../../format/numbers.ts';
import { formatCharted, formatExactly, formatMetric, getMetricName } from './stat-metrics.ts';

test('shows times of charts in seconds, as labeled, others in the unit that reads best, and counts as plain numbers', () => {
  expect(getMetricName('mean_time')).toBe('Mean Time (s)');
  expect(getMetricName('rows')).toBe('Rows retrieved or affected');
  expect(formatMetric('mean_time', 1234.5)).toBe('1.23\u00a0s');
  expect(formatMetric('mean_time', 0.0821)).toBe('82.1\u00a0µs');
  expect(formatMetric('total_time', 1_234_567)).toBe('1,235\u00a0s');
  expect(formatMetric('total_time', 999_960)).toBe('1,000\u00a0s');
  expect(formatCharted('mean_time', 0.0821)).toBe('0.0000821\u00a0s');
  expect(formatCharted('mean_time', 12.345)).toBe('0.0123\u00a0s');
  expect(formatCharted('total_time', 1_234_567)).toBe('1,235\u00a0s');
  expect(formatCharted('calls', 1_234_567)).toBe('1,234,567');
  expect(formatMetric('calls', 1_234_567)).toBe('1,234,567');
  expect(formatMetric('min_time', null)).toBe('–');
  expect(formatExactly('mean_time', 1234.567)).toBe('1.234567\u00a0s');
  expect(formatExactly('mean_time', 0.0318)).toBe('0.0000318\u00a0s');
});

test('never rounds a nonzero share to zero', () => {
  expect(formatShare(0)).toBe('0.0\u00a0%');
  expect(formatShare(0.00001)).toBe('<\u00a00.1\u00a0%');
  expect(formatShare(0.1234)).toBe('12.3\u00a0%');
  expect(formatShare(1)).toBe('100.0\u00a0%');
});
