import { setImmediate } from 'node:timers/promises';
import type { getStats, getTopStats, TopStats } from '@portal/contract/db-spy';
import type { RequestOf } from '@portal/contract/endpoint';
import type { Pool } from '@portal/kit/postgres/pool';
import type { AppRule } from '@portal/platforms/helium-database/statistics/app-rule';
import type { StatementCounters } from '@portal/platforms/helium-database/statistics/statement-columns';
import {
  type CountedStatement,
  type OtherStatements,
  readAllNumbers,
  readOthers,
  readStatements,
  readTexts,
} from '@portal/platforms/helium-database/statistics/statements';
import type { AddElements } from '../../http/raw-json-list.ts';
import { rankRows } from './rank-rows.ts';
import { countSince, hasRestarted } from './snapshots/count-range.ts';
import { getRangeBeginning, resolveRangeStart } from './snapshots/range-start.ts';
import { unpackNumbers } from './snapshots/snapshot-numbers.ts';
import { findSnapshot } from './snapshots/snapshots.store.ts';
import { type RowNumbers, ScopeTime, toJsonRow, toNumbers, toOtherRow, toRangeNumbers } from './statement-rows.ts';
import { readInfo, requireStatistics, type StatisticsSource } from './statistics-state.ts';
import type { StatisticsTarget } from './statistics-target.ts';

const statementsPerSlice = 500;

type StatsRequest = RequestOf<typeof getStats>;

type TopStatsRequest = RequestOf<typeof getTopStats>;

/**
 * Ranks the numbers of all statements, and reads the texts of those with the highest or lowest
 * values.
 */
export async function readTopStats(
  pool: Pool,
  target: StatisticsTarget,
  request: TopStatsRequest,
  now: Date,
): Promise<TopStats> {
  const source = await requireStatistics(target.database, target.dataSource);
  const visible = (await target.findVisible()) ?? undefined;
  const { range = 'reset', textLimit } = request;
  const { rows, others } =
    range === 'reset'
      ? await countAll(target, source, { ...request, visible })
      : await countRange(pool, target, source, { ...request, range, visible }, now);
  const other = hasOthers(others) ? toOtherRow(others) : undefined;
  const { first, ...ranking } = rankRows(other ? [...rows, other] : rows, request);
  const ids = first.map(({ id }) => id);
  const texts = new Map(other && [[other.id, other.query]]);
  await readTexts(target.database, source.extension, { ids, textLimit }, (found) => {
    for (const { at, queryJson } of found) texts.set(ids[at] ?? '', JSON.parse(queryJson));
  });
  // A statement that the server no longer has by now has no text.
  const withTexts = first.flatMap((row) => {
    const query = texts.get(row.id);
    return query === undefined ? [] : [{ ...row, query }];
  });
  return { rows: withTexts, ...ranking };
}

/** Reads the target's rows as requested, and adds each as JSON. */
export async function readStats(
  pool: Pool,
  target: StatisticsTarget,
  request: StatsRequest,
  now: Date,
  add: AddElements,
): Promise<void> {
  const { database, dataSource } = target;
  const source = await requireStatistics(database, dataSource);
  const rule = target.rule ?? undefined;
  const visible = (await target.findVisible()) ?? undefined;
  const { range = 'reset' } = request;
  if (range !== 'reset') return readRange(pool, target, source, { ...request, range, visible }, now, add);
  await readStatements(database, source.server, source.extension, { ...request, rule, visible }, (statements) =>
    add(statements.map((statement) => toJsonRow(statement.queryJson, toNumbers(statement)))),
  );
  if (visible)
    await addOthers(await readOthers(database, source.server, source.extension, { ...request, visible }), add);
}

async function addOthers(others: OtherStatements, add: AddElements): Promise<void> {
  if (hasOthers(others)) await add([JSON.stringify(toOtherRow(others))]);
}

function hasOthers({ count, calls }: OtherStatements): boolean {
  return count > 0 && calls > 0;
}

/**
 * Filters and sorts the numbers here, because call counts and times are only known after
 * subtracting the snapshot. The texts, which are most of the data, are read afterwards in the order
 * of the rows.
 */
