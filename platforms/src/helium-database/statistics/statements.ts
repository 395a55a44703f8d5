import type { HeliumDatabase } from '../database.ts';
import { portalMark } from '../portal-mark.ts';
import { readInBatches } from '../read-in-batches.ts';
import { type AppRule, namesSchema } from './app-rule.ts';
import {
  counterNames,
  getCounterColumns,
  getIdColumn,
  getStatementsSource,
  type StatementCounters,
} from './statement-columns.ts';
import type { StatisticsExtension, StatisticsServer } from './statistics-server.ts';

/** A statement without its text. */
export interface StatementNumbers extends StatementCounters {
  readonly id: string;
  /** Length of the full text in characters, when only its beginning was requested. */
  readonly queryLength: number | null;
  /** Null when the role was deleted. */
  readonly ranBy: string | null;
  /** Why the statement belongs to the app; null when no app was requested. */
  readonly matched: 'role' | 'schema' | null;
  readonly min_time: number;
  readonly max_time: number;
  /** The share of the total time of the whole scope, from 0 to 1. */
  readonly share: number;
}

export interface Statement extends StatementNumbers {
  /**
   * The text as JSON. PostgreSQL encodes it quickly, and megabytes of it can be forwarded without
   * parsing.
   */
  readonly queryJson: string;
}

export interface CountedStatement extends StatementNumbers {
  /** Whether the statement matches the search. */
  readonly isFound: boolean;
}

export interface StatementsRequest {
  /** Statements of one app. Default: all statements of the database. */
  readonly rule?: AppRule | undefined;
  /** Words that the full text must contain, in any case and order. */
  readonly search?: string | undefined;
  readonly minCalls?: number | undefined;
  /** In characters. */
  readonly textLimit?: number | undefined;
  /** Includes the portal's own statements. */
  readonly withOwn?: boolean | undefined;
}

/**
 * Reads the statements in batches, the highest total time first. PostgreSQL filters, searches,
 * sorts, and limits them, so only visible rows are transferred. The next batch is read when `take`
 * is done with the previous one.
 */
export async function readStatements(
  database: HeliumDatabase,
  server: StatisticsServer,
  extension: StatisticsExtension,
  request: StatementsRequest,
  take: (statements: readonly Statement[]) => void | Promise<void>,
): Promise<void> {
  await readInBatches(database, statementsSql(server, extension, request), (rows) =>
    take(rows.map((row) => ({ ...toNumbers(row), queryJson: row[0] ?? '""' }))),
  );
}

/**
 * Returns the numbers of all statements of the scope, unordered, including those that do not match
 * the search. Counters that restart at zero are computed from these, so the search can only apply
 * afterwards.
 */
export async function readAllNumbers(
  database: HeliumDatabase,
  server: StatisticsServer,
  extension: StatisticsExtension,
  { rule, search, textLimit, withOwn }: Pick<StatementsRequest, 'rule' | 'search' | 'textLimit' | 'withOwn'>,
): Promise<CountedStatement[]> {
  const selection = { rule, search, textLimit, withOwn, all: true };
  const statements: CountedStatement[] = [];
  await readInBatches(database, statementsSql(server, extension, selection), (rows) => {
    for (const row of rows) statements.push({ ...toNumbers(row), isFound: row[0] === 't' });
  });
  return statements;
}

/** The text of a statement as JSON, with the place of its id in the request. */
export interface StatementTextAt {
  readonly at: number;
  readonly queryJson: string;
}

/**
 * Reads the texts of statements in the order of their ids, in batches like `readStatements`. Leaves
 * out statements that the server no longer has.
 *
 * @param textLimit in characters
 */
