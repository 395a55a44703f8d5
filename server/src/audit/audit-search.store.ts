import type { AuditEntry, getAudit } from '@portal/contract/audit';
import type { RequestOf } from '@portal/contract/endpoint';
import type { Pool } from '@portal/kit/postgres/pool';
import { entryColumns, type VisibleEntries } from './audit.store.ts';

export type AuditFilter = RequestOf<typeof getAudit> & { readonly visible?: VisibleEntries };

export interface AuditPage {
  readonly entries: AuditEntry[];
  /** `after` of the next page; null at the end. */
  readonly next: string | null;
  /** Where a search that no index supports ends; otherwise null. */
  readonly searchedSince: string | null;
}

/** A cursor is the time and the id of the last entry: `2026-03-01T12:00:00.000000Z_42`. */
export const cursorPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)_(\d{1,18})$/;

/** How many entries a statement compares or collects at most. */
const maxCollected = 5_000;
const dayMs = 86_400_000;
/** The periods for which the indexes are asked, one after the other, until a page is full. */
const periodsMs = [dayMs, 10 * dayMs, 100 * dayMs] as const;
/** Where a shorter period still has too many entries, they are at the same time. */
const minPeriodMs = 1_000;
const maxDaysWithoutIndex = 90;

/** Returns the newest matching entries of an environment. Uses one connection at a time. */
export async function searchEntries(
  pool: Pool,
  environment: string,
  filter: AuditFilter,
  pageSize: number,
): Promise<AuditPage> {
  const searchedSince = await findSearchLimit(pool, filter);
  const from = searchedSince ?? filter.from;
  const isOrderedByIndex = !filter.visible && (filter.search === undefined || searchedSince !== null);
  const rows = isOrderedByIndex
    ? await readRows(pool, selectNewest(toMatches(environment, { ...filter, from }), pageSize), pageSize)
    : await searchByPeriods(pool, environment, { ...filter, from }, pageSize);
  return {
    entries: rows.map(({ cursor: _cursor, collected: _collected, ...entry }) => entry),
    next: rows.length < pageSize ? null : (rows.at(-1)?.cursor ?? null),
    searchedSince,
  };
}

