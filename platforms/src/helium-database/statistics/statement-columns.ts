import { portalMark, syncStateCheck } from '@portal/kit/postgres/portal-mark';
import pg from 'pg';
import { hideLiterals } from './hide-literals.ts';
import type { StatisticsExtension, StatisticsServer } from './statistics-server.ts';

/** The counters of a statement, named as in PostgreSQL 12; times are in milliseconds. */
export interface StatementCounters {
  readonly calls: number;
  readonly total_time: number;
  readonly mean_time: number;
  readonly stddev_time: number;
  readonly rows: number;
  /** This and the following counters are null when the server does not have them. */
  readonly plan_time: number | null;
  readonly pages_hit: number | null;
  readonly pages_read: number | null;
  readonly io_time: number | null;
  readonly temp_bytes: number | null;
  readonly wal_bytes: number | null;
  /**
   * When the server began to count the statement, by the server's clock, in milliseconds. Version
   * 17 and later.
   */
  readonly counted_since: number | null;
}

/** In the order in which queries select them. */
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

/** Returns how this server provides each counter and the minimum and maximum time. */
export function getCounterColumns(
  { tracksPlanning, tracksIoTiming }: StatisticsServer,
  { columns }: StatisticsExtension,
) {
  const newest = (...names: readonly string[]) => names.find((name) => columns.has(name)) ?? 'null';
  const sumColumns = (...names: readonly string[]) => names.filter((name) => columns.has(name)).join(' + ') || 'null';
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
    pages_hit: sumColumns('shared_blks_hit', 'local_blks_hit'),
    pages_read: sumColumns('shared_blks_read', 'local_blks_read'),
    io_time: tracksIoTiming ? sumColumns(...ioTimes) : 'null',
    temp_bytes: `temp_blks_written * current_setting('block_size')::bigint`,
    wal_bytes: newest('wal_bytes'),
    // Since version 17 both can be reset alone. They are then zero until the statement runs again.
    min_time: `case when ${newest('max_exec_time', 'max_time')} > 0 then ${newest('min_exec_time', 'min_time')} end`,
    max_time: `nullif(${newest('max_exec_time', 'max_time')}, 0)`,
    counted_since: columns.has('stats_since') ? 'extract(epoch from stats_since) * 1000' : 'null',
  } satisfies Record<keyof StatementCounters | 'min_time' | 'max_time', string>;
}

/**
 * Identifies a statement within its database. The id survives resets and restarts.
 *
 * The server's own id of many statements is a hash of their text, against which a guessed password
 * could be checked. So ids are hashed with a key that only the portal has.
 *
 * @param key the SQL parameter that receives `statementIdKey` of the database
 */
export function getIdColumn({ columns }: StatisticsExtension, key: string): string {
  const inner = columns.has('toplevel') ? ` || case when toplevel then '' else '.inner' end` : '';
  const text = `${key}::text || userid::text || '.' || queryid${inner}`;
  return `left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 32)`;
}

/**
 * Reads the extension's statements of this database that are visible to the user, without their
 * texts, which is much faster.
 */
export function getStatementsSource({ schemaName }: StatisticsExtension): string {
  return `(select * from ${functionName(schemaName)}(false) where ${ofThisDatabase})`;
}

/**
 * Reads the same statements with their texts. All readers of texts use this source, so that what a
 * statement hides is not only absent from results, but can be neither searched for nor measured.
 * `hides_literals` is whether the text differs from what the server recorded. A text that the
 * server has discarded is null, and `has_text` false. Whether it was one of the portal's own can no
 * longer be known, so it stays. `is_inner` is whether the statement ran inside another one.
 */
export function getTextsSource(
  { schemaName, columns }: StatisticsExtension,
  { withOwn = true }: { readonly withOwn?: boolean } = {},
): string {
  const own = [portalMark, syncStateCheck].map((mark) => `strpos(query, '${mark}') = 0`).join(' and ');
  const others = [...columns].filter((name) => name !== 'query').map((name) => pg.escapeIdentifier(name));
  const shown = hideLiterals('query');
  return `(select ${others.join(', ')}, nullif(${shown}, '') as query, coalesce(query <> ${shown}, false) as hides_literals,
      ${isInner(columns)} as is_inner, coalesce(query, '') <> '' as has_text
    from ${functionName(schemaName)}(true) where ${ofThisDatabase} ${withOwn ? '' : `and (query is null or ${own})`})`;
}

/**
 * Returns the SQL expression for whether a statement ran inside another one, such as in a function.
 * Since version 18, the query of a cursor is counted beside the FETCH that runs it, under the text
 * of its DECLARE. The server marks it as inner if CLOSE ended it, but not if COMMIT did. A DECLARE
 * itself has no rows.
 */
function isInner(columns: ReadonlySet<string>): string {
  return columns.has('toplevel')
    ? `(not toplevel or rows > 0 and coalesce(left(query, 100) ~* '^[[:space:]]*declare[[:space:]]', false))`
    : 'false';
}

/**
 * Returns the SQL expression for the text to show. A server discards its texts when their file
 * grows too large or cannot be read, and keeps all numbers.
 */
export function toShownText(query: string): string {
  return `coalesce(${query}, '${discardedText}')`;
}

const discardedText = '<text discarded by the server>';

function functionName(schemaName: string): string {
  return `${pg.escapeIdentifier(schemaName)}.pg_stat_statements`;
}

const ofThisDatabase = `dbid = (select oid from pg_database where datname = current_database())
    and queryid is not null`;

/** Returns the optional counters that this server provides. */
export function getStoredColumns(server: StatisticsServer, extension: StatisticsExtension) {
  const columns = getCounterColumns(server, extension);
  return (['plan_time', 'cache_hit', 'io_time', 'temp_bytes', 'wal_bytes'] as const).filter(
    (name) => name === 'cache_hit' || columns[name] !== 'null',
  );
}
