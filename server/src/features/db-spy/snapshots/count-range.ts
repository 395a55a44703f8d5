/**
 * What was counted between a snapshot and now. A server only ever counts up, so a counter that is
 * lower than it was has begun anew in between (a reset, a crash, a statement that was dropped and
 * came back), and what it says now is all that is known to have come since: a lower bound, never a
 * negative number.
 */
import { counterNames, type StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';

/** Those that only ever grow, and so can be taken apart by subtracting. */
const growing = counterNames.filter((name) => !['mean_time', 'stddev_time', 'counted_since'].includes(name));

/**
 * The counters now without those of then; all of them where there were none then, or they began
 * anew since.
 */
export function countSince(then: StatementCounters | undefined, now: StatementCounters): StatementCounters {
  if (then === undefined || hasBegunAnew(then, now)) return now;
  const calls = now.calls - then.calls;
  const total_time = now.total_time - then.total_time;
  return {
    calls,
    total_time,
    mean_time: calls === 0 ? 0 : total_time / calls,
    stddev_time: deviationSince(then, now),
    rows: now.rows - then.rows,
    plan_time: difference(then.plan_time, now.plan_time),
    pages_hit: difference(then.pages_hit, now.pages_hit),
    pages_read: difference(then.pages_read, now.pages_read),
    io_time: difference(then.io_time, now.io_time),
    temp_bytes: difference(then.temp_bytes, now.temp_bytes),
    wal_bytes: difference(then.wal_bytes, now.wal_bytes),
    counted_since: now.counted_since,
  };
}

/** Whether any counter fell, or the server says that it counts since another moment. */
export function hasBegunAnew(then: StatementCounters, now: StatementCounters): boolean {
  const [before, since] = [then.counted_since, now.counted_since];
  if (before !== null && since !== null && before !== since) return true;
  return growing.some((name) => (now[name] ?? Infinity) < (then[name] ?? -Infinity));
}

/** What was not kept at one of the ends cannot be told. */
function difference(then: number | null, now: number | null): number | null {
  return then === null || now === null ? null : now - then;
}

/**
 * The inverse of combining variances. With the sum of squared distances from the mean, M = calls ·
 * deviation²: M(all) = M(then) + M(since) + (mean(since) − mean(then))² · calls(then) ·
 * calls(since) / calls(all).
 */
function deviationSince(then: StatementCounters, now: StatementCounters): number {
  const calls = now.calls - then.calls;
  if (calls === 0) return 0;
  const distance = (now.total_time - then.total_time) / calls - (then.calls === 0 ? 0 : then.total_time / then.calls);
  const between = (distance ** 2 * then.calls * calls) / now.calls;
  const squares = now.calls * now.stddev_time ** 2 - then.calls * then.stddev_time ** 2 - between;
  // Rounding may leave a little less than nothing.
  return Math.sqrt(Math.max(0, squares) / calls);
}
