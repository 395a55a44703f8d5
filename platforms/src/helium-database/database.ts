/**
 * The portal's connection to a data source. The database belongs to someone else, so queries are
 * short and limited in time, and failures are described in words instead of PostgreSQL's codes.
 */
import { Problem } from '@portal/kit/problems';
import type pg from 'pg';
import type { ReachabilityTimes, Silent } from '../reachability.ts';
import { isConnectionLost, toUnreachable } from './connection-errors.ts';
import { Connections } from './connections.ts';
import { inTransaction, type Transaction, type TransactionOptions } from './transaction.ts';

export interface HeliumDatabaseOptions extends HeliumDatabaseTimes {
  /** The display name used in messages, such as `helium-app-1`. */
  readonly name: string;
  readonly url: string;
  /** The IANA zone of times in messages. Default: UTC. */
  readonly timeZone?: string;
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
   * Why calls fail at once, with the time of the last answer; undefined while the data source
   * answers.
   */
  readonly silence: Silent | undefined;
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
  close(): Promise<void>;
}

/** Connects on the first query and reconnects after the server restarts. */
export function openHeliumDatabase(options: HeliumDatabaseOptions): HeliumDatabase {
  const { name, statementTimeoutMs = 10_000, graceMs = 1_000, connectTimeoutMs = 5_000 } = options;
  const connections = new Connections({ ...options, statementTimeoutMs, graceMs, connectTimeoutMs });

  function withSignal(signal: AbortSignal | undefined): HeliumDatabase {
    const runQuery = <Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[]) =>
      connections
        .use(signal, async ({ client }) => (await client.query<Row>(sql, [...parameters])).rows)
        .catch((error: unknown) => {
          throw error instanceof Problem || isReason(error) ? error : toUnreachable(name, error);
        });
    const isReason = (error: unknown) => signal?.aborted && error === signal.reason;
    return {
      name,
      get silence() {
        return connections.silence;
      },
      query: (sql, parameters = []) => runQuery(sql, parameters),
      async transaction(wanted, work) {
        try {
          return await connections.use(signal, (connection) =>
            inTransaction(connection, { statementTimeoutMs, graceMs, ...wanted }, work),
          );
        } catch (error) {
          throw isConnectionLost(error) && !isReason(error) ? toUnreachable(name, error) : error;
        }
      },
      withSignal,
      close: () => connections.close(),
    };
  }

  return withSignal(undefined);
}
