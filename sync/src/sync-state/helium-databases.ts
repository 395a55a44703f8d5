/**
 * The connections of this process to the data sources: one pool each, shared by all integrations of
 * its apps.
 */
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { Invalid } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { createDatabaseWatch, type DatabaseWatch } from '../helium/database-watch.ts';
import { prepareState } from './schema.ts';

export interface HeliumEnvironment {
  readonly name: string;
  readonly dataSources: readonly { readonly heliumDataSourceName: string; readonly url: Secret }[];
}

export interface HeliumDatabase {
  readonly pool: Pool;
  readonly watch: DatabaseWatch;
  /** Makes what the engine keeps there, once. */
  prepare(): Promise<void>;
}

/**
 * One short question for each database, however many apps it has. Each costs a thousandth of a
 * second of a core: a first change after a quiet half minute may wait for a tenth of one.
 */
const beat = { activeMs: 8, lingerMs: 1_000, idleMs: 20, dormantMs: 100 };

/** Waiting for a lock of an app's own transaction must not last for ever. */
const statementTimeoutMs = 60_000;

export class HeliumDatabases {
  readonly #environments: readonly HeliumEnvironment[];
  readonly #most: number;
  readonly #open = new Map<string, HeliumDatabase>();

  /** @param most connections at most, to each data source */
  constructor(environments: readonly HeliumEnvironment[], most: number) {
    this.#environments = environments;
    this.#most = most;
  }

  /** Connects at the first use. Throws Invalid for a data source that is not configured. */
  get(environment: string, dataSource: string): HeliumDatabase {
    const name = `${environment}/${dataSource}`;
    const open = this.#open.get(name) ?? this.#connect(environment, dataSource);
    this.#open.set(name, open);
    return open;
  }

  async stop(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { watch } of all) watch.close();
    await Promise.all(all.map(({ pool }) => pool.end()));
  }

  #connect(environment: string, dataSource: string): HeliumDatabase {
    const found = this.#environments
      .find(({ name }) => name === environment)
      ?.dataSources.find(({ heliumDataSourceName }) => heliumDataSourceName === dataSource);
    if (!found) throw new Invalid(`There is no data source ${dataSource} in ${environment}.`);
    const options = { applicationName: 'portal-sync', statementTimeoutMs };
    const pool = createPool(found.url.reveal(), { ...options, max: this.#most });
    let prepared: Promise<void> | undefined;
    return {
      pool,
      watch: createDatabaseWatch({ pool, ...beat }),
      async prepare() {
        prepared ??= prepareState(pool);
        await prepared.catch((error: unknown) => {
          prepared = undefined;
          throw error;
        });
      },
    };
  }
}
