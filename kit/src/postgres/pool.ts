import pg from 'pg';
import type { Logger } from '../logger.ts';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

export interface PoolOptions {
  /** Connections at most, 10 when left out. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`, so that a database's owner sees who is asking. */
  readonly applicationName: string;
  /**
   * For each statement, watched by the server, and a second later by us: a lost network says
   * nothing.
   */
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly logger?: Logger;
}

const graceMs = 1_000;

/**
 * A pool that outlives restarts of its server: connections that break while nobody uses them are
 * let go, and the next query opens a new one. A query during the outage fails; `isOutage` tells
 * that from a mistake in the query.
 */
export function createPool(url: string, options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs ?? false,
    ...(options.statementTimeoutMs !== undefined && { query_timeout: options.statementTimeoutMs + graceMs }),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    keepAlive: true,
  });
  const noteLoss = (error: Error) => options.logger?.warn({ reason: error.message }, 'a database connection was lost');
  pool.on('error', noteLoss);
  // The pool listens only to connections nobody uses; one that breaks in its user's hands would end
  // the process.
  pool.on('connect', (client) => client.on('error', noteLoss));
  return pool;
}

/**
 * Runs the work in one transaction: all of it happens when it returns, nothing of it when it
 * throws.
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Connection failures of the network, and of PostgreSQL: class 08, and shutting down, crashed,
 * starting up (57P0x).
 */
const outageCode = /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[123]|53300)$/;
const outageMessage =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout/;

/** Whether the database was out of reach, rather than the query wrong. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true;
  return ('code' in error && outageCode.test(String(error.code))) || outageMessage.test(error.message);
}
