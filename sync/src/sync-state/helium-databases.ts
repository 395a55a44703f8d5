/**
 * Opens this process's connections to the data sources. Where a granting login is configured, each
 * app has a login of its own, with which everything is done that touches its relations: their code
 * runs with the rights of the session. What concerns many apps is read from catalogs by another
 * login, and runs no code of an app. Otherwise one login does everything.
 */

import { Slots } from '@portal/kit/concurrency/slots';
import type { Logger } from '@portal/kit/logger';
import { ConnectionShare } from '@portal/kit/postgres/connection-share';
import { DatabaseSilence, defaultSilenceLimits, type SilenceLimits } from '@portal/kit/postgres/database-silence';
import { closeDeadConnections, type DeadTiming, defaultDeadTiming } from '@portal/kit/postgres/dead-connections';
import { OpenConnections } from '@portal/kit/postgres/open-connections';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { portalMark } from '@portal/kit/postgres/portal-mark';
import { findVersionProblem, oldestVersions } from '@portal/kit/postgres/server-version';
import { Invalid, Unreachable } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import { createDatabaseWatch, type DatabaseWatch } from '../helium/database-watch.ts';
import { lockTimeoutMs } from '../helium/limit-waits.ts';
import type { StateOfApp } from '../integration/state-key.ts';
import { AppLogins, type AppLoginsOptions } from './app-logins.ts';
import { prepareState } from './schema.ts';
import { createUnloggedWatch, type UnloggedWatch } from './unlogged-watch.ts';

export interface HeliumEnvironment {
  readonly name: string;
  readonly dataSources: readonly {
    readonly heliumDataSourceName: string;
    readonly url: Secret;
    readonly grantUrl?: Secret | undefined;
  }[];
}

export interface HeliumDatabase {
  /** Whether each app has a login of its own. */
  readonly hasSeparateLogins: boolean;
  /** Reads catalogs, locks and sessions, and what the watches need of the state. */
  readonly reading: Pool;
  /**
   * Returns the connections with the rights of the app that owns the schema, also to its state. The
   * first use creates the login. Throws as `prepareAppLogin` when it connects.
   */
  asApp(schema: string): Pool;
  /** Runs work on the state of several apps; it must touch no relation of an app. */
  asStateOwner<T>(work: (owner: Pool) => Promise<T>): Promise<T>;
  readonly watch: DatabaseWatch;
  /** Knows whether the database answers while the watch runs. */
  readonly silence: DatabaseSilence;
  readonly unloggedWatch: UnloggedWatch;
  /**
   * Runs open in it, a few at a time. Thousands at once would wait longer for a connection and for
   * Journey's rate than they may, fail, and start again from the beginning.
   */
  readonly startSlots: Slots;
  /** Throws Unreachable when the server is too old. Asks it once. */
  requireVersion(): Promise<void>;
  /**
   * Checks the server's version, and creates what is missing of the engine's schema for this
   * integration. Looks each time, because a restore may remove the schema while the service runs.
   */
  prepare(app: StateOfApp): Promise<void>;
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
  /** Needed where a data source has a granting login: the logins of apps are derived from it. */
  readonly key?: Secret | undefined;
  readonly idleInTransactionMs?: number;
  readonly unloggedEveryMs?: number;
  readonly silence?: SilenceLimits;
  readonly deadConnections?: DeadTiming;
  readonly logger?: Logger | undefined;
}

export class HeliumDatabases {
  readonly #environments: readonly HeliumEnvironment[];
  readonly #maxConnections: number;
  readonly #idleInTransactionMs: number;
  readonly #unloggedEveryMs: number;
  readonly #silence: SilenceLimits;
  readonly #deadConnections: DeadTiming;
  readonly #logger: Logger | undefined;
  readonly #key: Secret | undefined;
  readonly #open = new Map<string, OpenDatabase>();

  /** @param maxConnections per data source */
  constructor(
    environments: readonly HeliumEnvironment[],
    maxConnections: number,
    {
      idleInTransactionMs = defaultIdleInTransactionMs,
      unloggedEveryMs = defaultUnloggedEveryMs,
      silence = defaultSilenceLimits,
      deadConnections = defaultDeadTiming,
      logger,
      key,
    }: HeliumDatabasesOptions = {},
  ) {
    this.#environments = environments;
    this.#maxConnections = maxConnections;
    this.#idleInTransactionMs = idleInTransactionMs;
    this.#unloggedEveryMs = unloggedEveryMs;
    this.#silence = silence;
    this.#deadConnections = deadConnections;
    this.#logger = logger;
    this.#key = key;
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
    await Promise.all(all.map(({ close }) => close()));
  }

