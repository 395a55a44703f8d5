/**
 * Opens this process's connections to the data sources: one pool each, shared by all integrations
 * of its apps.
 */
import type { Logger } from '@portal/kit/logger';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import { findVersionProblem, oldestVersions } from '@portal/kit/postgres/server-version';
import { Invalid, Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { Slots } from '@portal/kit/slots';
import { createDatabaseWatch, type DatabaseWatch } from '../helium/database-watch.ts';
import { lockTimeoutMs } from '../helium/limit-waits.ts';
import { prepareState } from './schema.ts';
import { createUnloggedWatch, type UnloggedWatch } from './unlogged-watch.ts';

export interface HeliumEnvironment {
  readonly name: string;
  readonly dataSources: readonly { readonly heliumDataSourceName: string; readonly url: Secret }[];
}

export interface HeliumDatabase {
  readonly pool: Pool;
  readonly watch: DatabaseWatch;
  readonly unloggedWatch: UnloggedWatch;
  /**
   * Runs that start read both data models in it, a few at a time. Thousands at once would wait
   * longer for Journey's rate than a call may, fail, and begin from the start.
   */
  readonly startSlots: Slots;
  /** Throws Unreachable when the server is too old. Asks it once. */
  requireVersion(): Promise<void>;
  /**
   * Checks the server's version, and creates the engine's schema if it is missing. Looks each time,
   * because a restore may remove the schema while the service runs.
   */
  prepare(): Promise<void>;
}

/**
 * One short query per database, however many apps it has. Each query costs about a millisecond of
 * CPU. After half a minute without changes, the first change may wait a tenth of a second.
 */
const watchTiming = { activeMs: 8, lingerMs: 1_000, idleMs: 20, dormantMs: 100 };

/** How often each app is read for what no log shows: TRUNCATE is noticed within a minute. */
const defaultUnloggedEveryMs = 40_000;

const parallelStarts = 16;

const statementTimeoutMs = 60_000;

/**
 * Releases the locks of a process that is frozen or cut off. No transaction of the engine calls
 * Journey or waits for anything but its own statements.
 */
const defaultIdleInTransactionMs = 1_000;

/** The same for a process that is frozen while it receives rows. */
const unresponsiveMs = 3_000;

export interface HeliumDatabasesOptions {
  readonly idleInTransactionMs?: number;
  readonly unloggedEveryMs?: number;
  readonly logger?: Logger | undefined;
}

export class HeliumDatabases {
  readonly #environments: readonly HeliumEnvironment[];
  readonly #maxConnections: number;
  readonly #idleInTransactionMs: number;
  readonly #unloggedEveryMs: number;
  readonly #logger: Logger | undefined;
  readonly #open = new Map<string, HeliumDatabase>();

  /** @param maxConnections per data source */
  constructor(
    environments: readonly HeliumEnvironment[],
    maxConnections: number,
    {
      idleInTransactionMs = defaultIdleInTransactionMs,
      unloggedEveryMs = defaultUnloggedEveryMs,
      logger,
    }: HeliumDatabasesOptions = {},
  ) {
    this.#environments = environments;
    this.#maxConnections = maxConnections;
    this.#idleInTransactionMs = idleInTransactionMs;
    this.#unloggedEveryMs = unloggedEveryMs;
    this.#logger = logger;
  }

  /**
   * Returns the database, and connects on first use. Throws Invalid for a data source that is not
   * configured.
   */
  get(environment: string, dataSource: string): HeliumDatabase {
    const name = `${environment}/${dataSource}`;
    const open = this.#open.get(name) ?? this.#connect(environment, dataSource);
    this.#open.set(name, open);
    return open;
  }

  async stop(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { watch, unloggedWatch } of all) {
      watch.close();
      unloggedWatch.close();
    }
    await Promise.all(all.map(({ pool }) => pool.end()));
  }

  #connect(environment: string, dataSource: string): HeliumDatabase {
    const found = this.#environments
      .find(({ name }) => name === environment)
      ?.dataSources.find(({ heliumDataSourceName }) => heliumDataSourceName === dataSource);
    if (!found) throw new Invalid(`There is no data source ${dataSource} in ${environment}.`);
    const pool = createPool(found.url.reveal(), {
      applicationName: 'portal-sync',
      comment: portalMark,
      statementTimeoutMs,
      lockTimeoutMs,
      idleInTransactionMs: this.#idleInTransactionMs,
      unresponsiveMs,
      max: this.#maxConnections,
      ...(this.#logger && { logger: this.#logger.child({ dataSource, environment }) }),
    });
    let isSupported = false;
    const requireVersion = async () => {
      if (isSupported) return;
      const problem = await findVersionProblem(pool, oldestVersions.dataSource);
      if (problem !== null) throw new Unreachable(`The data source ${dataSource} ${problem}.`);
      isSupported = true;
    };
    return {
      pool,
      watch: createDatabaseWatch({ pool, ...watchTiming }),
      unloggedWatch: createUnloggedWatch(pool, this.#unloggedEveryMs),
      startSlots: new Slots(parallelStarts),
      requireVersion,
      async prepare() {
        await requireVersion();
        await prepareState(pool);
      },
    };
  }
}