async function readRange(
  pool: Pool,
  target: StatisticsTarget,
  { server, extension }: StatisticsSource,
  request: RangeRequest,
  now: Date,
  add: AddElements,
): Promise<void> {
  const { rows, others } = await countRange(pool, target, { server, extension }, request, now);
  const ids = rows.map(({ id }) => id);
  await readTexts(target.database, extension, { ids, textLimit: request.textLimit }, (texts) =>
    add(
      texts.flatMap(({ at, queryJson }) => {
        const numbers = rows[at];
        return numbers ? [toJsonRow(queryJson, numbers)] : [];
      }),
    ),
  );
  await addOthers(others, add);
}

interface Counted {
  readonly statement: CountedStatement;
  readonly since: StatementCounters;
}

type RangeRequest = Omit<StatsRequest, 'range'> & {
  readonly range: 'hour' | 'day' | 'week';
  readonly visible: readonly AppRule[] | undefined;
};

interface CountedRows {
  readonly rows: RowNumbers[];
  readonly others: OtherStatements;
}

/** Counts what the server has counted since its last reset. */
async function countAll(
  { database, rule }: StatisticsTarget,
  { server, extension }: StatisticsSource,
  request: StatsRequest & { readonly visible: readonly AppRule[] | undefined },
): Promise<CountedRows> {
  const statements = await readAllNumbers(database, server, extension, { ...request, rule: rule ?? undefined });
  const time = new ScopeTime();
  for (const statement of statements) time.add(statement, statement);
  return {
    rows: statements
      .filter(({ isFound, calls }) => isFound && calls >= (request.minCalls ?? 0))
      .map((statement) => toNumbers(statement)),
    others: sumOthers(
      statements.map((statement) => ({ statement, since: statement })),
      time.total,
    ),
  };
}

async function countRange(
  pool: Pool,
  target: StatisticsTarget,
  source: StatisticsSource,
  request: RangeRequest,
  now: Date,
): Promise<CountedRows> {
  const { environment, database, dataSource } = target;
  const { server, extension } = source;
  const beginning = getRangeBeginning(request.range, now);
  const [statements, info, found] = await Promise.all([
    readAllNumbers(database, server, extension, {
      ...request,
      rule: target.rule ?? undefined,
    }),
    readInfo(pool, database, source, dataSource.hostname),
    findSnapshot(pool, { environment, dataSource: database.name }, beginning),
  ]);
  const start = resolveRangeStart(beginning, found, { lastReset: info.lastReset, startedAt: server.startedAt });
  const then = start.snapshot ? await unpackNumbers(start.snapshot.numbers) : new Map<string, StatementCounters>();
  // A crash resets all counters. If one counter shows it, the others have merely grown past their
  // old values.
  const lostAll = start.mayHaveLostCounts && statements.some((one) => hasRestarted(then.get(one.id) ?? one, one));
  const counted: Counted[] = [];
  const time = new ScopeTime();
  for (const statement of statements) {
    const since = countSince(lostAll ? undefined : then.get(statement.id), statement);
    time.add(statement, since);
    counted.push({ statement, since });
    // Lets other requests run.
    if (counted.length % statementsPerSlice === 0) await setImmediate();
  }
  const rows = counted
    .filter(({ statement, since }) => statement.isFound && since.calls > 0 && since.calls >= (request.minCalls ?? 0))
    .map(({ statement, since }) => toRangeNumbers(statement, since, time.total))
    .sort(compareTotalTime);
  return { rows, others: sumOthers(counted, time.total) };
}

function sumOthers(counted: readonly Counted[], total: number): OtherStatements {
  const others = counted
    .filter(({ statement }) => !statement.isVisible && !statement.isInner)
    .map(({ since }) => since);
  const sum = (name: 'calls' | 'total_time' | 'rows') => others.reduce((all, one) => all + one[name], 0);
  const total_time = sum('total_time');
  const share = total > 0 ? total_time / total : 0;
  return { count: others.length, calls: sum('calls'), total_time, rows: sum('rows'), share };
}

/** Sorts by total time descending, then by id, as PostgreSQL does without a range. */
function compareTotalTime(one: RowNumbers, other: RowNumbers): number {
  return other.total_time - one.total_time || (one.id < other.id ? -1 : 1);
}