  #connect(environment: string, dataSource: string): OpenDatabase {
    const found = this.#environments
      .find(({ name }) => name === environment)
      ?.dataSources.find(({ heliumDataSourceName }) => heliumDataSourceName === dataSource);
    if (!found) throw new Invalid(`There is no data source ${dataSource} in ${environment}.`);
    const connections = new OpenConnections();
    const open: OpenPool = (url, max) => {
      const pool = createPool(url, {
        applicationName: 'portal-sync',
        comment: portalMark,
        // Functions and operators that others create in `public` must not run in their place.
        searchPath: 'pg_catalog',
        statementTimeoutMs,
        lockTimeoutMs,
        idleInTransactionMs: this.#idleInTransactionMs,
        unresponsiveMs,
        max,
        ...(this.#logger && { logger: this.#logger.child({ dataSource, environment }) }),
      });
      return closeDeadConnections(connections.follow(pool), this.#deadConnections);
    };
    const silence = new DatabaseSilence(this.#silence, () => connections.close());
    const [url, grantUrl] = [found.url.reveal(), found.grantUrl?.reveal()];
    const logins =
      grantUrl === undefined
        ? shareLogin(open(url, this.#maxConnections), this.#maxConnections)
        : separateLogins(open, this.#maxConnections, { dataSource, url, grantUrl, key: requireKey(this.#key) });
    const { reading, asApp, showSequence } = logins;
    let isSupported = false;
    const requireVersion = async () => {
      if (isSupported) return;
      const problem = await findVersionProblem(reading, oldestVersions.dataSource);
      if (problem !== null) throw new Unreachable(`The data source ${dataSource} ${problem}.`);
      isSupported = true;
    };
    return {
      ...logins,
      watch: createDatabaseWatch({ pool: reading, asApp, showSequence, silence, ...watchTiming }),
      silence,
      unloggedWatch: createUnloggedWatch(reading, this.#unloggedEveryMs),
      startSlots: new Slots(logins.parallelStarts),
      requireVersion,
      async prepare(app) {
        await requireVersion();
        await logins.prepareState(app);
      },
    };
  }
}

/** Opens a pool of at most this many connections. */
type OpenPool = (url: string, max: number) => Pool;

interface Logins extends Pick<HeliumDatabase, 'hasSeparateLogins' | 'reading' | 'asApp' | 'asStateOwner'> {
  /** How many runs may open at the same time. */
  readonly parallelStarts: number;
  prepareState(app: StateOfApp): Promise<void>;
  showSequence(schema: string): Promise<void>;
  close(): Promise<void>;
}

type OpenDatabase = HeliumDatabase & Pick<Logins, 'close'>;

/** One login does everything. */
function shareLogin(pool: Pool, maxConnections: number): Logins {
  new ConnectionShare(maxConnections).add('', pool);
  return {
    hasSeparateLogins: false,
    parallelStarts,
    reading: pool,
    asApp: () => pool,
    asStateOwner: (work) => work(pool),
    prepareState: () => prepareState(pool),
    showSequence: () => Promise.resolve(),
    close: () => pool.end(),
  };
}

/** A watch reads on each of two; runs that start need the others. */
const minReadingConnections = 2;
const readingShare = 0.2;
/** Calls of the engine within a transaction. */
const minAppConnections = 2;
/** After a restart of the server, thousands of apps may need a connection at the same time. */
const turnMs = 30_000;

function separateLogins(open: OpenPool, maxConnections: number, options: Omit<AppLoginsOptions, 'reading'>): Logins {
  const readingConnections = Math.max(minReadingConnections, Math.floor(maxConnections * readingShare));
  const reading = open(options.url, readingConnections);
  const max = Math.max(minAppConnections, maxConnections - readingConnections);
  const share = new ConnectionShare(max, { waitMs: turnMs });
  const pools = new Map<string, Pool>();
  const logins = new AppLogins({ ...options, reading });
  return {
    hasSeparateLogins: true,
    // Those that have just started need connections too. More would take them from each other.
    parallelStarts: Math.min(parallelStarts, Math.ceil(max / 4)),
    reading,
    asApp(schema) {
      const known = pools.get(schema);
      if (known) return known;
      const pool = open(logins.urlFor(schema), max);
      share.add(schema, pool, (isRefused) => logins.prepareLogin(schema, isRefused));
      pools.set(schema, pool);
      return pool;
    },
    asStateOwner: (work) => logins.asOwner('change the state of the sync', work),
    prepareState: (app) => logins.prepareState(app),
    showSequence: (schema) => logins.showSequence(schema),
    async close() {
      await Promise.all([logins.close(), ...[reading, ...pools.values()].map((pool) => pool.end())]);
    },
  };
}

function requireKey(key: Secret | undefined): Secret {
  if (!key) throw new Error('The logins of apps cannot be derived without an encryption key.');
  return key;
}
