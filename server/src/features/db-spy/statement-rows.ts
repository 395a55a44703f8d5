import type { StatRow } from '@portal/contract/db-spy';
import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import type { Statement } from '@portal/platforms/helium-database/statistics/statements';

/** All of a row but its text, which PostgreSQL has written as JSON already. */
export type RowNumbers = Omit<StatRow, 'query'>;

/** A statement as it is shown, with all that its server has counted. */
export function numbersOf(statement: Statement): RowNumbers {
  const { min_time, max_time, share } = statement;
  return makeNumbers(statement, statement, { min_time, max_time, share });
}

/**
 * A statement with what was counted of it over some time only. `total`: of the whole scope, in
 * milliseconds.
 */
export function rangeNumbersOf(statement: Statement, counted: StatementCounters, total: number): RowNumbers {
  const share = total > 0 ? counted.total_time / total : 0;
  return makeNumbers(statement, counted, { min_time: null, max_time: null, share });
}

/** The row as JSON. */
export function writeRow({ queryJson }: Statement, numbers: RowNumbers): string {
  return `{"query":${queryJson},${JSON.stringify(numbers).slice(1)}`;
}

/**
 * Written out field by field: with thousands of rows, gathering them from parts takes longer than
 * reading them.
 */
function makeNumbers(
  { id, queryLength, ranBy, matched }: Statement,
  counters: StatementCounters,
  { min_time, max_time, share }: Pick<RowNumbers, 'min_time' | 'max_time' | 'share'>,
): RowNumbers {
  const numbers: RowNumbers = {
    calls: counters.calls,
    total_time: counters.total_time,
    min_time,
    max_time,
    mean_time: counters.mean_time,
    stddev_time: counters.stddev_time,
    rows: counters.rows,
    id,
    queryLength,
    ranBy,
    share,
    plan_time: counters.plan_time,
    cache_hit: cacheHitOf(counters),
    io_time: counters.io_time,
    temp_bytes: counters.temp_bytes,
    wal_bytes: counters.wal_bytes,
  };
  if (matched !== null) numbers.matched = matched;
  return numbers;
}

function cacheHitOf({ pages_hit, pages_read }: StatementCounters): number | null {
  const needed = (pages_hit ?? 0) + (pages_read ?? 0);
  return pages_hit === null || needed === 0 ? null : pages_hit / needed;
}
