import type { HeliumDatabase } from '../database.ts';
import { mark } from '../portal-mark.ts';
import { type AppRule, namesSchema } from './app-rule.ts';
import { columnsOf, counterNames, idOf, type StatementCounters, statementsIn } from './statement-columns.ts';
import type { StatisticsExtension, StatisticsServer } from './statistics-server.ts';

export interface Statement extends StatementCounters {
  readonly id: string;
  /**
   * The text as JSON: PostgreSQL writes that in no time, and megabytes of it can pass without being
   * read here.
   */
  readonly queryJson: string;
  /** Characters of the whole text where `queryJson` is only its beginning. */
  readonly queryLength: number | null;
  /** null where the role is gone. */
  readonly ranBy: string | null;
  /** Why it is the app's; null where no app was asked about. */
  readonly matched: 'role' | 'schema' | null;
  readonly min_time: number;
  readonly max_time: number;
  /** Of the total time of the whole scope; 0 to 1. */
  readonly share: number;
  /**
   * Whether it has what was searched for; false only in `readAllStatements`, and then the text is
   * empty.
   */
  readonly isFound: boolean;
}

export interface StatementsWanted {
  /** Those of one app; all of the database when left out. */
  readonly rule?: AppRule | undefined;
  /** Words that the whole text must have, in any case and order. */
  readonly search?: string | undefined;
  readonly minCalls?: number | undefined;
  /** Characters. */
  readonly textLimit?: number | undefined;
  /** The portal's own, too. */
  readonly withOwn?: boolean | undefined;
}

/**
 * Reads the slowest in total first; chosen, searched, ordered and cut by PostgreSQL: what no one
 * sees does not travel.
 */
export async function readStatements(
  database: HeliumDatabase,
  server: StatisticsServer,
  extension: StatisticsExtension,
  wanted: StatementsWanted = {},
): Promise<Statement[]> {
  const { sql, values } = statementsSql(server, extension, wanted);
  const rows = await database.queryText(sql, values);
  return rows.map(statementIn);
}

/**
 * All of the scope, in no order: what is not found too, but without its text. To count anew from: a
 * part that is counted anew can be chosen from only afterwards.
 */
export async function readAllStatements(
  database: HeliumDatabase,
  server: StatisticsServer,
  extension: StatisticsExtension,
  { rule, search, textLimit, withOwn }: Pick<StatementsWanted, 'rule' | 'search' | 'textLimit' | 'withOwn'>,
): Promise<Statement[]> {
  const { sql, values } = statementsSql(server, extension, { rule, search, textLimit, withOwn, all: true });
  const rows = await database.queryText(sql, values);
  return rows.map(statementIn);
}

interface Asked extends StatementsWanted {
  readonly all?: boolean;
}

/** The question, for whoever measures it beside others. */
export function statementsSql(server: StatisticsServer, extension: StatisticsExtension, wanted: Asked) {
  const { rule, search = '', all = false, minCalls, textLimit, withOwn = false } = wanted;
  const values: unknown[] = [];
  const value = (given: unknown) => `$${values.push(given)}`;
  const columns = columnsOf(server, extension);
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
  // Counting characters takes as long as reading them: only those of texts that may be cut.
  const length =
    most === null
      ? 'null'
      : `case when octet_length(query) > ${most} then nullif(greatest(length(query), ${most}), ${most}) end`;
  const sql = `
    select s.id, case when s.found then to_json(${text}) end, ${length},
      (select rolname from pg_roles where oid = s.userid), s.matched, s.share,
      ${counters.map((name) => `s.${name}`).join(', ')}
    from (
      select *, ${found} as found, total_time / nullif(sum(total_time) over (), 0) as share
      from (
        select ${idOf(extension)} as id, userid, query, ${matched} as matched,
          ${counters.map((name) => `${columns[name]} as ${name}`).join(', ')}
        from ${statementsIn(extension, { withTexts: true })} statement
        ${withOwn ? '' : `where strpos(query, '${mark}') = 0`}
      ) every
      ${rule ? 'where matched is not null' : ''}
    ) s
    ${all ? '' : `where s.found ${minCalls === undefined ? '' : `and s.calls >= ${value(minCalls)}::bigint`}`}
    ${all ? '' : 'order by s.total_time desc, s.id'}`;
  return { sql, values };
}

function statementIn(row: readonly (string | null)[]): Statement {
  const [id, queryJson, queryLength, ranBy, matched, share, ...counters] = row;
  const [calls, total, mean, stddev, rows, plan, hit, read, io, temp, wal, since, min, max] = counters;
  return {
    id: id ?? '',
    queryJson: queryJson ?? '""',
    queryLength: numberIn(queryLength),
    ranBy: ranBy ?? null,
    matched: matched === 'role' || matched === 'schema' ? matched : null,
    share: Number(share ?? 0),
    isFound: queryJson !== null,
    calls: Number(calls),
    total_time: Number(total),
    mean_time: Number(mean),
    stddev_time: Number(stddev),
    rows: Number(rows),
    plan_time: numberIn(plan),
    pages_hit: numberIn(hit),
    pages_read: numberIn(read),
    io_time: numberIn(io),
    temp_bytes: numberIn(temp),
    wal_bytes: numberIn(wal),
    counted_since: numberIn(since),
    min_time: Number(min),
    max_time: Number(max),
  };
}

function numberIn(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}

/** What LIKE would read as a pattern is meant literally. */
function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&');
}
