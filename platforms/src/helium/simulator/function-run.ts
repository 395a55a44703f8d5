/**
 * One invocation of a unit's function: a transaction under the app's own role, with what Helium's
 * language offers it. Interrupted when its time-out is over, whatever it is doing then.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient } from '@portal/kit/postgres/pool';
import pg, { type QueryResultRow } from 'pg';
import { inHeliumTransaction } from './helium-transaction.ts';
import { JavaException } from './java-exception.ts';

const schedulerUserId = '00000000-0000-0000-0000-000000000002';

/** Named after the built-in unit an app's code knows: `Mez:log`. */
interface Mez {
  log(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Runs a statement and answers how many rows it touched. */
  sql(statement: string, parameters?: unknown[]): Promise<number>;
  /**
   * Reads rows, never more than the app's maximum: beyond it the function fails as it does on
   * Helium.
   */
  select<Row extends QueryResultRow>(statement: string): Promise<Row[]>;
  /** Waits as a call to another system would. */
  outboundCall(milliseconds: number): Promise<void>;
  /** True in that share of all calls. */
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
 * Settles when the function is through; throws what it failed with, and then nothing it wrote
 * remains. `stopping` ends it as its time-out would.
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
      let cancelling: Promise<void> | undefined;
      const onInterrupted = () => {
        cancelling = cancelStatement(pool, rows[0]?.pid ?? 0).catch(() => undefined);
      };
      interrupted.addEventListener('abort', onInterrupted, { once: true });
      try {
        await body(createMez(client, limits, writeLine, interrupted));
        interrupted.throwIfAborted();
      } finally {
        interrupted.removeEventListener('abort', onInterrupted);
        // A cancellation on its way must not meet whoever gets this connection next.
        await cancelling;
      }
    });
  } catch (error) {
    if (!interrupted.aborted) throw error;
    throw new JavaException(
      'com.mezzanineware.dsl.runtime.ProcessTimeoutException',
      timeout.signal.aborted
        ? `Process interrupted: it ran longer than the maximum of ${limits.timeoutMins} minutes`
        : 'Process interrupted: the platform goes down',
      new JavaException('java.lang.InterruptedException', 'sleep interrupted'),
    );
  } finally {
    clearTimeout(timer);
  }
}

/** By a connection of its own: those of the pool may all be busy with what shall be cancelled. */
async function cancelStatement(pool: Pool, pid: number): Promise<void> {
  const client = new pg.Client(pool.options);
  await client.connect();
  try {
    await client.query('select pg_cancel_backend($1)', [pid]);
  } finally {
    await client.end();
  }
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
