import type { AuditEntry, getAudit } from '@portal/contract/audit';
import type { RequestOf } from '@portal/contract/endpoint';
import type { Pool } from '@portal/kit/postgres/pool';

/** An entry before it is written; the database assigns the id. */
export interface NewEntry extends Omit<AuditEntry, 'id' | 'at'> {
  readonly at: Date;
  readonly sessionId: string | null;
}

export type AuditFilter = RequestOf<typeof getAudit>;

const columns = `id::text, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, username, environment,
  action, resource, resource_name AS "resourceName", description, before, after, outcome, reason, address,
  user_agent AS "userAgent", request_id AS "requestId"`;

/** A user sees their own entries and those of these apps; null sees all. */
export type VisibleEntries = { readonly username: string; readonly appIds: readonly string[] } | null;

export async function addEntry(pool: Pool, entry: NewEntry): Promise<void> {
  const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value));
  await pool.query(
    `insert into audit_entry (at, username, environment, session_id, action, resource, resource_name, description,
       before, after, outcome, reason, address, user_agent, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      entry.at,
      entry.username,
      entry.environment,
      entry.sessionId,
      entry.action,
      entry.resource,
      entry.resourceName,
      entry.description,
      json(entry.before),
      json(entry.after),
      entry.outcome,
      entry.reason,
      entry.address,
      entry.userAgent,
      entry.requestId,
    ],
  );
}

/** Counting stops here because the trail only grows. */
const maxCounted = 10_000;

/**
 * Returns the newest matching entries of an environment and the total across all pages. A total of
 * 10,001 means "more than 10,000".
 */
export async function searchEntries(
  pool: Pool,
  environment: string,
  filter: AuditFilter,
  { pageSize, visible }: { readonly pageSize: number; readonly visible: VisibleEntries },
): Promise<{ entries: AuditEntry[]; total: number }> {
  const matches = `environment = $1
    AND ($2::text[] IS NULL OR concat_ws(' ', username, action, resource, resource_name, description, reason) ILIKE ALL ($2::text[]))
    AND ($3::text IS NULL OR username = $3)
    AND ($4::text IS NULL OR action = $4)
    AND ($5::text IS NULL OR resource = $5)
    AND ($6::text IS NULL OR outcome = $6)
    AND ($7::timestamptz IS NULL OR at >= $7)
    AND ($8::timestamptz IS NULL OR at < $8)
    AND ($9::text[] IS NULL OR resource = ANY ($9) OR username = $10)`;
  const values = [
    environment,
    filter.search === undefined ? null : wordPatterns(filter.search),
    filter.username ?? null,
    filter.action ?? null,
    filter.resource ?? null,
    filter.outcome ?? null,
    parseInstant(filter.from),
    parseInstant(filter.to),
    visible?.appIds ?? null,
    visible?.username ?? null,
  ];
  // One after the other: a search may use one connection only.
  const page = await pool.query<AuditEntry>(
    `select ${columns} from audit_entry where ${matches} and ($11::bigint is null or id < $11) order by audit_entry.id desc limit $12`,
    [...values, filter.after ?? null, pageSize],
  );
  const count = await pool.query<{ total: number }>(
    `select count(*)::int as total from (
       select from audit_entry where ${matches} order by audit_entry.id desc limit ${maxCounted + 1}) as counted`,
    values,
  );
  return { entries: page.rows, total: count.rows[0]?.total ?? 0 };
}

/** Returns the newest configuration changes of an environment's apps, newest first. */
export async function listRecentChanges(
  pool: Pool,
  environment: string,
  { limit, visible }: { readonly limit: number; readonly visible: VisibleEntries },
): Promise<AuditEntry[]> {
  // The condition on the action must be that of the index.
  const { rows } = await pool.query<AuditEntry>(
    `select ${columns} from audit_entry where environment = $1 and action like 'config.%'
       and ($3::text[] is null or resource = any ($3) or username = $4)
     order by audit_entry.id desc limit $2`,
    [environment, limit, visible?.appIds ?? null, visible?.username ?? null],
  );
  return rows;
}

/**
 * Converts each search word to a LIKE pattern; all must match. LIKE wildcards in a word are
 * escaped.
 */
function wordPatterns(search: string): string[] {
  const words = search.split(/\s+/).filter((word) => word !== '');
  return words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
}

/** Parsed here because JavaScript and PostgreSQL accept different date formats. */
function parseInstant(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}
