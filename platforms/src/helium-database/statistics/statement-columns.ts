import pg from 'pg';
import type { StatisticsExtension, StatisticsServer } from './statistics-server.ts';

/** What PostgreSQL counts of a statement, in the names of its version 12; times in milliseconds. */
export interface StatementCounters {
  readonly calls: number;
  readonly total_time: number;
  readonly mean_time: number;
  readonly stddev_time: number;
  readonly rows: number;
  /** null, as all that follow, where this server does not keep it. */
  readonly plan_time: number | null;
  readonly pages_hit: number | null;
  readonly pages_read: number | null;
  readonly io_time: number | null;
  readonly temp_bytes: number | null;
  readonly wal_bytes: number | null;
  /** When the server began to count it, by its own clock, in milliseconds: version 17 and later. */
  readonly counted_since: number | null;
}

/** In the order the questions select them in. */
export const counterNames = [
  'calls',
  'total_time',
  'mean_time',
  'stddev_time',
  'rows',
  'plan_time',
  'pages_hit',
  'pages_read',
  'io_time',
  'temp_bytes',
  'wal_bytes',
  'counted_since',
] as const satisfies readonly (keyof StatementCounters)[];

/** How each counter, and the shortest and the longest time, are read from this server. */
export function columnsOf({ tracksPlanning, tracksIoTiming }: StatisticsServer, { columns }: StatisticsExtension) {
  const newest = (...names: readonly string[]) => names.find((name) => columns.has(name)) ?? 'null';
  const sumOf = (...names: readonly string[]) => names.filter((name) => columns.has(name)).join(' + ') || 'null';
  const ioTimes = ['blk', 'shared_blk', 'local_blk', 'temp_blk'].flatMap((kind) => [
    `${kind}_read_time`,
    `${kind}_write_time`,
  ]);
  return {
    calls: 'calls',
    total_time: newest('total_exec_time', 'total_time'),
    mean_time: newest('mean_exec_time', 'mean_time'),
    stddev_time: newest('stddev_exec_time', 'stddev_time'),
    rows: 'rows',
    plan_time: tracksPlanning ? newest('total_plan_time') : 'null',
    pages_hit: sumOf('shared_blks_hit', 'local_blks_hit'),
    pages_read: sumOf('shared_blks_read', 'local_blks_read'),
    io_time: tracksIoTiming ? sumOf(...ioTimes) : 'null',
    temp_bytes: `temp_blks_written * current_setting('block_size')::bigint`,
    wal_bytes: newest('wal_bytes'),
    min_time: newest('min_exec_time', 'min_time'),
    max_time: newest('max_exec_time', 'max_time'),
    counted_since: columns.has('stats_since') ? 'extract(epoch from stats_since) * 1000' : 'null',
  } satisfies Record<keyof StatementCounters | 'min_time' | 'max_time', string>;
}

/** Tells a statement from all others of its database; stays the same over resets and restarts. */
export function idOf({ columns }: StatisticsExtension): string {
  return `userid::text || '.' || queryid${columns.has('toplevel') ? ` || case when toplevel then '' else '.inner' end` : ''}`;
}

/**
 * The extension's statements of this database that the user may read. Without their texts it is
 * much faster.
 */
export function statementsIn({ schemaName }: StatisticsExtension, { withTexts }: { readonly withTexts: boolean }) {
  return `(select * from ${pg.escapeIdentifier(schemaName)}.pg_stat_statements(${withTexts})
    where dbid = (select oid from pg_database where datname = current_database()) and queryid is not null)`;
}

/** Which of the counters that only some servers keep this one keeps. */
export function keptColumns(server: StatisticsServer, extension: StatisticsExtension) {
  const columns = columnsOf(server, extension);
  return (['plan_time', 'cache_hit', 'io_time', 'temp_bytes', 'wal_bytes'] as const).filter(
    (name) => name === 'cache_hit' || columns[name] !== 'null',
  );
}
