import type { HeliumDatabase } from '../database.ts';
import { readInBatches } from '../read-in-batches.ts';
import { type AppRule, namesAnySchema, namesSchema } from './app-rule.ts';
import {
  counterNames,
  getCounterColumns,
  getIdColumn,
  getTextsSource,
  type StatementCounters,
  toShownText,
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
  /** Null when they were reset and the statement has not run since. */
  readonly min_time: number | null;
  readonly max_time: number | null;
  /**
   * The share of the total time of the whole scope, from 0 to 1. That of an inner statement is also
   * part of the share of the statement that ran it.
   */
  readonly share: number;
  /** Whether it ran inside another statement, such as in a function. */
  readonly isInner: boolean;
  /** Whether the server still has the text. */
  readonly hasText: boolean;
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
  /** Whether it is a statement of one of the visible apps. */
  readonly isVisible: boolean;
}

/** The sums of all statements of other than the visible apps. */
export interface OtherStatements extends Pick<StatementNumbers, 'calls' | 'total_time' | 'rows' | 'share'> {
  readonly count: number;
}

export interface StatementsRequest {
  /** Statements of one app. Default: all statements of the database. */
  readonly rule?: AppRule | undefined;
  /** Only statements of these apps are visible. Default: all statements. */
  readonly visible?: readonly AppRule[] | undefined;
  /** Words that the full text must contain, in any case and order. */
  readonly search?: string | undefined;
  readonly minCalls?: number | undefined;
  /** In characters. */
  readonly textLimit?: number | undefined;
  /** Includes the statements of the portal and its sync. */
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
  await readInBatches(database, statementsSql(database, server, extension, request), (rows) =>
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
  {
    rule,
    visible,
    search,
    textLimit,
    withOwn,
  }: Pick<StatementsRequest, 'rule' | 'visible' | 'search' | 'textLimit' | 'withOwn'>,
): Promise<CountedStatement[]> {
  const selection = { rule, visible, search, textLimit, withOwn, all: true };
  const statements: CountedStatement[] = [];
  await readInBatches(database, statementsSql(database, server, extension, selection), (rows) => {
    for (const row of rows)
      statements.push({ ...toNumbers(row), isFound: row[0] === 'found', isVisible: row[0] !== 'other' });
  });
  return statements;
}

/**
 * Adds up the statements that are not visible, whatever their texts, except inner ones, whose time
 * is part of the statements that ran them.
 */
export async function readOthers(
  database: HeliumDatabase,
  server: StatisticsServer,
  extension: StatisticsExtension,
  { visible, withOwn }: Pick<StatementsRequest, 'visible' | 'withOwn'>,
): Promise<OtherStatements> {
  const { scope, values } = scopeSql(database, server, extension, { visible, withOwn });
  const [sums] = await database.query<OtherStatements & Record<string, unknown>>(
    `select count(*)::float8 as count, coalesce(sum(s.calls), 0)::float8 as calls,
       coalesce(sum(s.total_time), 0)::float8 as total_time, coalesce(sum(s.rows), 0)::float8 as rows,
       coalesce(sum(s.share), 0)::float8 as share
     ${scope} where not s.shown and not s.is_inner`,
    values,
  );
  return sums ?? { count: 0, calls: 0, total_time: 0, rows: 0, share: 0 };
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
    select to_json(${toShownText(textLimit === undefined ? 'query' : 'left(query, $3::int)')}), at
    from unnest($1::text[]) with ordinality requested (id, at)
    join (
      select ${getIdColumn(extension, '$2')} as id, query from ${getTextsSource(extension)} statement
    ) found using (id)
    order by at`;
  const values = [ids, database.statementIdKey, ...(textLimit === undefined ? [] : [textLimit])];
  await readInBatches(database, { sql, values }, (rows) =>
    take(rows.map(([queryJson, at]) => ({ at: Number(at) - 1, queryJson: queryJson ?? '""' }))),
  );
}

interface StatementSelection extends StatementsRequest {
  readonly all?: boolean;
}

/** Returns the query; also used to measure it. */
export function statementsSql(
  database: Pick<HeliumDatabase, 'statementIdKey'>,
  server: StatisticsServer,
  extension: StatisticsExtension,
  request: StatementSelection,
) {
  const { all = false, minCalls, textLimit } = request;
  const { scope, values, value } = scopeSql(database, server, extension, request);
  const most = textLimit === undefined ? null : `${value(textLimit)}::int`;
  const text = most === null ? 'query' : `left(query, ${most})`;
  // Counting characters takes as long as reading them, so only texts that may be cut are counted.
  const length =
    most === null
      ? 'null'
      : `case when octet_length(query) > ${most} then nullif(greatest(length(query), ${most}), ${most}) end`;
  const match = `case when not s.shown then 'other' when s.found then 'found' end`;
  const sql = `
    select ${all ? match : `to_json(${toShownText(text)})`}, s.id, ${length},
      (select rolname from pg_roles where oid = s.userid), s.matched, s.share,
      s.is_inner, s.has_text,
      ${counters.map((name) => `s.${name}`).join(', ')}
    ${scope}
    ${all ? '' : `where s.shown and s.found ${minCalls === undefined ? '' : `and s.calls >= ${value(minCalls)}::bigint`}`}
    ${all ? '' : 'order by s.total_time desc, s.id'}`;
  return { sql, values };
}

/**
 * The total time of the statements of a scope. The time of inner ones is part of the statements
 * that ran them, unless those were aborted or belong to another app.
 */
const scopeTime = 'greatest(sum(total_time) filter (where not is_inner) over (), max(total_time) over ())';

/**
 * Whether a statement was run by the role that a word names, or its text as it is shown has the
 * word. A part of a role's name finds nothing: those of apps consist of words that their statements
 * have too.
 */
function findsWords(words: string, patterns: string): string {
  return `${toShownText('query')} ilike all (array(
    select pattern from unnest(${words}::text[], ${patterns}::text[]) as searched (word, pattern)
    where word is distinct from (select lower(rolname) from pg_roles where oid = userid)))`;
}

const counters = [...counterNames, 'min_time', 'max_time'] as const;

/** Returns the statements of the scope as `s`, each with whether it is found and shown. */
function scopeSql(
  { statementIdKey }: Pick<HeliumDatabase, 'statementIdKey'>,
  server: StatisticsServer,
  extension: StatisticsExtension,
  { rule, visible, search = '', withOwn = false }: StatementsRequest,
) {
  const values: unknown[] = [];
  const value = (parameters: unknown) => `$${values.push(parameters)}`;
  const columns = getCounterColumns(server, extension);
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matched = rule
    ? `case when userid = (select oid from pg_roles where rolname = ${value(rule.role)}) then 'role'
       when query ~ ${value(namesSchema(rule.schemaName))} then 'schema' end`
    : 'null';
  const found =
    words.length === 0 ? 'true' : findsWords(value(words), value(words.map((word) => `%${escapeLike(word)}%`)));
  const scope = `
    from (
      select *, ${found} as found, total_time / nullif(${scopeTime}, 0) as share
      from (
        select ${getIdColumn(extension, value(statementIdKey))} as id, userid, query,
          ${matched} as matched, ${shown()} as shown, is_inner, has_text,
          ${counters.map((name) => `${columns[name]} as ${name}`).join(', ')}
        -- Without the offset, each mention of the text would hide its literals again.
        from (select * from ${getTextsSource(extension, { withOwn })} text offset 0) statement
      ) every
      ${rule ? 'where matched is not null' : ''}
    ) s`;
  return { scope, values, value };

  function shown(): string {
    if (visible === undefined) return 'true';
    // An empty pattern would match every text.
    if (visible.length === 0) return 'false';
    return `coalesce(userid in (select oid from pg_roles where rolname = any (${value(visible.map(({ role }) => role))}))
      or query ~ ${value(namesAnySchema(visible))}, false)`;
  }
}

/** The first column is the text, or whether it was found or is not visible. */
function toNumbers(row: readonly (string | null)[]): StatementNumbers {
  const [, id, queryLength, ranBy, matched, share, inner, hasText, ...counters] = row;
  const [calls, total, mean, stddev, rows, plan, hit, read, io, temp, wal, since, min, max] = counters;
  return {
    id: id ?? '',
    queryLength: parseNumber(queryLength),
    ranBy: ranBy ?? null,
    matched: matched === 'role' || matched === 'schema' ? matched : null,
    share: Number(share ?? 0),
    isInner: inner === 't',
    hasText: hasText === 't',
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
    min_time: parseNumber(min),
    max_time: parseNumber(max),
  };
}

function parseNumber(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}

/** Escapes the wildcards of LIKE. */
function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&');
}
