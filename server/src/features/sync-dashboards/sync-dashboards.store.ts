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

/** Answers whether it was: there was none of that name. */
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
   * Apps in it that are none of these stay: whoever changes it does not see them, so has not taken
   * them out.
   */
  readonly seen: readonly string[];
  /** What it had when the change began: what others have put in or taken out since stays so. */
  readonly before?: readonly string[] | undefined;
}

/** Creates it, or changes it where there is one of that name. Answers all apps it has then. */
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

/** Answers the apps it had; undefined when there was none. */
export async function deleteDashboard(pool: Pool, environment: string, name: string): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ app_ids: string[] }>(
    'delete from sync_dashboard where environment = $1 and name = $2 returning app_ids',
    [environment, name],
  );
  return rows[0]?.app_ids;
}
