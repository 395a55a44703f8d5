import type { Metric, StatRow } from '@portal/contract/db-spy';
import { isAdditive } from './stat-metrics.ts';

export type Order = 'ascending' | 'descending';

/** A statement with its rank, starting at 1. */
export interface Ranked {
  readonly rank: number;
  readonly row: StatRow;
  readonly value: number;
  /** The fraction of the total, 0 to 1; null for metrics that are not additive. */
  readonly part: number | null;
}

export interface Ranking {
  readonly ranked: readonly Ranked[];
  /**
   * The statements outside the ranking, so that the parts add up to 1. null if there are none or
   * the metric is not additive.
   */
  readonly other: { readonly count: number; readonly value: number; readonly part: number } | null;
}

/**
 * Returns the first `size` rows by the metric. Rows without a value are excluded; ties are ordered
 * by total time, then id.
 */
export function rankRows(rows: readonly StatRow[], metric: Metric, order: Order, size: number): Ranking {
  const direction = order === 'descending' ? -1 : 1;
  const sorted = rows
    .flatMap((row) => {
      const value = row[metric];
      return value === null ? [] : [{ row, value }];
    })
    .sort(
      (a, b) =>
        direction * (a.value - b.value) || b.row.total_time - a.row.total_time || (a.row.id < b.row.id ? -1 : 1),
    );
  const first = sorted.slice(0, size);
  if (!isAdditive(metric)) {
    return { ranked: first.map(({ row, value }, index) => ({ rank: index + 1, row, value, part: null })), other: null };
  }
  const rest = sorted.slice(size);
  const restValue = sumValues(rest);
  const total = sumValues(first) + restValue;
  const toPart = (value: number) => (total > 0 ? value / total : 0);
  return {
    ranked: first.map(({ row, value }, index) => ({ rank: index + 1, row, value, part: toPart(value) })),
    other: rest.length === 0 ? null : { count: rest.length, value: restValue, part: toPart(restValue) },
  };
}

function sumValues(valued: readonly { readonly value: number }[]): number {
  return valued.reduce((sum, { value }) => sum + value, 0);
}
