import { portalMark } from '@portal/kit/postgres/portal-mark';
import type pg from 'pg';
import { isConnectionLost } from './connection-errors.ts';
import type { BorrowedConnection } from './connections.ts';

export interface TransactionOptions {
  /** The limit per statement. Default: that of the database. */
  readonly statementTimeoutMs?: number;
  /** How long a statement may wait for a lock. Default: as long as it may run. */
  readonly lockTimeoutMs?: number;
  readonly readOnly?: boolean;
  /** Rolls back even when the work succeeds. */
  readonly dryRun?: boolean;
}

interface Statement extends pg.QueryConfig {
  /** The extended protocol accepts one statement at a time, whatever its text contains. */
  readonly queryMode?: 'extended';
}

export interface Transaction {
  /** Throws PostgreSQL's own `DatabaseError` for a rejected statement. */
  query<Row extends pg.QueryResultRow>(queryable: string | Statement, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Returns the rows as arrays of PostgreSQL's text, in the order of the columns. This is for large
   * results, where parsing every value costs more than the query.
   */
  queryText(sql: string, parameters?: readonly unknown[]): Promise<(string | null)[][]>;
}

/** Returns every value as the text PostgreSQL sent. */
const asText = { getTypeParser: () => (value: string) => value };

/** Runs the work on the connection. Calls `discard` if the transaction could not be ended. */
export async function inTransaction<T>(
  { client, discard }: BorrowedConnection,
  options: TransactionOptions & { readonly statementTimeoutMs: number; readonly graceMs: number },
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { statementTimeoutMs, graceMs, lockTimeoutMs = 0, readOnly = false, dryRun = false } = options;
  try {
    await client.query(`begin ${readOnly ? 'read only' : 'read write'} ${portalMark};
      set local statement_timeout = ${statementTimeoutMs} ${portalMark}; set local lock_timeout = ${lockTimeoutMs}`);
    const result = await work({
      async query<Row extends pg.QueryResultRow>(queryable: string | Statement, parameters?: readonly unknown[]) {
        const statement = typeof queryable === 'string' ? { text: queryable } : queryable;
        // The server cancels a statement that takes too long; this handles a server that stopped
        // responding.
        const guarded = {
          ...statement,
          query_timeout: statementTimeoutMs + graceMs,
        };
        const { rows } = await client.query<Row>(guarded, parameters && [...parameters]);
        return rows;
      },
      async queryText(sql, parameters = []) {
        const guarded = {
          text: sql,
          rowMode: 'array' as const,
          types: asText,
          query_timeout: statementTimeoutMs + graceMs,
        };
        const { rows } = await client.query<(string | null)[]>(guarded, [...parameters]);
        return rows;
      },
    });
    await client.query(dryRun ? 'rollback' : 'commit');
    return result;
  } catch (error) {
    if (!isConnectionLost(error)) await client.query('rollback').catch(discard);
    throw error;
  }
}
