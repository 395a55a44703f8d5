/**
 * Counts what happened between a snapshot and now. Counters only increase, so a lower value means
 * that the counter was reset in between (by a reset, a crash, or a dropped statement that
 * reappeared). Its current value is then a lower bound for the range; results are never negative.
 */
import { counterNames, type StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';

/** Counters that only increase and can therefore be subtracted. */
const monotonic = counterNames.filter((name) => !['mean_time', 'stddev_time', 'counted_since'].includes(name));

/**
 * Returns the current counters minus those of the snapshot, or the current counters if there was no
 * snapshot or they were reset since.
 */
export function countSince(then: StatementCounters | undefined, now: StatementCounters): StatementCounters {
  if (then === undefined || hasRestarted(then, now)) return now;
  const calls = now.calls - then.calls;
  const total_time = now.total_time - then.total_time;
  return {
    calls,
    total_time,
    mean_time: calls === 0 ? 0 : total_time / calls,
    stddev_time: deviationSince(then, now),
    rows: now.rows - then.rows,
    plan_time: subtract(then.plan_time, now.plan_time),
    pages_hit: subtract(then.pages_hit, now.pages_hit),
    pages_read: subtract(then.pages_read, now.pages_read),
    io_time: subtract(then.io_time, now.io_time),
    temp_bytes: subtract(then.temp_bytes, now.temp_bytes),
    wal_bytes: subtract(then.wal_bytes, now.wal_bytes),
    counted_since: now.counted_since,
  };
}

/** Checks whether any counter decreased, or the server reports a different start of counting. */
export function hasRestarted(then: StatementCounters, now: StatementCounters): boolean {
  const [before, since] = [then.counted_since, now.counted_since];
  if (before !== null && since !== null && before !== since) return true;
  return monotonic.some((name) => (now[name] ?? Infinity) < (then[name] ?? -Infinity));
}

/** Returns null if the value is unknown at either end. */
function subtract(then: number | null, now: number | null): number | null {
  return then === null || now === null ? null : now - then;
}

/**
 * Returns the standard deviation since the snapshot by inverting the combination of variances. With
 * the sum of squared distances from the mean, M = calls · deviation²: M(all) = M(then) + M(since) +
 * (mean(since) − mean(then))² · calls(then) · calls(since) / calls(all).
 */
function deviationSince(then: StatementCounters, now: StatementCounters): number {
  const calls = now.calls - then.calls;
  if (calls === 0) return 0;
  const distance = (now.total_time - then.total_time) / calls - (then.calls === 0 ? 0 : then.total_time / then.calls);
  const between = (distance ** 2 * then.calls * calls) / now.calls;
  const squares = now.calls * now.stddev_time ** 2 - then.calls * then.stddev_time ** 2 - between;
  // Rounding may produce a value slightly below zero.
  return Math.sqrt(Math.max(0, squares) / calls);
}
