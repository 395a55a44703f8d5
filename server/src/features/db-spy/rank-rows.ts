import { isAdditive, isCountedElsewhere, type Metric, type Order, type TopStats } from '@portal/contract/db-spy';
import type { RowNumbers } from './statement-rows.ts';

export interface RankedRows extends Pick<TopStats, 'count' | 'rest'> {
  /** Best first. */
  readonly first: RowNumbers[];
}

/**
 * Returns the first rows by a metric, and the sum of the rest. Rows without a value have no rank.
 */
export function rankRows(
  rows: readonly RowNumbers[],
  { metric, order, limit }: { readonly metric: Metric; readonly order: Order; readonly limit: number },
): RankedRows {
  const direction = order === 'descending' ? -1 : 1;
  const ranked = rows
    .flatMap((row) => {
      const value = row[metric];
      return value === null ? [] : [{ row, value }];
    })
    .sort(
      (a, b) =>
        direction * (a.value - b.value) || b.row.total_time - a.row.total_time || (a.row.id < b.row.id ? -1 : 1),
    );
  const rest = ranked.slice(limit);
  const toAdded = ({ row, value }: (typeof ranked)[number]) => (isCountedElsewhere(row, metric) ? 0 : value);
  return {
    first: ranked.slice(0, limit).map(({ row }) => row),
    count: rows.length,
    rest:
      rest.length > 0 && isAdditive(metric)
        ? { count: rest.length, value: rest.reduce((sum, one) => sum + toAdded(one), 0) }
        : null,
  };
}
