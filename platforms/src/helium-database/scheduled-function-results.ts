/**
 * Reads the results of an app's scheduled functions from its own `__scheduled_function_result__`
 * table. Times in the table are UTC. Helium creates no index on it other than the primary key, and
 * it grows to millions of rows.
 */
import pg from 'pg';
import { readAppRelation } from './app-relation.ts';
import { toUnreachable } from './connection-errors.ts';
import type { HeliumDatabase } from './database.ts';
import type { Transaction, TransactionOptions } from './transaction.ts';

export interface ScheduledFunctionResult {
  readonly id: string;
  /** `Unit:function` */
  readonly qualifiedName: string;
  readonly schedule: string | null;
  readonly started: Date;
  /** Null while the function runs. */
  readonly finished: Date | null;
  readonly success: boolean | null;
  readonly error: string | null;
  readonly stackTrace: string | null;
}

interface Row {
  id: string;
  qualifiedname: string;
  schedule: string | null;
  started: number;
  finished: number | null;
  success: boolean | null;
  error: string | null;
  stacktrace: string | null;
  [column: string]: unknown;
}

/** The failed functions of an app. */
export interface FailingFunctions {
  /** Of the functions that have run, whether they failed or not; not more than `maxNames`. */
  readonly names: readonly string[];
  readonly count: number;
  /** The ones that failed last, the newest first. */
  readonly newest: readonly FailingFunction[];
}

interface FailingFunction {
  /** `Unit:function` */
  readonly qualifiedName: string;
  readonly finished: Date;
  /** The beginning of the error; null if there is none. */
  readonly error: string | null;
}

const columns = `_id_ as id, qualifiedname, schedule, success, error, stacktrace,
  (extract(epoch from datetimestampstarted) * 1000)::float8 as started,
  (extract(epoch from datetimestampfinished) * 1000)::float8 as finished`;

/**
 * Returns the newest results first. Without an index on start times, that reads the whole table.
 * Throws Unreachable, or Conflict when the table is not Helium's.
 */
export async function readNewestResults(
  database: HeliumDatabase,
  schemaName: string,
  { limit }: { readonly limit: number },
): Promise<ScheduledFunctionResult[]> {
  const rows = await readTable(database, schemaName, {}, async ({ query }) => {
    const { hasStartIndex } = await readResultIndexes(query, schemaName);
    const table = getResultsTable(schemaName);
    const condition = hasStartIndex ? 'datetimestampstarted is not null' : sampledConditionSql(table);
    // Without an index, this sorts the addresses of the rows instead of their stack traces.
    return query<Row>(
      `select ${columns} from ${table}
       where ctid = any(array(
         select ctid from ${table} where ${condition} order by datetimestampstarted desc limit $1::int))
       order by datetimestampstarted desc, _id_`,
      [limit],
    );
  });
  return rows.map(toResult);
}

/**
 * Excludes most rows that are not among the newest $1, and none of those: as many rows of a sample
 * are at least as new. Rows are stored by age, so that each would otherwise displace an older one.
 * A sample that is too small excludes nothing.
 */
function sampledConditionSql(table: string): string {
  return `datetimestampstarted >= coalesce((
    select datetimestampstarted from ${table} tablesample system (1) where datetimestampstarted is not null
    order by datetimestampstarted desc limit 1 offset $1::int - 1), '-infinity')`;
}

export interface LastResults {
  /** By `Unit:function`. */
  readonly results: ReadonlyMap<string, ScheduledFunctionResult>;
  /** Whether there are more functions. */
  readonly isLimited: boolean;
}

/**
 * Returns the latest result of each function, of at most `limit` functions. That takes milliseconds
 * with the index on names and start times, and otherwise reads the whole table twice. Of two that
 * started at the same time, the one with the greatest id is the latest. Throws Unreachable, with
 * status 504 after `timeoutMs`.
 */
export async function readLastResults(
  database: HeliumDatabase,
  schemaName: string,
  { limit = 1_000, timeoutMs = 8_000 }: { readonly limit?: number; readonly timeoutMs?: number } = {},
): Promise<LastResults> {
  const rows = await readTable(database, schemaName, { statementTimeoutMs: timeoutMs }, async ({ query }) => {
    const sql = await lastResultsSql(query, schemaName, columns);
    // Without an order, which would have all of them read first.
    return query<Row>(`${sql} limit $1::int`, [limit + 1]);
  });
  const results = new Map<string, ScheduledFunctionResult>();
  for (const row of rows.slice(0, limit)) {
    const same = results.get(row.qualifiedname);
    if (!same || same.id < row.id) results.set(row.qualifiedname, toResult(row));
  }
  return { results, isLimited: rows.length > limit };
}

interface FailingRow {
  names: string[] | null;
  /** Null without a failing function. */
  qualifiedname: string | null;
  finished: number;
  error: string | null;
  count: number;
  [column: string]: unknown;
}

interface FailingFunctionsLimits {
  readonly limit: number;
  readonly maxNames: number;
  /** Of names and errors. */
  readonly maxLength: number;
  readonly timeoutMs: number;
}

/**
 * Counts the functions whose last run failed, and returns the newest of them. Names and errors are
 * cut to `maxLength`, so that the response is small whatever the table contains. Throws like
 * `readLastResults`.
 */
