import type { SyncDashboard } from '@portal/contract/sync-dashboards';
import type { Pool } from '@portal/kit/postgres/pool';

export async function listDashboards(pool: Pool, environment: string): Promise<SyncDashboard[]> {
  const { rows } = await pool.query<SyncDashboard>(
    'SELECT name, app_ids AS "appIds" FROM sync_dashboard WHERE environment = $1 ORDER BY lower(name), name',
    [environment],
  );
  return rows;
}

export async function findDashboard(pool: Pool, environment: string, name: string): Promise<SyncDashboard | undefined> {
  const { rows } = await pool.query<SyncDashboard>(
    'SELECT name, app_ids AS "appIds" FROM sync_dashboard WHERE environment = $1 AND name = $2',
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
    `INSERT INTO sync_dashboard (environment, name, app_ids) VALUES ($1, $2, $3)
     ON CONFLICT (environment, name) DO NOTHING`,
    [environment, name, appIds],
  );
  return (rowCount ?? 0) > 0;
}

export interface DashboardChange {
  /** Apps in it that are none of these stay: whoever changes it does not see them, so has not taken them out. */
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
    `INSERT INTO sync_dashboard AS d (environment, name, app_ids) VALUES ($1, $2, $3)
     ON CONFLICT (environment, name) DO UPDATE SET app_ids =
       ARRAY(SELECT id FROM unnest(excluded.app_ids) WITH ORDINALITY AS a (id, at)
         WHERE id = ANY (d.app_ids) OR id <> ALL (coalesce($5::text[], '{}')) ORDER BY at) ||
       ARRAY(SELECT id FROM unnest(d.app_ids) WITH ORDINALITY AS a (id, at)
         WHERE id <> ALL (excluded.app_ids) AND (id <> ALL ($4) OR id <> ALL (coalesce($5, d.app_ids))) ORDER BY at)
     RETURNING app_ids`,
    [environment, name, appIds, seen, before ?? null],
  );
  return rows[0]?.app_ids ?? [];
}

/** Answers the apps it had; undefined when there was none. */
export async function deleteDashboard(pool: Pool, environment: string, name: string): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ app_ids: string[] }>(
    'DELETE FROM sync_dashboard WHERE environment = $1 AND name = $2 RETURNING app_ids',
    [environment, name],
  );
  return rows[0]?.app_ids;
}
