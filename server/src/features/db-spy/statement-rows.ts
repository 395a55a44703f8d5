import type { StatRow } from '@portal/contract/db-spy';
import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import type { Statement } from '@portal/platforms/helium-database/statistics/statements';

/** A statement as it is shown, with all that its server has counted. */
export function rowOf(statement: Statement): StatRow {
  const { min_time, max_time, share } = statement;
  return { ...textsOf(statement), ...numbersOf(statement), min_time, max_time, share };
}

/** A statement with what was counted of it over some time only. `total`: of the whole scope, in milliseconds. */
export function rangeRowOf(statement: Statement, counted: StatementCounters, total: number): StatRow {
  const share = total > 0 ? counted.total_time / total : 0;
  return { ...textsOf(statement), ...numbersOf(counted), min_time: null, max_time: null, share };
}

function textsOf({ id, query, queryLength, ranBy, matched }: Statement) {
  return { id, query, queryLength, ranBy, ...(matched !== null && { matched }) };
}

function numbersOf(counters: StatementCounters) {
  const { calls, total_time, mean_time, stddev_time, rows, plan_time, io_time, temp_bytes, wal_bytes } = counters;
  const cache_hit = cacheHitOf(counters);
  return { calls, total_time, mean_time, stddev_time, rows, plan_time, cache_hit, io_time, temp_bytes, wal_bytes };
}

function cacheHitOf({ pages_hit, pages_read }: StatementCounters): number | null {
  const needed = (pages_hit ?? 0) + (pages_read ?? 0);
  return pages_hit === null || needed === 0 ? null : pages_hit / needed;
}
