import pg from 'pg';
import type { Logger } from '../logger.ts';
import { toClientConfig } from './database-address.ts';
import { LimitedClient } from './limited-client.ts';
import { readPooled } from './pooled-setting.ts';
import { isPoolerOutage } from './pooler-refusal.ts';
import { isLostName, Sessions, type Settings } from './session.ts';
import { isTlsFailure } from './tls-failure.ts';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

export interface PoolOptions {
  /** Maximum number of connections; defaults to 10. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`, so that the database's owner can identify the client. */
  readonly applicationName: string;
  /**
   * Per statement. The server enforces it and, after `graceMs`, the client, because a lost network
   * reports nothing.
   */
  readonly statementTimeoutMs?: number;
  /** Default: 1 s. */
  readonly graceMs?: number;
  readonly connectTimeoutMs?: number;
  /**
   * For each lock. With less than the server's `deadlock_timeout`, this client gives way before
   * PostgreSQL aborts another one because of a deadlock.
   */
  readonly lockTimeoutMs?: number;
  /**
   * How long a transaction may do nothing before the server ends it. Releases the locks of a client
   * that was frozen or cut off.
   */
  readonly idleInTransactionMs?: number;
  /** How long the server waits for a client that accepts no bytes. */
  readonly unresponsiveMs?: number;
  /** The schemas in which names without a schema are looked up. Default: the server's. */
  readonly searchPath?: string;
  /** Is appended to every statement. */
  readonly comment?: string;
  /** Runs on each new connection, which is closed if it throws. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
  readonly logger?: Pick<Logger, 'warn'>;
}

/**
 * Creates a pool that survives restarts of its server: broken idle connections are dropped, and the
 * next query opens a new one. A query during the outage fails; `isOutage` distinguishes this from
 * an error in the query. All limits also hold behind a pooler, which is recognized, or stated by
 * the address.
 */
export function createPool(url: string, options: PoolOptions): Pool {
  const {
    statementTimeoutMs,
    graceMs = 1_000,
    lockTimeoutMs,
    idleInTransactionMs,
    unresponsiveMs,
    searchPath,
    comment,
    logger,
  } = options;
  const sessions = new Sessions({
    pooled: readPooled(url),
    settings: {
      // Until version 11, numbers with a fraction lose digits without it.
      extra_float_digits: 3,
      // An app's database may have others, with which NULL in an array and a type's name differ.
      array_nulls: 'on',
      quote_all_identifiers: 'off',
      ...(statementTimeoutMs !== undefined && { statement_timeout: statementTimeoutMs }),
      ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
      ...(idleInTransactionMs !== undefined && { idle_in_transaction_session_timeout: idleInTransactionMs }),
      ...(searchPath !== undefined && { search_path: searchPath }),
    },
    ...(unresponsiveMs !== undefined && { connectionSettings: limitUnresponsive(unresponsiveMs) }),
    comment,
    logger,
  });
  const pool = new pg.Pool({
    ...toClientConfig(url),
    Client: LimitedClient,
    max: options.max ?? 10,
    application_name: options.applicationName,
    ...(statementTimeoutMs !== undefined && { query_timeout: statementTimeoutMs + graceMs }),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    keepAlive: true,
    onConnect: async (client) => {
      await sessions.prepare(client);
      await options.onConnect?.(client);
    },
  });
  const logLostConnection = (error: Error) => logger?.warn({ reason: error.message }, 'a database connection was lost');
  pool.on('error', logLostConnection);
  // The pool handles errors of idle connections only. An unhandled error of a connection in use
  // would end the process.
  pool.on('connect', (client) => client.on('error', logLostConnection));
  return pool;
}

/** A server on a Unix socket ignores these. */
function limitUnresponsive(unresponsiveMs: number): Settings {
  const intervalSecs = Math.ceil(unresponsiveMs / 3_000);
  return {
    tcp_keepalives_idle: intervalSecs,
    tcp_keepalives_interval: intervalSecs,
    tcp_keepalives_count: 3,
    tcp_user_timeout: unresponsiveMs,
  };
}

/**
 * Runs the work on a connection of its own. If the connection is lost, the next query fails; the
 * process goes on.
 */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  // An unhandled error of a connection would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs the work in one transaction, which is rolled back if the work throws. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    // A session that is read-only stays so when the database accepts changes again.
    isBroken = explainRefusedChange(error) !== undefined;
    await client.query('rollback').catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/**
 * Connection errors of the network and of PostgreSQL: class 08, and shutting down, crashed,
 * starting up (57P0x).
 */
const outageCode =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08(?!P01)...|57P0[123]|53300)$/;
const outageMessage = /Connection terminated|Client has encountered a connection error|Query read timeout/;

/** Returns whether the database was unreachable, as opposed to an error in the query. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true;
  if ('code' in error && outageCode.test(String(error.code))) return true;
  return outageMessage.test(error.message) || isTlsFailure(error) || isPoolerOutage(error);
}

/** What the driver says when all connections of a pool were in use for too long. */
export const poolExhaustedMessage = 'timeout exceeded when trying to connect';

/**
 * Returns whether all connections of the pool were in use for too long. The database itself works:
 * a connection that cannot be opened is an outage.
 */
export function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === poolExhaustedMessage;
}

const refusedChangeReasons: Readonly<Record<string, string>> = {
  '25006': 'it is read-only',
  '53100': 'its disk is full',
};

/**
 * Returns why a database that can be reached accepts no changes at the moment, such as `it is
 * read-only`; undefined for any other error. This ends without a change to the program, like an
 * outage.
 */
export function explainRefusedChange(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? refusedChangeReasons[String(error.code)] : undefined;
}

/**
 * Returns whether the same query may succeed later without a change to the program: after an
 * outage, on a database that accepts changes again, or with a free connection.
 */
export function isTemporary(error: unknown): boolean {
  return isOutage(error) || isPoolExhausted(error) || isLostName(error) || explainRefusedChange(error) !== undefined;
}
