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

/** How many of the newest entries are compared before the index of trigrams is asked. */
const maxCompared = 5_000;
/** The periods for which that index is asked, one after the other, until a page is full. */
const periodDays = [31, Number.POSITIVE_INFINITY] as const;
const maxDaysWithoutIndex = 90;
const dayMs = 86_400_000;

/** Returns the newest matching entries of an environment. Uses one connection at a time. */
export async function searchEntries(
  pool: Pool,
  environment: string,
  filter: AuditFilter,
  pageSize: number,
): Promise<AuditPage> {
  const searchedSince = await findSearchLimit(pool, filter);
  const rows =
    filter.search === undefined || searchedSince !== null
      ? await readRows(
          pool,
          selectNewest(toMatches(environment, { ...filter, from: searchedSince ?? filter.from }), pageSize),
          pageSize,
        )
      : await searchByTrigrams(pool, environment, { ...filter, search: filter.search }, pageSize);
  return {
    entries: rows.map(({ cursor: _, ...entry }) => entry),
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
  const { sql, values } = selectAll(toMatches(environment, { ...filter, from: searchedSince ?? filter.from }));
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from (${sql}) as entry`, [
    ...values,
  ]);
  return { count: rows[0]?.count ?? 0, searchedSince };
}

/**
 * PostgreSQL cannot know how often a word occurs. A page of a frequent one is among the newest
 * entries; for any other, the index has few entries, at least of the last months.
 */
async function searchByTrigrams(
  pool: Pool,
  environment: string,
  { search, ...filter }: AuditFilter & { readonly search: string },
  pageSize: number,
): Promise<FoundRow[]> {
  const all = selectNewest(toMatches(environment, filter), maxCompared);
  const newest = toMatches(environment, { search }, all.values);
  const sql = `select * from (${all.sql}) as audit_entry where ${newest.condition}`;
  const found = await readRows(pool, { sql, values: newest.values }, pageSize);
  if (found.length === pageSize) return found;

  const start = filter.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(filter.from);
  const [, last] = filter.after?.match(cursorPattern) ?? [];
  const end = Math.min(
    Date.now() + dayMs,
    ...[last, filter.to].flatMap((at) => (at === undefined ? [] : Date.parse(at))),
  );
  for (const days of periodDays) {
    const from = Math.max(start, end - days * dayMs);
    const period = Number.isFinite(from) ? { from: new Date(from).toISOString() } : {};
    const { sql, values } = selectAll(toMatches(environment, { ...filter, ...period, search }));
    // Materialized, because PostgreSQL would otherwise read all entries in the order of the page.
    const indexed = `with found as materialized (${sql}) select * from found`;
    const rows = await readRows(pool, { sql: indexed, values }, pageSize);
    if (rows.length === pageSize || from <= start) return rows;
  }
  return [];
}

/** Returns where a search ends if no index supports it; null if one does, or if there are no words. */
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
}

/** Selects all matching entries that the user may see. */
function selectAll({ condition, visible, values }: Matches): Statement {
  if (!visible) return { sql: `select * from audit_entry where ${condition}`, values };
  const [apps, user] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const sql = `select * from audit_entry where ${condition} and (resource = any (${apps}) or username = ${user})`;
  return { sql, values: [...values, visible.appIds, visible.username] };
}

/**
 * Selects the newest of them. One index finds the newest entries of an app, another those of a user;
 * with a single condition, everyone's entries would be read until enough are visible.
 */
function selectNewest({ condition, visible, values }: Matches, limit: number): Statement {
  const newest = `order by at desc, id desc limit ${limit}`;
  if (!visible) return { sql: `select * from audit_entry where ${condition} ${newest}`, values };
  const [apps, user] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const keys = `select at, id from audit_entry where ${condition} and`;
  const sql = `select audit_entry.* from (
    select at, id from (
      select key.* from unnest(${apps}::text[]) as app (app_id), lateral (${keys} resource = app_id ${newest}) as key
      union
      (${keys} username = ${user} ${newest})
    ) as keys ${newest}) as page join audit_entry using (at, id)`;
  return { sql, values: [...values, visible.appIds, visible.username] };
}

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

async function readRows(pool: Pool, { sql, values }: Statement, pageSize: number): Promise<FoundRow[]> {
  const { rows } = await pool.query<FoundRow>(
    `select ${entryColumns}, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z_"') || id as cursor
     from (${sql}) as entry order by entry.at desc, entry.id desc limit ${pageSize}`,
    [...values],
  );
  return rows;
}

interface Matches {
  readonly condition: string;
  readonly values: readonly unknown[];
  /** Not part of the condition. */
  readonly visible: VisibleEntries;
}

/** @param earlier the values of the statement so far, which the new ones follow */
function toMatches(environment: string, filter: AuditFilter, earlier: readonly unknown[] = []): Matches {
  const { search = '', username, action, resource, outcome, from, to, after, visible = null } = filter;
  const values = [...earlier];
  const add = (value: unknown) => `$${values.push(value)}`;
  const conditions = [`environment = ${add(environment)}`];
  for (const [column, value] of Object.entries({ username, action, resource, outcome }))
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
  return { condition: conditions.join(' and '), values, visible };
}
