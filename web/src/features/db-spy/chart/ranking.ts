import { isAdditive, isCountedElsewhere, type Metric, type StatRow, type TopStats } from '@portal/contract/db-spy';

/** A statement with its rank, starting at 1. */
export interface Ranked {
  readonly rank: number;
  readonly row: StatRow;
  readonly value: number;
  /** The fraction of the total, 0 to 1; null for metrics that are not additive. */
  readonly part: number | null;
  /**
   * Whether the value is part of that of the statement that ran this one, so that the other parts
   * add up to 1.
   */
  readonly isCountedElsewhere: boolean;
}

export interface Ranking {
  readonly ranked: readonly Ranked[];
  /**
   * The statements outside the ranking, so that the parts add up to 1. null if there are none or
   * the metric is not additive.
   */
  readonly other: { readonly count: number; readonly value: number; readonly part: number } | null;
}

/** Returns the ranks and parts of the first statements by the metric. */
export function toRanking({ rows, rest }: Pick<TopStats, 'rows' | 'rest'>, metric: Metric): Ranking {
  const valued = rows.flatMap((row) => {
    const value = row[metric];
    return value === null ? [] : [{ row, value }];
  });
  const total = valued.reduce(
    (sum, { row, value }) => sum + (isCountedElsewhere(row, metric) ? 0 : value),
    rest?.value ?? 0,
  );
  const toPart = (value: number) => (total > 0 ? Math.min(1, value / total) : 0);
  return {
    ranked: valued.map(({ row, value }, index) => ({
      rank: index + 1,
      row,
      value,
      part: isAdditive(metric) ? toPart(value) : null,
      isCountedElsewhere: isCountedElsewhere(row, metric),
    })),
    other: rest && { ...rest, part: toPart(rest.value) },
  };
}
