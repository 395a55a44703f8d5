import type { App } from '@portal/contract/apps';
import { Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { AppRule } from '@portal/platforms/helium-database/statistics/app-rule';
import type { EnvironmentConfig } from '../../config.ts';
import type { AppDatabases } from '../../platform/app-databases.ts';
import type { Caller } from '../../session/caller.ts';
import { findRole, findVisibleRules } from './visible-statements.ts';

export type DataSource = EnvironmentConfig['dataSources'][number];

/** The app or data source whose statements are requested. */
export interface StatisticsTarget {
  readonly environment: string;
  readonly dataSource: DataSource;
  readonly database: HeliumDatabase;
  /** Set for an app; null for a whole data source. */
  readonly rule: AppRule | null;
  /**
   * Reads, for a whole data source, the apps whose statements the caller may read; null for all.
   * All other statements are only counted.
   */
  readonly findVisible: () => Promise<readonly AppRule[] | null>;
}

/** A call about an app or a data source, of which the caller should send one. */
export interface TargetCall {
  readonly caller: Caller;
  readonly app: App | undefined;
  readonly dataSource: HeliumDatabase | undefined;
  readonly signal: AbortSignal;
}

/**
 * Finds the requested target. Calls to its data source end with the signal. Throws Invalid unless
 * exactly one of app and data source is sent.
 */
export async function findTarget(
  appDatabases: AppDatabases,
  { caller, app, dataSource, signal }: TargetCall,
): Promise<StatisticsTarget> {
  const { environment } = caller;
  if (app && dataSource) throw new Invalid('Send either appId or dataSource, not both.');
  if (app) {
    const { schemaName } = app;
    const database = await appDatabases.find(environment, schemaName, signal);
    const role = await findRole(database, schemaName, environment.teamUsers);
    const rule = { role, schemaName };
    const found = requireDataSource(caller, database.name);
    return { environment: environment.name, dataSource: found, database, rule, findVisible: async () => null };
  }
  if (!dataSource) throw new Invalid('The target is missing. Send an appId or a dataSource.');
  const { name } = dataSource;
  return {
    environment: environment.name,
    dataSource: requireDataSource(caller, name),
    database: dataSource,
    rule: null,
    findVisible: () => findVisibleRules(caller, dataSource),
  };
}

function requireDataSource({ environment }: Caller, name: string): DataSource {
  const found = environment.dataSources.find(({ heliumDataSourceName }) => heliumDataSourceName === name);
  if (!found) throw new Invalid(`There is no data source ${shortenValue(name)} in ${environment.name}.`);
  return found;
}
