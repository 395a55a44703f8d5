import type { Pool } from '@portal/kit/postgres/pool';

export interface StoredDashboard {
  readonly name: string;
  readonly appIds: readonly string[];
  /** Who created it; null if that is not known. */
  readonly owner: string | null;
}

export async function listDashboards(pool: Pool, environment: string): Promise<StoredDashboard[]> {
  const { rows } = await pool.query<StoredDashboard>(
    'select name, app_ids as "appIds", owner from sync_dashboard where environment = $1 order by lower(name), name',
    [environment],
  );
  return rows;
}

export async function findDashboard(
  pool: Pool,
  environment: string,
  name: string,
): Promise<StoredDashboard | undefined> {
  const { rows } = await pool.query<StoredDashboard>(
    'select name, app_ids as "appIds", owner from sync_dashboard where environment = $1 and name = $2',
    [environment, name],
  );
  return rows[0];
}

/** Creates a dashboard. Returns false if the name is already taken. */
export async function createDashboard(
  pool: Pool,
  environment: string,
  { name, appIds, owner }: StoredDashboard,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into sync_dashboard (environment, name, app_ids, owner) values ($1, $2, $3, $4)
     on conflict (environment, name) do nothing`,
    [environment, name, appIds, owner],
  );
  return (rowCount ?? 0) > 0;
}

export interface DashboardChange {
  /**
   * Apps visible to the caller. Other apps of the dashboard are kept, because the caller cannot
   * have removed them.
   */
  readonly seen: readonly string[];
  /** Apps at the start of the change; concurrent additions and removals are kept. */
  readonly before?: readonly string[] | undefined;
}

/**
 * Creates a dashboard, or updates that of the owner. Returns all its apps, or undefined if it
 * belongs to another owner.
 */
export async function saveDashboard(
  pool: Pool,
  environment: string,
  { name, appIds, owner }: StoredDashboard,
  { seen, before }: DashboardChange,
): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ app_ids: string[] }>(
    `insert into sync_dashboard as d (environment, name, app_ids, owner) values ($1, $2, $3, $6)
     on conflict (environment, name) do update set app_ids =
       array(select id from unnest(excluded.app_ids) with ordinality as a (id, at)
         where id = any (d.app_ids) or id <> all (coalesce($5::text[], '{}')) order by at) ||
       array(select id from unnest(d.app_ids) with ordinality as a (id, at)
         where id <> all (excluded.app_ids) and (id <> all ($4) or id <> all (coalesce($5, d.app_ids))) order by at)
     where d.owner is not distinct from excluded.owner
     returning app_ids`,
    [environment, name, appIds, seen, before ?? null, owner],
  );
  return rows[0]?.app_ids;
}

/** Deletes the owner's dashboard. Returns its apps, or undefined if there is none. */
export async function deleteDashboard(
  pool: Pool,
  environment: string,
  { name, owner }: Pick<StoredDashboard, 'name' | 'owner'>,
): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ app_ids: string[] }>(
    `delete from sync_dashboard where environment = $1 and name = $2 and owner is not distinct from $3
     returning app_ids`,
    [environment, name, owner],
  );
  return rows[0]?.app_ids;
}
