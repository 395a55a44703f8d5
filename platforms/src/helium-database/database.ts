/**
 * A data source as the portal reads it: other people's database, so every question is short,
 * limited in time, and its failures are told in words instead of PostgreSQL's codes.
 */
import pg from 'pg';
import { isLost, unreachable } from './outage.ts';
import { marked } from './portal-mark.ts';
import { graceMs, inTransaction, type Transaction, type TransactionOptions } from './transaction.ts';

export interface HeliumDatabaseOptions {
  /** What people call it, for the sentences: `helium-app-1`. */
  readonly name: string;
  readonly url: string;
  /** 4 when left out. */
  readonly maxConnections?: number;
  /** For each statement, watched by the server and by us; 10 s when left out. */
  readonly statementTimeoutMs?: number;
  /** 5 s when left out. */
  readonly connectTimeoutMs?: number;
}

export interface HeliumDatabase {
  readonly name: string;
  /** Throws `Unreachable`, which says why. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * The rows as lists of what PostgreSQL wrote, in the order of the columns: for large answers,
   * where making numbers and objects of everything costs more than asking.
   */
  queryText(sql: string, parameters?: readonly unknown[]): Promise<(string | null)[][]>;
  /**
   * All of the work or nothing of it. What PostgreSQL refuses passes as its own `DatabaseError`,
   * for the work's owner to explain; a connection that cannot be had, is lost, or says nothing for
   * too long is `Unreachable`.
   */
  transaction<T>(options: TransactionOptions, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Connects at the first question. Outlives restarts of the server: the next question opens a new
 * connection.
 */
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
    // In the usual 4 MB the statistics of thousands of long statements are sorted on the server's
    // disk, half as fast.
    onConnect: (client) => client.query(marked(`set work_mem = '32MB'`)),
  });
  // An idle connection that breaks is replaced at the next question.
  pool.on('error', () => undefined);
  const ask = <Result>(asked: Promise<Result>): Promise<Result> =>
    asked.catch((error: unknown) => {
      throw unreachable(name, error);
    });
  return {
    name,
    async query<Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[] = []) {
      const { rows } = await ask(pool.query<Row>(marked(sql), [...parameters]));
      return rows;
    },
    async queryText(sql, parameters = []) {
      const asked = { text: marked(sql), values: [...parameters], rowMode: 'array' as const, types: asText };
      const { rows } = await ask(pool.query<(string | null)[]>(asked));
      return rows;
    },
    async transaction(wanted, work) {
      const client = await ask(pool.connect());
      // The pool hears of idle connections only; one that breaks in its user's hands would end the
      // process.
      client.on('error', ignore);
      try {
        return await inTransaction(client, { statementTimeoutMs, ...wanted }, work);
      } catch (error) {
        throw isLost(error) ? unreachable(name, error) : error;
      } finally {
        client.off('error', ignore);
      }
    },
    close: () => pool.end(),
  };
}

const ignore = () => undefined;

/** No value is made into anything: it stays the text PostgreSQL sent. */
const asText = { getTypeParser: () => (value: string) => value };
