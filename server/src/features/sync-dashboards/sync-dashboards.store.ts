import type { SyncDashboard } from '@portal/contract/sync-dashboards';
import type { Pool } from '@portal/kit/postgres/pool';

export async function listDashboards(pool: Pool, environment: string): Promise<SyncDashboard[]> {
  const { rows } = await pool.query<SyncDashboard>(
    'select name, app_ids as "appIds" from sync_dashboard where environment = $1 order by lower(name), name',
    [environment],
  );
  return rows;
}

export async function findDashboard(pool: Pool, environment: string, name: string): Promise<SyncDashboard | undefined> {
  const { rows } = await pool.query<SyncDashboard>(
    'select name, app_ids as "appIds" from sync_dashboard where environment = $1 and name = $2',
    [environment, name],
  );
  return rows[0];
}

/** Creates a dashboard. Returns false if the name is already taken. */
export async function createDashboard(
  pool: Pool,
  environment: string,
  { name, appIds }: SyncDashboard,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into sync_dashboard (environment, name, app_ids) values ($1, $2, $3)
     on conflict (environment, name) do nothing`,
    [environment, name, appIds],
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

/** Creates or updates a dashboard. Returns all its apps. */
export async function saveDashboard(
  pool: Pool,
  environment: string,
  { name, appIds }: SyncDashboard,
  { seen, before }: DashboardChange,
): Promise<string[]> {
  const { rows } = await pool.query<{ app_ids: string[] }>(
    `insert into sync_dashboard as d (environment, name, app_ids) values ($1, $2, $3)
     on conflict (environment, name) do update set app_ids =
       array(select id from unnest(excluded.app_ids) with ordinality as a (id, at)
         where id = any (d.app_ids) or id <> all (coalesce($5::text[], '{}')) order by at) ||
       array(select id from unnest(d.app_ids) with ordinality as a (id, at)
         where id <> all (excluded.app_ids) and (id <> all ($4) or id <> all (coalesce($5, d.app_ids))) order by at)
     returning app_ids`,
    [environment, name, appIds, seen, before ?? null],
  );
  return rows[0]?.app_ids ?? [];
}

/** Deletes a dashboard. Returns its apps, or undefined if it does not exist. */
export async function deleteDashboard(pool: Pool, environment: string, name: string): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ app_ids: string[] }>(
    'delete from sync_dashboard where environment = $1 and name = $2 returning app_ids',
    [environment, name],
  );
  return rows[0]?.app_ids;
}
