import type { getStats } from '@portal/contract/db-spy';
import type { RequestOf } from '@portal/contract/endpoint';
import type { Pool } from '@portal/kit/postgres/pool';
import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import { readAllStatements, readStatements } from '@portal/platforms/helium-database/statistics/statements';
import { countSince, hasBegunAnew } from './snapshots/count-range.ts';
import { beginningOf, startOfRange } from './snapshots/range-start.ts';
import { unpackNumbers } from './snapshots/snapshot-numbers.ts';
import { findSnapshot } from './snapshots/snapshots.store.ts';
import { numbersOf, type RowNumbers, rangeNumbersOf, writeRow } from './statement-rows.ts';
import { type AbleServer, readInfo, requireStatistics } from './statistics-state.ts';
import type { StatisticsTarget } from './statistics-target.ts';

type Wanted = RequestOf<typeof getStats>;

/** The rows of the target, as the payload wants them, each as JSON. */
export async function readStats(pool: Pool, target: StatisticsTarget, wanted: Wanted, now: Date): Promise<string[]> {
  const { database, dataSource } = target;
  const able = await requireStatistics(database, dataSource);
  const rule = target.rule ?? undefined;
  const { range = 'reset' } = wanted;
  if (range !== 'reset') return readRange(pool, target, able, { ...wanted, range }, now);
  const statements = await readStatements(database, able.server, able.extension, { ...wanted, rule });
  return statements.map((statement) => writeRow(statement, numbersOf(statement)));
}

/**
 * Chosen and ordered here: only the difference says how many calls there were and what took long.
 */
async function readRange(
  pool: Pool,
  target: StatisticsTarget,
  able: AbleServer,
  wanted: Wanted & { readonly range: 'hour' | 'day' | 'week' },
  now: Date,
): Promise<string[]> {
  const { environment, database, dataSource } = target;
  const { server, extension } = able;
  const beginning = beginningOf(wanted.range, now);
  const [statements, info, found] = await Promise.all([
    readAllStatements(database, server, extension, { ...wanted, rule: target.rule ?? undefined }),
    readInfo(pool, database, able, dataSource.hostname),
    findSnapshot(pool, { environment, dataSource: database.name }, beginning),
  ]);
  const start = startOfRange(beginning, found, { lastReset: info.lastReset, startedAt: server.startedAt });
  const then = start.snapshot ? await unpackNumbers(start.snapshot.numbers) : new Map<string, StatementCounters>();
  // A crash takes all counters along; where one shows it, the others only grew beyond what they
  // were by now.
  const lostAll = start.mayHaveLost && statements.some((one) => hasBegunAnew(then.get(one.id) ?? one, one));
  const counted = statements.map((statement) => ({
    statement,
    since: countSince(lostAll ? undefined : then.get(statement.id), statement),
  }));
  const total = counted.reduce((sum, { since }) => sum + since.total_time, 0);
  const rows = counted
    .filter(({ statement, since }) => statement.isFound && since.calls > 0 && since.calls >= (wanted.minCalls ?? 0))
    .map(({ statement, since }) => ({ statement, numbers: rangeNumbersOf(statement, since, total) }));
  rows.sort((one, other) => bySlowest(one.numbers, other.numbers));
  return rows.map(({ statement, numbers }) => writeRow(statement, numbers));
}

/**
 * The slowest in total first, as PostgreSQL orders where nothing is counted anew: equals by their
 * id.
 */
function bySlowest(one: RowNumbers, other: RowNumbers): number {
  return other.total_time - one.total_time || (one.id < other.id ? -1 : 1);
}
