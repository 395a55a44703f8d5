/**
 * The portal's connection to a data source. The database belongs to someone else, so queries are
 * short and limited in time, and failures are described in words instead of PostgreSQL's codes.
 */
import pg from 'pg';
import { isConnectionLost, toUnreachable } from './connection-errors.ts';
import { withPortalMark } from './portal-mark.ts';
import { graceMs, inTransaction, type Transaction, type TransactionOptions } from './transaction.ts';

export interface HeliumDatabaseOptions {
  /** The display name used in messages, such as `helium-app-1`. */
  readonly name: string;
  readonly url: string;
  /** Default: 4. */
  readonly maxConnections?: number;
  /** The limit per statement, enforced by the server and by the client. Default: 10 s. */
  readonly statementTimeoutMs?: number;
  /** Default: 5 s. */
  readonly connectTimeoutMs?: number;
}

export interface HeliumDatabase {
  readonly name: string;
  /** Throws `Unreachable` with the reason. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs the work in one transaction. A statement that PostgreSQL rejects throws its own
   * `DatabaseError`, which the caller explains; a connection that fails, is lost, or times out
   * throws `Unreachable`.
   */
  transaction<T>(options: TransactionOptions, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connects on the first query and reconnects after the server restarts. */
export function openHeliumDatabase(options: HeliumDatabaseOptions): HeliumDatabase {
  const { name, statementTimeoutMs = 10_000, connectTimeoutMs = 5_000 } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: 'portal',
    max: options.maxConnections ?? 4,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + graceMs,
    keepAlive: true,
    // With the default 4 MB, the server sorts the statistics of thousands of long statements on
    // disk, which takes twice as long.
    onConnect: (client) => client.query(withPortalMark(`set work_mem = '32MB'`)),
  });
  // The next query replaces an idle connection that breaks.
  pool.on('error', () => undefined);
  const runQuery = <Result>(queryable: Promise<Result>): Promise<Result> =>
    queryable.catch((error: unknown) => {
      throw toUnreachable(name, error);
    });
  return {
    name,
    async query<Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[] = []) {
      const { rows } = await runQuery(pool.query<Row>(withPortalMark(sql), [...parameters]));
      return rows;
    },
    async transaction(wanted, work) {
      const client = await runQuery(pool.connect());
      // The pool reports idle connections only. An unhandled error of a connection in use would end
      // the process.
      client.on('error', ignore);
      try {
        return await inTransaction(client, { statementTimeoutMs, ...wanted }, work);
      } catch (error) {
        throw isConnectionLost(error) ? toUnreachable(name, error) : error;
      } finally {
        client.off('error', ignore);
      }
    },
    close: () => pool.end(),
  };
}

const ignore = () => undefined;
