import type { AuditEntry } from '@portal/contract/audit';
import { namedQuery } from '@portal/kit/postgres/named-query';
import type { Pool } from '@portal/kit/postgres/pool';

/** An entry before it is written; the database assigns the id and counts equal attempts. */
export interface NewEntry extends Omit<AuditEntry, 'id' | 'at' | 'before' | 'after' | 'attempts' | 'lastAt'> {
  readonly at: Date;
  readonly sessionId: string | null;
  /** JSON texts. */
  readonly before: string | null;
  readonly after: string | null;
}

export const entryColumns = `id::text, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, username,
  environment, action, resource_kind as "resourceKind", resource, resource_name as "resourceName", description,
  before, after, outcome, reason, address, user_agent as "userAgent", request_id as "requestId", attempts,
  to_char(last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastAt"`;

/** A user sees their own entries and those of these apps; null sees all. */
export type VisibleEntries = { readonly username: string; readonly appIds: readonly string[] } | null;

export async function addEntry(pool: Pool, entry: NewEntry): Promise<void> {
  await pool.query(
    `insert into audit_entry (at, username, environment, session_id, action, resource_kind, resource, resource_name,
       description, before, after, outcome, reason, address, user_agent, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      entry.at,
      entry.username,
      entry.environment,
      entry.sessionId,
      entry.action,
      entry.resourceKind,
      entry.resource,
      entry.resourceName,
      entry.description,
      entry.before,
      entry.after,
      entry.outcome,
      entry.reason,
      entry.address,
      entry.userAgent,
      entry.requestId,
    ],
  );
}

/** Adds the entry of an attempt that changed nothing, or counts it with an equal one. */
export async function addAttempt(pool: Pool, entry: NewEntry): Promise<void> {
  await pool.query(
    `select add_audit_attempt(jsonb_build_object('before', $1::jsonb, 'after', $2::jsonb) || $3::jsonb)`,
    [
      entry.before,
      entry.after,
      JSON.stringify({
        at: entry.at,
        username: entry.username,
        environment: entry.environment,
        session_id: entry.sessionId,
        action: entry.action,
        resource_kind: entry.resourceKind,
        resource: entry.resource,
        resource_name: entry.resourceName,
        description: entry.description,
        outcome: entry.outcome,
        reason: entry.reason,
        address: entry.address,
        user_agent: entry.userAgent,
        request_id: entry.requestId,
      }),
    ],
  );
}

/** Creates the partitions of the next months. */
export async function createMonths(pool: Pool): Promise<void> {
  await pool.query('select create_audit_months()');
}

/** Returns whether the database itself prevents this role from changing entries. */
export async function isProtected(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ isProtected: boolean }>(
    `select not has_table_privilege('audit_entry', 'update') as "isProtected"`,
  );
  return rows[0]?.isProtected === true;
}

/** How many of the newest changes are searched before those of each of many apps. */
const maxCompared = 100;
const fewApps = 10;

/**
 * The actions that change an app: its configuration, and its scheduled functions. Must be the
 * condition of the indexes.
 */
export const isAppChangeSql = `(action like 'config.%' or action = 'functions.toggle')`;

/**
 * Returns the newest changes of an environment's apps, newest first, without those that changed
 * nothing.
 */
export async function listRecentChanges(
  pool: Pool,
  environment: string,
  { limit, visible }: { readonly limit: number; readonly visible: VisibleEntries },
): Promise<AuditEntry[]> {
  const changes = `select * from audit_entry where environment = $1 and ${isAppChangeSql}
    and (outcome <> 'done' or before is distinct from after)`;
  const newestOfAll = `${changes} order by at desc, id desc limit`;
  const read = async (name: string, source: string) => {
    const { rows } = await pool.query<AuditEntry>(
      // A named query, because planning all months takes longer than reading the few entries.
      namedQuery(
        `${limit} ${name}`,
        `select ${entryColumns} from (${source}) as entry order by entry.at desc, entry.id desc limit ${limit}`,
        [environment, ...(visible ? [visible.appIds] : [])],
      ),
    );
    return rows;
  };
  if (!visible) return read('recent changes', `${newestOfAll} ${limit}`);
  if (visible.appIds.length > fewApps) {
    const found = await read(
      'recent changes of visible apps',
      // The apps of a subquery do not change the plan, which is therefore kept.
      `select * from (${newestOfAll} ${maxCompared}) as newest
         where resource_kind = 'app' and resource in (select unnest($2::text[]))`,
    );
    if (found.length === limit) return found;
  }
  return read(
    'recent changes of each visible app',
    `select change.* from unnest((select $2::text[])) as app (app_id),
       lateral (${changes} and resource_kind = 'app' and resource = app_id order by id desc limit ${limit}) as change`,
  );
}
