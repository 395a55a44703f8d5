/**
 * One invocation of a unit's function: a transaction under the app's own role, with what Helium's language offers it.
 * Interrupted when its time-out is over, whatever it is doing then.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';
import type { QueryResultRow } from 'pg';
import { inHeliumTransaction } from './helium-transaction.ts';
import { JavaException } from './java-exception.ts';

export const SCHEDULER_USER_ID = '00000000-0000-0000-0000-000000000002';

/** Named after the built-in unit an app's code knows: `Mez:log`. */
export interface Mez {
  log(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Runs a statement and answers how many rows it touched. */
  sql(statement: string, parameters?: unknown[]): Promise<number>;
  /** Reads rows, never more than the app's maximum: beyond it the function fails as it does on Helium. */
  select<Row extends QueryResultRow>(statement: string): Promise<Row[]>;
  /** Waits as a call to another system would. */
  outboundCall(milliseconds: number): Promise<void>;
  /** True in that share of all calls. */
  happens(percent: number): boolean;
}

export type FunctionBody = (mez: Mez) => Promise<void>;

export interface RunLimits {
  readonly timeoutMs: number;
  readonly timeoutMins: number;
  readonly maxDatabaseResults: number;
}

type Say = (key: string, value: string) => void;

/** Settles when the function is through; throws what it failed with, and then nothing it wrote remains. */
export async function runFunction(pool: Pool, body: FunctionBody, limits: RunLimits, say: Say): Promise<void> {
  const interruption = new AbortController();
  const timer = setTimeout(() => interruption.abort(), limits.timeoutMs);
  try {
    await inHeliumTransaction(pool, SCHEDULER_USER_ID, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const cancel = () => void pool.query('select pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => undefined);
      interruption.signal.addEventListener('abort', cancel, { once: true });
      await body(mezFor(client, limits, say, interruption.signal));
      interruption.signal.removeEventListener('abort', cancel);
      interruption.signal.throwIfAborted();
    });
  } catch (problem) {
    if (!interruption.signal.aborted) throw problem;
    throw new JavaException(
      'com.mezzanineware.dsl.runtime.ProcessTimeoutException',
      `Process interrupted: it ran longer than the maximum of ${limits.timeoutMins} minutes`,
      new JavaException('java.lang.InterruptedException', 'sleep interrupted'),
    );
  } finally {
    clearTimeout(timer);
  }
}

function mezFor(client: PoolClient, { maxDatabaseResults }: RunLimits, say: Say, signal: AbortSignal): Mez {
  return {
    log: (text) => say('INFO', text),
    warn: (text) => say('WARNING', text),
    error: (text) => say('SEVERE', text),
    async sql(statement, parameters) {
      signal.throwIfAborted();
      const { rowCount } = await client.query(statement, parameters);
      return rowCount ?? 0;
    },
    async select<Row extends QueryResultRow>(statement: string) {
      signal.throwIfAborted();
      const { rows } = await client.query<Row>(`select * from (${statement}) as found limit ${maxDatabaseResults + 1}`);
      if (rows.length > maxDatabaseResults) throw new JavaException('java.sql.SQLException', TOO_MANY_ROWS);
      return rows;
    },
    async outboundCall(milliseconds) {
      await wait(milliseconds, undefined, { signal, ref: false });
    },
    happens: (percent) => Math.random() * 100 < percent,
  };
}

export const TOO_MANY_ROWS = 'Maximum allowed number of rows exceeded for the SQL select statement';