/** Counts all matching entries, and therefore reads each of them. */
export async function countEntries(
  pool: Pool,
  environment: string,
  filter: AuditFilter,
): Promise<{ readonly count: number; readonly searchedSince: string | null }> {
  const searchedSince = await findSearchLimit(pool, filter);
  const { condition, values } = toMatches(environment, { ...filter, from: searchedSince ?? filter.from });
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from audit_entry where ${condition}`,
    [...values],
  );
  return { count: rows[0]?.count ?? 0, searchedSince };
}

/**
 * PostgreSQL cannot know how often a word occurs, or how much of the trail a user sees. If often, a
 * page is among the newest entries. If rarely, the indexes of words, apps and users have few
 * entries, at least of the last days. A period with too many is shortened.
 */
async function searchByPeriods(
  pool: Pool,
  environment: string,
  { search, visible = null, ...filter }: AuditFilter,
  pageSize: number,
): Promise<FoundRow[]> {
  const all = selectNewest(toMatches(environment, filter), maxCollected);
  const found = await readRows(
    pool,
    selectNewest(toMatches(environment, { search, visible }, all.values), pageSize, `(${all.sql})`),
    pageSize,
  );
  if (found.length === pageSize) return found;

  const start = filter.from === undefined ? 0 : Date.parse(filter.from);
  const [, last] = filter.after?.match(cursorPattern) ?? [];
  const end = Math.min(Date.now(), ...[last, filter.to].flatMap((at) => (at === undefined ? [] : Date.parse(at))));
  let [tooShortMs, tooLongMs] = [0, Number.POSITIVE_INFINITY];
  for (;;) {
    const nextMs = periodsMs.find((each) => each > tooShortMs) ?? Number.POSITIVE_INFINITY;
    const periodMs = Math.min(nextMs, (tooShortMs + tooLongMs) / 2);
    const from = Math.max(start, end - periodMs);
    const matches = toMatches(environment, { ...filter, from: new Date(from).toISOString(), search, visible });
    const rows = await readRows(pool, collect(matches), pageSize);
    if (rows[0]?.collected === maxCollected) {
      tooLongMs = end - from;
      if (tooLongMs - tooShortMs < minPeriodMs) return readRows(pool, selectNewest(matches, pageSize), pageSize);
    } else {
      if (rows.length === pageSize || from <= start) return rows;
      tooShortMs = periodMs;
    }
  }
}

/**
 * Returns where a search ends if no index supports it; null if one does, or if there are no words.
 */
async function findSearchLimit(pool: Pool, { search, from, to }: AuditFilter): Promise<string | null> {
  if (search === undefined || search.trim() === '') return null;
  const hasTrigram = /[\p{L}\p{N}]{3}/u.test(search);
  if (hasTrigram) {
    const { rows } = await pool.query(`select where to_regclass('audit_entry_by_text') is not null`);
    if (rows.length > 0) return null;
  }
  const limit = (to === undefined ? Date.now() : Date.parse(to)) - maxDaysWithoutIndex * dayMs;
  return from !== undefined && Date.parse(from) >= limit ? null : new Date(limit).toISOString();
}

interface FoundRow extends AuditEntry {
  readonly cursor: string;
  /** The number of rows of the statement, of which this page is the newest part. */
  readonly collected: number;
}

function selectNewest({ condition, values }: Matches, limit: number, source = 'audit_entry'): Statement {
  const sql = `select audit_entry.* from ${source} as audit_entry where ${condition}
    order by at desc, id desc limit ${limit}`;
  return { sql, values };
}

/**
 * Selects matching entries, all of them unless they are too many, by the index that has the fewest.
 */
function collect({ condition, values }: Matches): Statement {
  // Materialized, because PostgreSQL would otherwise read all entries in the order of the page.
  const sql = `with found as materialized (select * from audit_entry where ${condition} limit ${maxCollected})
    select * from found`;
  return { sql, values };
}

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

async function readRows(pool: Pool, { sql, values }: Statement, pageSize: number): Promise<FoundRow[]> {
  const { rows } = await pool.query<FoundRow>(
    `select ${entryColumns}, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z_"') || id as cursor,
       count(*) over ()::int as collected
     from (${sql}) as entry order by entry.at desc, entry.id desc limit ${pageSize}`,
    [...values],
  );
  return rows;
}

interface Matches {
  readonly condition: string;
  readonly values: readonly unknown[];
}

/** @param earlier the values of the statement so far, which the new ones follow */
function toMatches(environment: string, filter: AuditFilter, earlier: readonly unknown[] = []): Matches {
  const { search = '', username, action, resource, outcome, from, to, after, visible = null } = filter;
  const resourceKind = resource === undefined ? undefined : (filter.resourceKind ?? 'app');
  const values = [...earlier];
  const add = (value: unknown) => `$${values.push(value)}`;
  const conditions = [`environment = ${add(environment)}`];
  for (const [column, value] of Object.entries({ username, action, resource_kind: resourceKind, resource, outcome }))
    if (value !== undefined) conditions.push(`${column} = ${add(value)}`);
  // Parsed here because JavaScript and PostgreSQL accept different date formats.
  if (from !== undefined) conditions.push(`at >= ${add(new Date(from))}`);
  if (to !== undefined) conditions.push(`at < ${add(new Date(to))}`);
  const [, at, id] = after?.match(cursorPattern) ?? [];
  // The comparison of both does not exclude partitions; that of the time does.
  if (at !== undefined) {
    const time = add(at);
    conditions.push(`at <= ${time}`, `(at, id) < (${time}, ${add(id)}::bigint)`);
  }
  for (const word of search.split(/\s+/).filter((each) => each !== ''))
    conditions.push(`search_text like lower(${add(`%${word.replace(/[\\%_]/g, '\\$&')}%`)}::text)`);
  if (visible !== null)
    conditions.push(
      `(resource_kind = 'app' and resource = any (${add(visible.appIds)}::text[]) or username = ${add(visible.username)})`,
    );
  return { condition: conditions.join(' and '), values };
}
