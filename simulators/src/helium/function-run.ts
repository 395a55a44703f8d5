/**
 * Runs a function of a unit: a transaction with the app's own role and the features of Helium's
 * language. It is interrupted after its time-out, whatever it is doing.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Pool, type PoolClient, withClient } from '@portal/kit/postgres/pool';
import type { QueryResultRow } from 'pg';
import { inHeliumTransaction } from './helium-transaction.ts';
import { JavaException } from './java-exception.ts';

const schedulerUserId = '00000000-0000-0000-0000-000000000002';

/** The features an app's code uses, named after Helium's built-in unit: `Mez:log`. */
interface Mez {
  log(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Runs a statement and returns the number of affected rows. */
  sql(statement: string, parameters?: unknown[]): Promise<number>;
  /** Reads rows up to the app's maximum; with more rows the function fails, as on Helium. */
  select<Row extends QueryResultRow>(statement: string): Promise<Row[]>;
  /** Waits like a call to another system. */
  outboundCall(milliseconds: number): Promise<void>;
  /** Returns true for that share of calls. */
  happens(percent: number): boolean;
}

export type FunctionBody = (mez: Mez) => Promise<void>;

interface RunLimits {
  readonly timeoutMs: number;
  readonly timeoutMins: number;
  readonly maxDatabaseResults: number;
}

type WriteLine = (key: string, value: string) => void;

/**
 * Resolves when the function is done. Throws the function's error, after which everything it wrote
 * is rolled back. `stopping` interrupts it like its time-out.
 */
export async function runFunction(
  pool: Pool,
  body: FunctionBody,
  { limits, writeLine, stopping }: { limits: RunLimits; writeLine: WriteLine; stopping: AbortSignal },
): Promise<void> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), limits.timeoutMs);
  const interrupted = AbortSignal.any([timeout.signal, stopping]);
  try {
    await inHeliumTransaction(pool, schedulerUserId, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      let cancelling: Promise<unknown> | undefined;
      const onInterrupted = () => {
        cancelling = cancelStatement(pool, rows[0]?.pid ?? 0).catch(() => undefined);
      };
      interrupted.addEventListener('abort', onInterrupted, { once: true });
      try {
        await body(createMez(client, limits, writeLine, interrupted));
        interrupted.throwIfAborted();
      } finally {
        interrupted.removeEventListener('abort', onInterrupted);
        // A pending cancellation must not reach the next user of this connection.
        await cancelling;
      }
    });
  } catch (error) {
    if (!interrupted.aborted) throw error;
    throw new JavaException(
      'com.mezzanineware.dsl.runtime.ProcessTimeoutException',
      timeout.signal.aborted
        ? `Process interrupted: it ran longer than the maximum of ${limits.timeoutMins} minutes`
        : 'Process interrupted: the platform is shutting down',
      new JavaException('java.lang.InterruptedException', 'sleep interrupted'),
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Uses its own connection, because the pool may be busy with the statements to cancel. */
function cancelStatement(pool: Pool, pid: number): Promise<unknown> {
  return withClient(pool.options, (client) => client.query('select pg_cancel_backend($1)', [pid]));
}

function createMez(
  client: PoolClient,
  { maxDatabaseResults }: RunLimits,
  writeLine: WriteLine,
  signal: AbortSignal,
): Mez {
  return {
    log: (text) => writeLine('INFO', text),
    warn: (text) => writeLine('WARNING', text),
    error: (text) => writeLine('SEVERE', text),
    async sql(statement, parameters) {
      signal.throwIfAborted();
      const { rowCount } = await client.query(statement, parameters);
      return rowCount ?? 0;
    },
    async select<Row extends QueryResultRow>(statement: string) {
      signal.throwIfAborted();
      const { rows } = await client.query<Row>(`select * from (${statement}) as found limit ${maxDatabaseResults + 1}`);
      if (rows.length > maxDatabaseResults) throw new JavaException('java.sql.SQLException', tooManyRows);
      return rows;
    },
    async outboundCall(milliseconds) {
      await wait(milliseconds, undefined, { signal, ref: false });
    },
    happens: (percent) => Math.random() * 100 < percent,
  };
}

const tooManyRows = 'Maximum allowed number of rows exceeded for the SQL select statement';