export async function readFailingFunctions(
  database: HeliumDatabase,
  schemaName: string,
  { limit, maxNames, maxLength, timeoutMs }: FailingFunctionsLimits,
): Promise<FailingFunctions> {
  const selected = `_id_ as id, qualifiedname, datetimestampfinished as finished,
    success = false or error is not null as failed, left(ltrim(error, E' \\t\\r\\n'), $2::int) as error`;
  const rows = await readTable(database, schemaName, { statementTimeoutMs: timeoutMs }, async ({ query }) => {
    const last = await lastResultsSql(query, schemaName, selected);
    return query<FailingRow>(
      `with one as materialized (
         select distinct on (qualifiedname) * from (${last}) last order by qualifiedname, id desc)
       select names, left(qualifiedname, $2::int) as qualifiedname, error, count,
         (extract(epoch from finished) * 1000)::float8 as finished
       from (
         select array_agg(left(qualifiedname, $2::int)) as names
         from (select qualifiedname from one order by qualifiedname limit $3::int) first) functions
       left join (
         select *, (count(*) over ())::float8 as count from one
         where isfinite(finished) and failed
         order by finished desc, qualifiedname limit $1::int) newest on true
       order by newest.finished desc, newest.qualifiedname`,
      [limit, maxLength, maxNames],
    );
  });
  return {
    names: rows[0]?.names ?? [],
    count: rows[0]?.count ?? 0,
    newest: rows.flatMap(({ qualifiedname, finished, error }) =>
      qualifiedname === null ? [] : { qualifiedName: qualifiedname, finished: new Date(finished), error },
    ),
  };
}

async function lastResultsSql(query: Query, schemaName: string, selected: string): Promise<string> {
  const { hasNameIndex } = await readResultIndexes(query, schemaName);
  const table = getResultsTable(schemaName);
  return hasNameIndex ? skipThroughNamesSql(table, selected) : scanSql(table, selected);
}

type Query = Transaction['query'];

async function readTable<T>(
  database: HeliumDatabase,
  schemaName: string,
  options: Pick<TransactionOptions, 'statementTimeoutMs'>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await readAppRelation(database, { schemaName, name: resultsTable }, options, work);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? toUnreachable(database.name, error) : error;
  }
}

/**
 * Jumps from each name to the next one in the index: PostgreSQL has no such plan of its own. With
 * `=`, it may prefer the index on start times, and read that to the run of a year ago.
 */
function skipThroughNamesSql(table: string, selected: string): string {
  return `with recursive function as (
      (select qualifiedname as name from ${table} where qualifiedname is not null order by qualifiedname limit 1)
      union all
      select (select qualifiedname from ${table} where qualifiedname > name order by qualifiedname limit 1)
      from function where name is not null)
    select result.* from function cross join lateral (
      select datetimestampstarted as newest from ${table}
      where qualifiedname >= name and qualifiedname <= name and datetimestampstarted is not null
      order by qualifiedname desc, datetimestampstarted desc limit 1) start
    cross join lateral (
      select ${selected} from ${table}
      where qualifiedname >= name and qualifiedname <= name and datetimestampstarted = newest
      order by _id_ desc limit 1) result`;
}

function scanSql(table: string, selected: string): string {
  return `select ${selected} from ${table} join (
      select qualifiedname, max(datetimestampstarted) as datetimestampstarted from ${table} group by qualifiedname
    ) last using (qualifiedname, datetimestampstarted)`;
}

/** Below this size, a table is read so quickly that an index gains nothing. */
const minIndexedBytes = 8 * 1024 * 1024;

/**
 * Returns the statements that create the missing indexes of the results table; none while the table
 * is small. Throws Unreachable.
 */
export async function listMissingResultIndexes(database: HeliumDatabase, schemaName: string): Promise<string[]> {
  const { hasStartIndex, hasNameIndex, bytes } = await readTable(database, schemaName, {}, ({ query }) =>
    readResultIndexes(query, schemaName),
  );
  if (bytes < minIndexedBytes) return [];
  const create = `CREATE INDEX CONCURRENTLY ON ${getResultsTable(schemaName)}`;
  return [
    ...(hasStartIndex ? [] : [`${create} (datetimestampstarted);`]),
    ...(hasNameIndex ? [] : [`${create} (qualifiedname, datetimestampstarted);`]),
  ];
}

interface ResultIndexes extends Record<string, unknown> {
  /** Whether an index finds the newest results. */
  readonly hasStartIndex: boolean;
  /** Whether an index finds the newest result of each function. */
  readonly hasNameIndex: boolean;
  /**
   * The size at the last ANALYZE, without indexes and long values. Reading the current size would
   * wait for locks of the table.
   */
  readonly bytes: number;
}

async function readResultIndexes(query: Query, schemaName: string): Promise<ResultIndexes> {
  const [indexes] = await query<ResultIndexes>(
    `with key as (
       select first.attname as first, second.attname as second
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
       join pg_attribute first on first.attrelid = i.indrelid and first.attnum = i.indkey[0]
       left join pg_attribute second on second.attrelid = i.indrelid and second.attnum = i.indkey[1]
       where i.indrelid = to_regclass($1) and i.indisvalid and i.indpred is null and a.amname = 'btree')
     select exists (select from key where first = 'datetimestampstarted') as "hasStartIndex",
       exists (select from key where first = 'qualifiedname' and second = 'datetimestampstarted') as "hasNameIndex",
       coalesce((select relpages::float8 * current_setting('block_size')::int from pg_class
         where oid = to_regclass($1)), 0) as bytes`,
    [getResultsTable(schemaName)],
  );
  return indexes ?? { hasStartIndex: false, hasNameIndex: false, bytes: 0 };
}

const resultsTable = '__scheduled_function_result__';

function getResultsTable(schemaName: string): string {
  return `${pg.escapeIdentifier(schemaName)}.${resultsTable}`;
}

function toResult(row: Row): ScheduledFunctionResult {
  return {
    id: row.id,
    qualifiedName: row.qualifiedname,
    schedule: row.schedule,
    started: new Date(row.started),
    finished: row.finished === null ? null : new Date(row.finished),
    success: row.success,
    error: row.error,
    stackTrace: row.stacktrace,
  };
}
