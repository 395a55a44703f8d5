import { otherApps, type StatRow } from '@portal/contract/db-spy';
import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import type { OtherStatements, StatementNumbers } from '@portal/platforms/helium-database/statistics/statements';

/** A row without its text, which PostgreSQL has already encoded as JSON. */
export type RowNumbers = Omit<StatRow, 'query'>;

/** Returns a statement's row with everything its server has counted. */
export function toNumbers(statement: StatementNumbers): RowNumbers {
  const { min_time, max_time, share } = statement;
  return buildNumbers(statement, statement, { min_time, max_time, share });
}

/**
 * Returns a statement's row with the counts of a time range.
 *
 * @param total of `ScopeTime`
 */
export function toRangeNumbers(statement: StatementNumbers, counted: StatementCounters, total: number): RowNumbers {
  const share = total > 0 ? counted.total_time / total : 0;
  return buildNumbers(statement, counted, { min_time: null, max_time: null, share });
}

/** Adds up the time of a scope. */
export class ScopeTime {
  #ofOuter = 0;
  #max = 0;

  add({ isInner }: Pick<StatementNumbers, 'isInner'>, { total_time }: Pick<StatementCounters, 'total_time'>): void {
    if (!isInner) this.#ofOuter += total_time;
    this.#max = Math.max(this.#max, total_time);
  }

  /**
   * Milliseconds. The time of inner statements is part of the statements that ran them, unless
   * those were aborted or belong to another app. So it is at least the time of each statement, and
   * no share is above 1.
   */
  get total(): number {
    return Math.max(this.#ofOuter, this.#max);
  }
}

/** Returns the row of all statements that the caller may not read. */
export function toOtherRow({ calls, total_time, rows, share }: OtherStatements): StatRow {
  return {
    ...otherApps,
    calls,
    total_time,
    rows,
    share,
    mean_time: total_time / calls,
    min_time: null,
    max_time: null,
    stddev_time: 0,
    queryLength: null,
    ranBy: null,
    plan_time: null,
    cache_hit: null,
    io_time: null,
    temp_bytes: null,
    wal_bytes: null,
  };
}

/** Returns the row as JSON. */
export function toJsonRow(queryJson: string, numbers: RowNumbers): string {
  return `{"query":${queryJson},${JSON.stringify(numbers).slice(1)}`;
}

/**
 * Lists the fields one by one: with thousands of rows, spreading objects takes longer than reading
 * the data.
 */
function buildNumbers(
  { id, queryLength, ranBy, matched, isInner, hasText }: StatementNumbers,
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
    cache_hit: getCacheHitRatio(counters),
    io_time: counters.io_time,
    temp_bytes: counters.temp_bytes,
    wal_bytes: counters.wal_bytes,
  };
  if (matched !== null) numbers.matched = matched;
  if (isInner) numbers.isInner = true;
  if (!hasText) numbers.hasNoText = true;
  return numbers;
}

function getCacheHitRatio({ pages_hit, pages_read }: StatementCounters): number | null {
  const pages = (pages_hit ?? 0) + (pages_read ?? 0);
  return pages_hit === null || pages === 0 ? null : pages_hit / pages;
}
