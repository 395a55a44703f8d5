import type { StatRow } from '@portal/contract/db-spy';
import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import type { Statement } from '@portal/platforms/helium-database/statistics/statements';

/** A statement as it is shown, with all that its server has counted. */
export function rowOf(statement: Statement): StatRow {
  return makeRow(statement, statement, statement.min_time, statement.max_time, statement.share);
}

/** A statement with what was counted of it over some time only. `total`: of the whole scope, in milliseconds. */
export function rangeRowOf(statement: Statement, counted: StatementCounters, total: number): StatRow {
  return makeRow(statement, counted, null, null, total > 0 ? counted.total_time / total : 0);
}

/** Written out field by field: with thousands of rows, gathering them from parts takes longer than reading them. */
function makeRow(
  statement: Statement,
  counters: StatementCounters,
  min_time: number | null,
  max_time: number | null,
  share: number,
): StatRow {
  const row: StatRow = {
    query: statement.query,
    calls: counters.calls,
    total_time: counters.total_time,
    min_time,
    max_time,
    mean_time: counters.mean_time,
    stddev_time: counters.stddev_time,
    rows: counters.rows,
    id: statement.id,
    queryLength: statement.queryLength,
    ranBy: statement.ranBy,
    share,
    plan_time: counters.plan_time,
    cache_hit: cacheHitOf(counters),
    io_time: counters.io_time,
    temp_bytes: counters.temp_bytes,
    wal_bytes: counters.wal_bytes,
  };
  if (statement.matched !== null) row.matched = statement.matched;
  return row;
}

function cacheHitOf({ pages_hit, pages_read }: StatementCounters): number | null {
  const needed = (pages_hit ?? 0) + (pages_read ?? 0);
  return pages_hit === null || needed === 0 ? null : pages_hit / needed;
}
