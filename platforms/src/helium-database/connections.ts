import { Slots } from '@portal/kit/concurrency/slots';
import { untilAborted } from '@portal/kit/concurrency/until-aborted';
import { cancelStatement } from '@portal/kit/postgres/cancel-statement';
import { toClientConfig } from '@portal/kit/postgres/database-address';
import { createPool, type Pool } from '@portal/kit/postgres/pool';
import { portalMark, withComment } from '@portal/kit/postgres/portal-mark';
import { explainOldVersion, oldestVersions } from '@portal/kit/postgres/server-version';
import { readKey } from '@portal/kit/postgres/session';
import { Unreachable } from '@portal/kit/problems';
import pg from 'pg';
import { Reachability, type ReachabilityTimes } from '../reachability.ts';
import { isConnectionLost, isNoAnswer } from './connection-errors.ts';

export interface ConnectionsOptions {
  /** The display name of the data source, such as `helium-app-1`. */
  readonly name: string;
  readonly url: string;
  readonly timeZone?: string | undefined;
  readonly statementTimeoutMs: number;
  /** How much longer than the server's own limit the client waits for the server to report it. */
  readonly graceMs: number;
  readonly connectTimeoutMs: number;
  readonly reachability?: ReachabilityTimes | undefined;
}

/** A login whose connections are not kept, because code of an app may have run on them. */
export interface OneTimeLogin {
  readonly url: string;
  /** Logins with the same name take turns with others. */
  readonly name: string;
}

export interface BorrowedConnection {
  readonly client: pg.PoolClient;
  /** Closes the connection after use instead of returning it to the pool. */
  readonly discard: () => void;
}

const maxConnections = 4;
const maxOneTimeConnections = 4;

/**
 * The Connections is the component that lends the connections of a data source. Nothing waits for a
 * connection to a silent data source, and a statement whose caller stopped waiting is canceled.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #reachability: Reachability;
  readonly #retired = new Set<Promise<void>>();
  readonly #oneTime = new Slots(maxOneTimeConnections);
  #pool: Pool;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#reachability = new Reachability({
      ...options.reachability,
      name: `The data source ${options.name}`,
      timeZone: options.timeZone,
      probe: () => this.#probe(),
      onSilent: () => this.#replacePool(),
    });
    this.#pool = this.#createPool(options.url, maxConnections);
  }

  get silence() {
    return this.#reachability.silence;
  }

  /**
   * Runs the work on a connection. Throws Silent at once while the data source is silent, and the
   * signal's reason when it aborts, which also cancels the running statement at the server.
   */
  async use<Result>(
    signal: AbortSignal | undefined,
    work: (connection: BorrowedConnection) => Promise<Result>,
  ): Promise<Result> {
    return this.#useFrom(this.#pool, signal, work);
  }

  /** Does the same on a connection that is opened for this work, and closed after it. */
  useOnce<Result>(
    { url, name }: OneTimeLogin,
    signal: AbortSignal | undefined,
    work: (connection: BorrowedConnection) => Promise<Result>,
  ): Promise<Result> {
    this.#reachability.requireAnswering();
    const turn = this.#oneTime.run(name, async () => {
      signal?.throwIfAborted();
      const pool = this.#createPool(url, 1);
      try {
        return await this.#useFrom(pool, signal, work);
      } finally {
        this.#retire(pool);
      }
    });
    return untilAborted(signal, turn);
  }

  async #useFrom<Result>(
    pool: Pool,
    signal: AbortSignal | undefined,
    work: (connection: BorrowedConnection) => Promise<Result>,
  ): Promise<Result> {
    this.#reachability.requireAnswering();
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const client = await this.#connect(pool, signal, startedAt);
    let isDiscarded = false;
    const release = () => client.release(isDiscarded);
    const discard = () => {
      isDiscarded = true;
    };
    try {
      const result = await untilAborted(signal, work({ client, discard }));
      this.#reachability.noteAnswer();
      release();
      return result;
    } catch (error) {
      if (isConnectionLost(error) || signal?.aborted) discard();
      this.#judge(error, startedAt);
      if (signal?.aborted) void this.#cancelStatement(client, startedAt).finally(release);
      else release();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#reachability.stop();
    await Promise.all([this.#pool.end(), ...this.#retired]);
  }

  async #connect(pool: Pool, signal: AbortSignal | undefined, startedAt: number): Promise<pg.PoolClient> {
    const connecting = pool.connect();
    try {
      return await untilAborted(signal, this.#reachability.untilSilent(connecting));
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        (problem: unknown) => this.#judge(problem, startedAt),
      );
      throw error;
    }
  }

  #judge(error: unknown, startedAt: number): void {
    if (isNoAnswer(error)) this.#reachability.noteSilence(startedAt);
    else if (error instanceof pg.DatabaseError) this.#reachability.noteAnswer();
  }

  async #cancelStatement(client: pg.PoolClient, startedAt: number): Promise<void> {
    const key = readKey(client);
    if (this.#reachability.silence || !key) return;
    try {
      await cancelStatement(this.#toOwnConfig(), key);
      this.#reachability.noteAnswer();
    } catch (error) {
      this.#judge(error, startedAt);
    }
  }

  /** Runs a short query on a connection of its own. */
  async #probe(): Promise<void> {
    const client = new pg.Client(this.#toOwnConfig());
    client.on('error', ignore);
    try {
      await client.connect();
      await client.query(withComment('select 1', portalMark));
    } catch (error) {
      if (isNoAnswer(error)) throw error;
    } finally {
      void client.end().catch(ignore);
    }
  }

  #toOwnConfig(): pg.ClientConfig {
    const { url, connectTimeoutMs } = this.#options;
    return {
      ...toClientConfig(url),
      application_name: 'portal',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
    };
  }

  /** Idle connections from before the silence may be dead without anyone noticing. */
  #replacePool(): void {
    this.#retire(this.#pool);
    this.#pool = this.#createPool(this.#options.url, maxConnections);
  }

  #retire(pool: Pool): void {
    const ended: Promise<void> = pool.end().finally(() => this.#retired.delete(ended));
    this.#retired.add(ended);
  }

  #createPool(url: string, max: number): Pool {
    const { name, connectTimeoutMs, statementTimeoutMs, graceMs } = this.#options;
    return createPool(url, {
      applicationName: 'portal',
      max,
      // Functions and operators that others create in `public` must not run in their place.
      searchPath: 'pg_catalog',
      connectTimeoutMs,
      statementTimeoutMs,
      graceMs,
      comment: portalMark,
      onConnect: async (client) => {
        const { rows } = await client.query<{ version: number }>(
          `select current_setting('server_version_num')::int as version`,
        );
        const problem = explainOldVersion(rows[0]?.version ?? 0, oldestVersions.dataSource);
        if (problem !== null) throw new Unreachable(`The data source ${name} ${problem}.`);
      },
    });
  }
}

const ignore = () => undefined;