export async function readTexts(
  database: HeliumDatabase,
  extension: StatisticsExtension,
  { ids, textLimit }: { readonly ids: readonly string[]; readonly textLimit?: number | undefined },
  take: (texts: readonly StatementTextAt[]) => void | Promise<void>,
): Promise<void> {
  const sql = `
    select to_json(${textLimit === undefined ? 'query' : 'left(query, $2::int)'}), at
    from unnest($1::text[]) with ordinality requested (id, at)
    join (
      select ${getIdColumn(extension)} as id, query
      from ${getStatementsSource(extension, { withTexts: true })} statement
    ) found using (id)
    order by at`;
  const values = textLimit === undefined ? [ids] : [ids, textLimit];
  await readInBatches(database, { sql, values }, (rows) =>
    take(rows.map(([queryJson, at]) => ({ at: Number(at) - 1, queryJson: queryJson ?? '""' }))),
  );
}

interface StatementSelection extends StatementsRequest {
  readonly all?: boolean;
}

/** Returns the query; also used to measure it. */
export function statementsSql(server: StatisticsServer, extension: StatisticsExtension, request: StatementSelection) {
  const { rule, search = '', all = false, minCalls, textLimit, withOwn = false } = request;
  const values: unknown[] = [];
  const value = (parameters: unknown) => `$${values.push(parameters)}`;
  const columns = getCounterColumns(server, extension);
  const counters = [...counterNames, 'min_time', 'max_time'] as const;
  const words = search.split(/\s+/).filter((word) => word !== '');
  const matched = rule
    ? `case when userid = (select oid from pg_roles where rolname = ${value(rule.role)}) then 'role'
       when query ~ ${value(namesSchema(rule.schemaName))} then 'schema' end`
    : 'null';
  const found =
    words.length === 0 ? 'true' : `query ilike all (${value(words.map((word) => `%${escapeLike(word)}%`))}::text[])`;
  const most = textLimit === undefined ? null : `${value(textLimit)}::int`;
  const text = most === null ? 'query' : `left(query, ${most})`;
  // Counting characters takes as long as reading them, so only texts that may be cut are counted.
  const length =
    most === null
      ? 'null'
      : `case when octet_length(query) > ${most} then nullif(greatest(length(query), ${most}), ${most}) end`;
  const sql = `
    select ${all ? 's.found and query is not null' : `to_json(${text})`}, s.id, ${length},
      (select rolname from pg_roles where oid = s.userid), s.matched, s.share,
      ${counters.map((name) => `s.${name}`).join(', ')}
    from (
      select *, ${found} as found, total_time / nullif(sum(total_time) over (), 0) as share
      from (
        select ${getIdColumn(extension)} as id, userid, query, ${matched} as matched,
          ${counters.map((name) => `${columns[name]} as ${name}`).join(', ')}
        from ${getStatementsSource(extension, { withTexts: true })} statement
        ${withOwn ? '' : `where strpos(query, '${portalMark}') = 0`}
      ) every
      ${rule ? 'where matched is not null' : ''}
    ) s
    ${all ? '' : `where s.found ${minCalls === undefined ? '' : `and s.calls >= ${value(minCalls)}::bigint`}`}
    ${all ? '' : 'order by s.total_time desc, s.id'}`;
  return { sql, values };
}

/** The first column is the text, or whether it was found. */
function toNumbers(row: readonly (string | null)[]): StatementNumbers {
  const [, id, queryLength, ranBy, matched, share, ...counters] = row;
  const [calls, total, mean, stddev, rows, plan, hit, read, io, temp, wal, since, min, max] = counters;
  return {
    id: id ?? '',
    queryLength: parseNumber(queryLength),
    ranBy: ranBy ?? null,
    matched: matched === 'role' || matched === 'schema' ? matched : null,
    share: Number(share ?? 0),
    calls: Number(calls),
    total_time: Number(total),
    mean_time: Number(mean),
    stddev_time: Number(stddev),
    rows: Number(rows),
    plan_time: parseNumber(plan),
    pages_hit: parseNumber(hit),
    pages_read: parseNumber(read),
    io_time: parseNumber(io),
    temp_bytes: parseNumber(temp),
    wal_bytes: parseNumber(wal),
    counted_since: parseNumber(since),
    min_time: Number(min),
    max_time: Number(max),
  };
}

function parseNumber(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}

/** Escapes the wildcards of LIKE. */
function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&');
}
