import { Conflict, Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { findAppRole } from '@portal/platforms/helium-database/schema-access/app-role';
import type { AppRule } from '@portal/platforms/helium-database/statistics/app-rule';
import { requireApp } from '../../access/app-access.ts';
import type { EnvironmentConfig } from '../../config.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';

export type DataSource = EnvironmentConfig['dataSources'][number];

/** The app or data source whose statements are requested. */
export interface StatisticsTarget {
  readonly environment: string;
  readonly dataSource: DataSource;
  readonly database: HeliumDatabase;
  /** Set for an app; null for a whole data source. */
  readonly rule: AppRule | null;
}

export interface TargetRequest {
  readonly appId?: string | undefined;
  readonly dataSource?: string | undefined;
}

/**
 * Finds the requested target and checks that the caller may view it. Calls to its data source end
 * with the signal. Throws Invalid unless exactly
 * one of app and data source is sent, and if the data source is not configured.
 */
export async function findTarget(
  { permissions, appDatabases }: Pick<Dependencies, 'permissions' | 'appDatabases'>,
  caller: Caller,
  { appId, dataSource }: TargetRequest,
  signal: AbortSignal,
): Promise<StatisticsTarget> {
  const { environment } = caller;
  await permissions.require(caller, 'statistics.view', { resource: appId ?? dataSource });
  if (appId !== undefined && dataSource !== undefined) throw new Invalid('Send either appId or dataSource, not both.');
  if (appId !== undefined) {
    const { schemaName } = await requireApp(caller, appId, 'statistics.view');
    const database = await appDatabases.find(environment, schemaName, signal);
    const role = await findRole(database, schemaName, environment.teamUsers);
    const rule = { role, schemaName };
    return { environment: environment.name, dataSource: requireDataSource(caller, database.name), database, rule };
  }
  if (dataSource === undefined) throw new Invalid('The target is missing. Send an appId or a dataSource.');
  const database = appDatabases.require(environment, dataSource).withSignal(signal);
  return { environment: environment.name, dataSource: requireDataSource(caller, dataSource), database, rule: null };
}

/**
 * Returns null if a team owns the schema and the app's own role is unknown; the schema name is used
 * instead.
 */
async function findRole(
  database: HeliumDatabase,
  schemaName: string,
  teams: readonly string[],
): Promise<string | null> {
  try {
    const { appRole } = await findAppRole(database, schemaName, { teams });
    return appRole;
  } catch (error) {
    if (error instanceof Conflict) return null;
    throw error;
  }
}

function requireDataSource({ environment }: Caller, name: string): DataSource {
  const found = environment.dataSources.find(({ heliumDataSourceName }) => heliumDataSourceName === name);
  if (!found) throw new Invalid(`There is no data source ${shortenValue(name)} in ${environment.name}.`);
  return found;
}
