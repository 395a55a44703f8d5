import { Invalid, NotFound, type Problem, Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { shortenValue } from '@portal/kit/shorten-value';
import { readAppSchemas } from '@portal/platforms/helium-database/app-schemas';
import {
  type HeliumDatabase,
  type HeliumDatabaseTimes,
  openHeliumDatabase,
} from '@portal/platforms/helium-database/database';
import { ExpiringCache } from '../expiring-cache.ts';
import type { ServedEnvironment } from './environments.ts';

const schemasTtlMs = 60_000;

export interface DataSourceKeys {
  /** The names and passwords of the logins of apps are derived from it. */
  readonly appLogins: Secret;
  readonly statementIds: Secret;
}

/** Provides the environments' data sources and finds the one of an app. */
export class AppDatabases {
  readonly #databases = new Map<string, readonly HeliumDatabase[]>();
  readonly #schemas = new ExpiringCache<ReadonlySet<string>>({ ttlMs: schemasTtlMs });

  constructor(environments: readonly ServedEnvironment[], keys: DataSourceKeys, times: HeliumDatabaseTimes = {}) {
    for (const { name, dataSources, timeZone } of environments) {
      const databases = dataSources.map(({ heliumDataSourceName, url, grantUrl }) =>
        openHeliumDatabase({
          name: heliumDataSourceName,
          url: url.reveal(),
          timeZone,
          logins: grantUrl && { grantUrl: grantUrl.reveal(), key: keys.appLogins },
          statementIdKey: keys.statementIds,
          ...times,
        }),
      );
      this.#databases.set(name, databases);
    }
  }

  /**
   * Finds the data source that contains an app's schema. All are queried in parallel, so that an
   * unreachable one causes no delay. Throws NotFound if none contains it, and Unreachable if one
   * that may contain it is unreachable.
   *
   * @param signal Ends the search, and all calls to the returned data source. For reading only.
   */
  async find(environment: ServedEnvironment, schemaName: string, signal?: AbortSignal): Promise<HeliumDatabase> {
    const candidates = this.all(environment).map(async (database) => {
      const schemas = await this.readSchemas(environment, database, signal);
      if (!schemas.has(schemaName)) throw new NotFound(`The data source ${database.name} has no schema ${schemaName}.`);
      return signal ? database.withSignal(signal) : database;
    });
    try {
      return await Promise.any(candidates);
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error;
      signal?.throwIfAborted();
      const problems: readonly Problem[] = error.errors;
      const unreachable = problems.filter((problem) => problem instanceof Unreachable);
      if (unreachable.length > 0)
        throw new Unreachable(unreachable.map(({ message }) => message).join(' '), { cause: unreachable[0] });
      const bug = problems.find((problem) => !(problem instanceof NotFound));
      if (bug) throw bug;
      throw new NotFound(`No data source of ${environment.name} has the schema ${schemaName}.`);
    }
  }

  /** Lists the environment's data sources in configuration order. */
  all(environment: ServedEnvironment): readonly HeliumDatabase[] {
    return this.#databases.get(environment.name) ?? [];
  }

  /** Returns the data source of that name. Throws Invalid if it is not configured. */
  require(environment: ServedEnvironment, dataSourceName: string): HeliumDatabase {
    const found = this.all(environment).find(({ name }) => name === dataSourceName);
    if (!found) throw new Invalid(`There is no data source ${shortenValue(dataSourceName)} in ${environment.name}.`);
    return found;
  }

  /** Returns the names of the apps' schemas in a data source, at most a minute old. */
  readSchemas(
    environment: ServedEnvironment,
    database: HeliumDatabase,
    signal?: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const load = async (signal: AbortSignal) => {
      const schemas = await readAppSchemas(database.withSignal(signal));
      return new Set(schemas.map(({ schemaName }) => schemaName));
    };
    return this.#schemas.get(`${environment.name} ${database.name}`, load, { signal });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#databases.values()].flat().map((database) => database.close()));
  }
}
