import { Conflict, Invalid } from '@portal/kit/problems';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import { findAppRole } from '@portal/platforms/helium-database/schema-access/app-role';
import type { AppRule } from '@portal/platforms/helium-database/statistics/app-rule';
import { requireApp } from '../../access/app-access.ts';
import type { EnvironmentConfig } from '../../config.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Caller } from '../../session/caller.ts';

export type DataSource = EnvironmentConfig['dataSources'][number];

/** Whose statements are asked about. */
export interface StatisticsTarget {
  readonly environment: string;
  readonly dataSource: DataSource;
  readonly database: HeliumDatabase;
  /** Of the app; null for a whole data source. */
  readonly rule: AppRule | null;
}

export interface WrittenTarget {
  readonly appId?: string | undefined;
  readonly dataSource?: string | undefined;
}

/**
 * Finds what a payload means, after asking whether the caller may see it. Throws Invalid unless
 * exactly one of app and data source is named, and for a data source that is not configured.
 */
export async function findTarget(
  { permissions, appDatabases }: Pick<Dependencies, 'permissions' | 'appDatabases'>,
  caller: Caller,
  { appId, dataSource }: WrittenTarget,
): Promise<StatisticsTarget> {
  const { environment } = caller;
  await permissions.require(caller, 'statistics.view', appId ?? dataSource ?? null);
  if (appId !== undefined && dataSource !== undefined)
    throw new Invalid('Send either appId or dataSource, not both: statistics are of one of them.');
  if (appId !== undefined) {
    const { schemaName } = await requireApp(caller, appId);
    const database = await appDatabases.find(environment, schemaName);
    const role = await roleOf(database, schemaName, environment.teamUsers);
    const rule = { role, schemaName };
    return { environment: environment.name, dataSource: configuredAs(caller, database.name), database, rule };
  }
  if (dataSource === undefined) throw new Invalid('Say whose statistics: send an appId or a dataSource.');
  const database = appDatabases.require(environment, dataSource);
  return { environment: environment.name, dataSource: configuredAs(caller, dataSource), database, rule: null };
}

/**
 * null where a team owns the schema and nothing tells which role the app itself works as: then its
 * name must do.
 */
async function roleOf(database: HeliumDatabase, schemaName: string, teams: readonly string[]): Promise<string | null> {
  try {
    const { appRole } = await findAppRole(database, schemaName, { teams });
    return appRole;
  } catch (error) {
    if (error instanceof Conflict) return null;
    throw error;
  }
}

function configuredAs({ environment }: Caller, name: string): DataSource {
  const found = environment.dataSources.find(({ heliumDataSourceName }) => heliumDataSourceName === name);
  if (!found) throw new Invalid(`There is no data source ${name} in ${environment.name}.`);
  return found;
}
