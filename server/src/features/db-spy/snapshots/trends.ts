import { setImmediate } from 'node:timers/promises';
import type { StatementTrend, StatementTrends } from '@portal/contract/db-spy';
import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import { countSince, hasRestarted } from './count-range.ts';
import { unpackNumbers } from './snapshot-numbers.ts';
import type { FoundSnapshot, SnapshotMoment } from './snapshots.store.ts';

type Counters = ReadonlyMap<string, StatementCounters>;

/**
 * Counts what happened to the statements between each two of the snapshots, oldest first. A
 * statement that the server had not counted, or no longer counts, adds zero.
 */
export async function countTrends(
  snapshots: readonly FoundSnapshot[],
  ids: readonly string[],
): Promise<StatementTrends> {
  const trends = new Map<string, StatementTrend>();
  let before: { readonly moment: SnapshotMoment; readonly counters: Counters } | undefined;
  for (const [index, moment] of snapshots.entries()) {
    const counters = await unpackNumbers(moment.numbers, ['calls', 'total_time', 'counted_since']);
    const lostAll = before !== undefined && hasLostCounts(before.moment, before.counters, moment, counters);
    for (const id of new Set(ids)) {
      const now = counters.get(id);
      const trend = trends.get(id) ?? (now && createTrend(id, index));
      if (!trend) continue;
      trends.set(id, trend);
      if (!before) continue;
      const since = now && countSince(lostAll ? undefined : before.counters.get(id), now);
      trend.calls.push(since?.calls ?? 0);
      trend.total_time.push(since?.total_time ?? 0);
    }
    before = { moment, counters };
    // Lets other requests run.
    await setImmediate();
  }
  return { takenAt: snapshots.map(({ takenAt }) => takenAt.toISOString()), trends: [...trends.values()] };
}

/** Returns the trend of a statement that is first counted in this snapshot. */
function createTrend(id: string, index: number): StatementTrend {
  const zeros = () => Array.from({ length: Math.max(0, index - 1) }, () => 0);
  return { id, calls: zeros(), total_time: zeros() };
}

/** Whether all counters started again from zero in between. */
function hasLostCounts(then: SnapshotMoment, before: Counters, now: SnapshotMoment, after: Counters): boolean {
  if (now.statsReset !== null) return then.statsReset?.getTime() !== now.statsReset.getTime();
  // A server that reports no resets loses its counters in a crash, which a single counter shows.
  if (then.serverStartedAt.getTime() === now.serverStartedAt.getTime()) return false;
  return [...after].some(([id, counters]) => hasRestarted(before.get(id) ?? counters, counters));
}
