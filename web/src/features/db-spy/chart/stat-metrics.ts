import { type Metric, metricLabels, type StatRow } from '@portal/contract/db-spy';
import { formatCount, formatExactMs, formatSeconds } from '../../../lib/format.ts';

/**
 * Times of several statements together make a sum that means something; means, extremes and
 * deviations do not.
 */
const additive: ReadonlySet<Metric> = new Set(['total_time', 'calls', 'rows']);

export function isAdditive(metric: Metric): boolean {
  return additive.has(metric);
}

export function isTime(metric: Metric): boolean {
  return metric.endsWith('_time');
}

/** As it is offered and drawn: times say that they are in seconds. */
export function getMetricName(metric: Metric): string {
  return isTime(metric) ? `${metricLabels[metric]} (s)` : metricLabels[metric];
}

/** The value as it is read, with its unit; a dash where the server does not keep it. */
export function formatMetric(metric: Metric, value: number | null): string {
  if (value === null) return '–';
  return isTime(metric) ? formatSeconds(value) : formatCount(value);
}

/** The value to the last digit, for hover. */
export function formatExactly(metric: Metric, value: number): string {
  return isTime(metric) ? formatExactMs(value) : formatCount(value);
}

/** Whether any of the rows has a value: a range keeps no shortest and no longest times. */
export function hasValues(rows: readonly StatRow[], metric: Metric): boolean {
  return rows.some((row) => row[metric] !== null);
}
