/**
 * The portal's connection to a data source. The database belongs to someone else, so queries are
 * short and limited in time, and failures are described in words instead of PostgreSQL's codes.
 */
import { randomBytes } from 'node:crypto';
import { Problem } from '@portal/kit/problems';
import type { Secret } from '@portal/kit/secret';
import type pg from 'pg';
import type { ReachabilityTimes, Silent } from '../reachability.ts';
import { isConnectionLost, toUnreachable } from './connection-errors.ts';
import { type BorrowedConnection, Connections, type OneTimeLogin } from './connections.ts';
import { deriveAppLogin } from './logins/app-login.ts';
import { isPasswordRefused, prepareAppLogin } from './logins/prepare-app-login.ts';
import { inTransaction, type Transaction, type TransactionOptions } from './transaction.ts';

export interface HeliumDatabaseOptions extends HeliumDatabaseTimes {
  /** The display name used in messages, such as `helium-app-1`. */
  readonly name: string;
  readonly url: string;
  /** The IANA zone of times in messages. Default: UTC. */
  readonly timeZone?: string | undefined;
  /** Default: a random key, so that ids are valid only for this object. */
  readonly statementIdKey?: Secret | undefined;
  /** Default: one login does everything, with the rights of the address. */
  readonly logins?: SeparateLogins | undefined;
}

/** The logins besides that of the address, which then only reads catalogs and statistics. */
interface SeparateLogins {
  /** Connects as the login that gives teams access and creates the logins of apps. */
  readonly grantUrl: string;
  /** The names and passwords of the logins of apps are derived from it. */
  readonly key: Secret;
}

export interface HeliumDatabaseTimes {
  /** The limit per statement, enforced by the server and by the client. Default: 10 s. */
  readonly statementTimeoutMs?: number;
  /**
   * How much longer than the server's own limit the client waits for the server to report it.
   * Default: 1 s.
   */
  readonly graceMs?: number;
  /** Default: 5 s. */
  readonly connectTimeoutMs?: number;
  readonly reachability?: ReachabilityTimes;
}

export interface HeliumDatabase {
  readonly name: string;
  /**
   * Whether code of an app runs with the rights of that app's owner only. Otherwise it has those of
   * the portal's only login.
   */
  readonly hasSeparateLogins: boolean;
  /**
   * Why calls fail at once, with the time of the last answer; undefined while the data source
   * answers.
   */
  readonly silence: Silent | undefined;
  /** The key of the ids of its statements, which is sent to it as a parameter. */
  readonly statementIdKey: string;
  /** Throws `Unreachable` with the reason. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs the work in one transaction. A statement that PostgreSQL rejects throws its own
   * `DatabaseError`, which the caller explains; a connection that fails, is lost, or times out
   * throws `Unreachable`.
   */
  transaction<T>(options: TransactionOptions, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Returns the same data source for calls that end with the signal: they throw its reason, and
   * their statements are canceled at the server. For reading only; a change runs to its end.
   */
  withSignal(signal: AbortSignal): HeliumDatabase;
  /**
   * Returns the same data source for statements that may run code of an app: its views, policies,
   * functions. They have the rights of the owner of the schema, and each runs on a connection of
   * its own, which is closed afterwards. Throws like `prepareAppLogin`.
   */
  asApp(schemaName: string): AppConnection;
  /**
   * The same data source for changing access. Nothing that reads or plans relations of an app may
   * run on it, because its login has rights on every app.
   */
  readonly granting: Pick<HeliumDatabase, 'name' | 'query' | 'transaction'>;
  close(): Promise<void>;
}

export type AppConnection = Pick<HeliumDatabase, 'name' | 'transaction'>;

/** Connects on the first query and reconnects after the server restarts. */
export function openHeliumDatabase(options: HeliumDatabaseOptions): HeliumDatabase {
  const { name, url, logins, statementTimeoutMs = 10_000, graceMs = 1_000, connectTimeoutMs = 5_000 } = options;
  const statementIdKey = options.statementIdKey?.reveal() ?? randomBytes(32).toString('hex');
  const connections = new Connections({ ...options, statementTimeoutMs, graceMs, connectTimeoutMs });
  const limits = { statementTimeoutMs, graceMs };

  function createCalls(signal: AbortSignal | undefined, use: Use): Pick<HeliumDatabase, 'query' | 'transaction'> {
    const isReason = (error: unknown) => signal?.aborted && error === signal.reason;
    return {
      async query<Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[] = []) {
        try {
          return await use(async ({ client }) => (await client.query<Row>(sql, [...parameters])).rows);
        } catch (error) {
          throw error instanceof Problem || isReason(error) ? error : toUnreachable(name, error);
        }
      },
      async transaction(wanted, work) {
        try {
          return await use((connection) => inTransaction(connection, { ...limits, ...wanted }, work));
        } catch (error) {
          throw isConnectionLost(error) && !isReason(error) ? toUnreachable(name, error) : error;
        }
      },
    };
  }

  function withSignal(signal: AbortSignal | undefined): HeliumDatabase {
    const shared = createCalls(signal, (work) => connections.use(signal, work));
    const once = (login: OneTimeLogin) => createCalls(signal, (work) => connections.useOnce(login, signal, work));
    return {
      name,
      hasSeparateLogins: logins !== undefined,
      get silence() {
        return connections.silence;
      },
      statementIdKey,
      ...shared,
      withSignal,
      asApp(schemaName) {
        if (!logins) return { name, ...once({ name: schemaName, url }) };
        const { grantUrl, key } = logins;
        const login = deriveAppLogin(key, url, schemaName);
        const { transaction } = once({ name: schemaName, url: login.url });
        const prepare = (isRefused = false) =>
          prepareAppLogin(shared.query, { dataSource: name, grantUrl, schemaName, login, isRefused });
        return {
          name,
          async transaction(wanted, work) {
            await prepare();
            try {
              return await transaction(wanted, work);
            } catch (error) {
              if (!isPasswordRefused(error)) throw error;
              await prepare(true);
              return await transaction(wanted, work);
            }
          },
        };
      },
      granting: { name, ...(logins ? once({ name: '', url: logins.grantUrl }) : shared) },
      close: () => connections.close(),
    };
  }

  return withSignal(undefined);
}

/** Lends a connection for the work. */
type Use = <Result>(work: (connection: BorrowedConnection) => Promise<Result>) => Promise<Result>;
