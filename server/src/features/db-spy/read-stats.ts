import type { getStats } from '@portal/contract/db-spy';
import type { RequestOf } from '@portal/contract/endpoint';
import type { Pool } from '@portal/kit/postgres/pool';
import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import { readAllStatements, readStatements } from '@portal/platforms/helium-database/statistics/statements';
import { countSince, hasRestarted } from './snapshots/count-range.ts';
import { getRangeBeginning, resolveRangeStart } from './snapshots/range-start.ts';
import { unpackNumbers } from './snapshots/snapshot-numbers.ts';
import { findSnapshot } from './snapshots/snapshots.store.ts';
import { type RowNumbers, toJsonRow, toNumbers, toRangeNumbers } from './statement-rows.ts';
import { readInfo, requireStatistics, type StatisticsSource } from './statistics-state.ts';
import type { StatisticsTarget } from './statistics-target.ts';

type StatsRequest = RequestOf<typeof getStats>;

/** Reads the target's rows as requested, each as JSON. */
export async function readStats(
  pool: Pool,
  target: StatisticsTarget,
  request: StatsRequest,
  now: Date,
): Promise<string[]> {
  const { database, dataSource } = target;
  const source = await requireStatistics(database, dataSource);
  const rule = target.rule ?? undefined;
  const { range = 'reset' } = request;
  if (range !== 'reset') return readRange(pool, target, source, { ...request, range }, now);
  const statements = await readStatements(database, source.server, source.extension, { ...request, rule });
  return statements.map((statement) => toJsonRow(statement, toNumbers(statement)));
}

/**
 * Filters and sorts here, because call counts and times are only known after subtracting the
 * snapshot.
 */
async function readRange(
  pool: Pool,
  target: StatisticsTarget,
  source: StatisticsSource,
  request: StatsRequest & { readonly range: 'hour' | 'day' | 'week' },
  now: Date,
): Promise<string[]> {
  const { environment, database, dataSource } = target;
  const { server, extension } = source;
  const beginning = getRangeBeginning(request.range, now);
  const [statements, info, found] = await Promise.all([
    readAllStatements(database, server, extension, { ...request, rule: target.rule ?? undefined }),
    readInfo(pool, database, source, dataSource.hostname),
    findSnapshot(pool, { environment, dataSource: database.name }, beginning),
  ]);
  const start = resolveRangeStart(beginning, found, { lastReset: info.lastReset, startedAt: server.startedAt });
  const then = start.snapshot ? await unpackNumbers(start.snapshot.numbers) : new Map<string, StatementCounters>();
  // A crash resets all counters. If one counter shows it, the others have merely grown past their
  // old values.
  const lostAll = start.mayHaveLostCounts && statements.some((one) => hasRestarted(then.get(one.id) ?? one, one));
  const counted = statements.map((statement) => ({
    statement,
    since: countSince(lostAll ? undefined : then.get(statement.id), statement),
  }));
  const total = counted.reduce((sum, { since }) => sum + since.total_time, 0);
  const rows = counted
    .filter(({ statement, since }) => statement.isFound && since.calls > 0 && since.calls >= (request.minCalls ?? 0))
    .map(({ statement, since }) => ({ statement, numbers: toRangeNumbers(statement, since, total) }));
  rows.sort((one, other) => compareTotalTime(one.numbers, other.numbers));
  return rows.map(({ statement, numbers }) => toJsonRow(statement, numbers));
}

/** Sorts by total time descending, then by id, as PostgreSQL does without a range. */
function compareTotalTime(one: RowNumbers, other: RowNumbers): number {
  return other.total_time - one.total_time || (one.id < other.id ? -1 : 1);
}
