import type { getStatementTrends, StatementTrends, StatsRange } from '@portal/contract/db-spy';
import type { RequestOf } from '@portal/contract/endpoint';
import type { Pool } from '@portal/kit/postgres/pool';
import { findStatementsOfApps } from '@portal/platforms/helium-database/statistics/statement-text';
import { getRangeBeginning } from './snapshots/range-start.ts';
import { listSnapshots } from './snapshots/snapshots.store.ts';
import { countTrends } from './snapshots/trends.ts';
import { requireStatistics } from './statistics-state.ts';
import type { StatisticsTarget } from './statistics-target.ts';

/**
 * Each is unpacked for one response. An hour has a snapshot every five minutes while it is viewed.
 */
const intervals = 12;

type TrendsRequest = Pick<RequestOf<typeof getStatementTrends>, 'ids' | 'range'>;

/** Reads the trends of those statements that the caller may read. */
export async function readTrends(
  pool: Pool,
  target: StatisticsTarget,
  { ids, range = 'reset' }: TrendsRequest,
  now: Date,
): Promise<StatementTrends> {
  const { environment, database } = target;
  const [visible, snapshots] = await Promise.all([
    findVisibleIds(target, ids),
    listSnapshots(
      pool,
      { environment, dataSource: database.name },
      { from: getRangeBeginning(toTrendRange(range), now), to: now, intervals },
    ),
  ]);
  return countTrends(snapshots, visible);
}

function toTrendRange(range: StatsRange): Exclude<StatsRange, 'reset'> {
  return range === 'reset' ? 'day' : range;
}

async function findVisibleIds(
  { database, dataSource, rule, findVisible }: StatisticsTarget,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rules = rule ? [rule] : await findVisible();
  if (rules === null) return ids;
  const { extension } = await requireStatistics(database, dataSource);
  return findStatementsOfApps(database, extension, ids, rules);
}
