import type { Pool } from '@portal/kit/postgres/pool';

/** What an integration uses of both platforms. */
export interface PlatformUse {
  readonly environment: string;
  readonly appId: string;
  readonly appName: string;
  readonly dataSource: string;
  readonly schema: string;
  readonly journeyUrl: string;
  readonly journeyUserName: string;
}

/** Returns what all integrations use except that of this app, in all environments. */
export async function listOtherUses(
  pool: Pool,
  { environment, appId }: Pick<PlatformUse, 'environment' | 'appId'>,
): Promise<PlatformUse[]> {
  const { rows } = await pool.query<PlatformUse>(
    `select environment, app_id "appId", app_name "appName", data_source "dataSource",
       config #>> '{helium,dbSchema}' "schema", config #>> '{journey,baseUrl}' "journeyUrl",
       config #>> '{journey,restAPICredentials,userName}' "journeyUserName"
     from sync.integration where (environment, app_id) <> ($1, $2) order by app_name, environment`,
    [environment, appId],
  );
  return rows;
}
