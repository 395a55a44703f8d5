import { Invalid } from '@portal/kit/problems';
import { shortenValue } from '@portal/kit/shorten-value';
import type { HeliumDatabase } from '@portal/platforms/helium-database/database';
import type { Finder } from '../../../access/subjects.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { Source } from '../snapshots/snapshots.store.ts';
import type { DataSource } from '../statistics-target.ts';
import { findServerApps } from './server-apps.ts';

export interface HostedDatabase {
  readonly source: Source;
  readonly dataSource: DataSource;
  readonly database: HeliumDatabase;
}

/**
 * A database server, with the data sources of all environments on it, because a reset clears the
 * statistics of every database of the server.
 */
export interface DatabaseHost {
  readonly hostname: string;
  readonly databases: readonly HostedDatabase[];
}

declare module '../../../access/subjects.ts' {
  interface Subjects {
    readonly databaseHost: DatabaseHost;
  }
}

/**
 * Finds a server by its name. Throws Invalid if none of the environment's data sources is on it.
 */
export function databaseHostFinder(
  dependencies: Pick<Dependencies, 'environments' | 'appDatabases' | 'permissions'>,
): Finder<DatabaseHost> {
  const { environments, appDatabases } = dependencies;
  return async (hostname, { caller }) => {
    const { environment } = caller;
    if (hostname === '') throw missingHostname();
    if (!environment.dataSources.some((dataSource) => dataSource.hostname === hostname))
      throw new Invalid(`There is no data source on ${shortenValue(hostname)} in ${environment.name}.`);
    const databases = environments.all.flatMap((each) =>
      each.dataSources
        .filter((dataSource) => dataSource.hostname === hostname)
        .map((dataSource) => ({
          source: { environment: each.name, dataSource: dataSource.heliumDataSourceName },
          dataSource,
          database: appDatabases.require(each, dataSource.heliumDataSourceName),
        })),
    );
    const value = { hostname, databases };
    const apps = await findServerApps(dependencies, caller, value);
    return { value, resource: { kind: 'databaseHost', id: hostname }, resourceName: hostname, apps };
  };
}

export function missingHostname(): Invalid {
  return new Invalid('The hostname is missing. Send the hostname of the server to reset.');
}
