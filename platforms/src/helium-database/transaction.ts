import type pg from 'pg';
import { isLost } from './outage.ts';
import { mark, marked } from './portal-mark.ts';

export interface TransactionOptions {
  /** For each statement; that of the database when left out. */
  readonly statementTimeoutMs?: number;
  /** How long a statement may wait for a lock; as long as it may run when left out. */
  readonly lockTimeoutMs?: number;
  readonly readOnly?: boolean;
  /** Rolled back when the work is done, too: what it did was only to be seen. */
  readonly dryRun?: boolean;
}

interface Statement extends pg.QueryConfig {
  /** The protocol that takes one statement at a time, whatever its text holds. */
  readonly queryMode?: 'extended';
}

export interface Transaction {
  /** PostgreSQL's own `DatabaseError` for what it refuses. */
  query<Row extends pg.QueryResultRow>(asked: string | Statement, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** How much longer than the server's own watch we wait for it to say that time is up. */
export const graceMs = 1_000;

/** Runs the work on the connection, which is given back to its pool whatever happens. */
export async function inTransaction<T>(
  client: pg.PoolClient,
  options: TransactionOptions & { readonly statementTimeoutMs: number },
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { statementTimeoutMs, lockTimeoutMs = 0, readOnly = false, dryRun = false } = options;
  let broken = false;
  try {
    await client.query(`begin ${readOnly ? 'read only' : 'read write'} ${mark};
      set local statement_timeout = ${statementTimeoutMs} ${mark}; set local lock_timeout = ${lockTimeoutMs} ${mark}`);
    const result = await work({
      async query<Row extends pg.QueryResultRow>(asked: string | Statement, parameters?: readonly unknown[]) {
        const statement = typeof asked === 'string' ? { text: asked } : asked;
        // The server ends a statement that takes too long; this is for a server that says nothing
        // any more.
        const watched = { ...statement, text: marked(statement.text), query_timeout: statementTimeoutMs + graceMs };
        const { rows } = await client.query<Row>(watched, parameters && [...parameters]);
        return rows;
      },
    });
    await client.query(marked(dryRun ? 'rollback' : 'commit'));
    return result;
  } catch (error) {
    broken = isLost(error);
    if (!broken) {
      await client.query(marked('rollback')).catch(() => {
        broken = true;
      });
    }
    throw error;
  } finally {
    client.release(broken);
  }
}
