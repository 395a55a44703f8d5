import { type Metric, metricLabels } from '@portal/contract/db-spy';
import { formatExactSeconds, formatSeconds, formatStatementTime } from '../../../format/durations.ts';
import { formatCount } from '../../../format/numbers.ts';

export function isTime(metric: Metric): boolean {
  return metric.endsWith('_time');
}

/** Returns the specified label of a metric in the chooser, which names the unit of times. */
export function getMetricName(metric: Metric): string {
  return isTime(metric) ? `${metricLabels[metric]} (s)` : metricLabels[metric];
}

/** Formats a value with its unit; a dash if the server does not record it. */
export function formatMetric(metric: Metric, value: number | null): string {
  if (value === null) return '–';
  return isTime(metric) ? formatStatementTime(value) : formatCount(value);
}

/** Formats a value in the unit of `getMetricName`, in which charts are labeled. */
export function formatCharted(metric: Metric, value: number): string {
  return isTime(metric) ? formatSeconds(value) : formatCount(value);
}

/** Formats the exact value, for tooltips. */
export function formatExactly(metric: Metric, value: number): string {
  return isTime(metric) ? formatExactSeconds(value) : formatCount(value);
}
