import { createHash } from 'node:crypto';
import { createPool, inTransaction, isPoolExhausted, type Pool, type PoolClient } from '@portal/kit/postgres/pool';
import { Conflict } from '@portal/kit/problems';

const waitMs = 20_000;
const maxConnections = 8;

/**
 * Serializes changes to the same target across all nodes. The platform has no conditional updates,
 * so reading and changing must not be interleaved with other changes. It has its own connections,
 * so that a slow platform cannot block anything else.
 */
export class ChangeLocks {
  readonly #pool: Pool;

  /** `connectionWaitMs` is how long a change waits for a free connection. */
  constructor(databaseUrl: string, { connectionWaitMs = 5_000 } = {}) {
    this.#pool = createPool(databaseUrl, {
      applicationName: 'portal changes',
      max: maxConnections,
      connectTimeoutMs: connectionWaitMs,
    });
  }

  /** Runs the work under the lock. Throws Conflict if others hold it too long. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#runWith(work, async (client) => {
      await client.query(`set local lock_timeout = ${waitMs}`);
      await client.query('select pg_advisory_xact_lock($1)', [toLockId(name)]).catch(explainWait);
    });
  }

  /**
   * Runs the work under the lock. Throws Conflict with the message, without waiting, if it is held.
   */
  runUnlessHeld<T>(name: string, message: string, work: () => Promise<T>): Promise<T> {
    return this.#runWith(work, async (client) => {
      const text = 'select pg_try_advisory_xact_lock($1) as is_free';
      const { rows } = await client.query<{ is_free: boolean }>(text, [toLockId(name)]);
      if (!rows[0]?.is_free) throw new Conflict(message);
    });
  }

  async stop(): Promise<void> {
    await this.#pool.end();
  }

  async #runWith<T>(work: () => Promise<T>, acquire: (client: PoolClient) => Promise<void>): Promise<T> {
    let done: { readonly result: T } | undefined;
    try {
      await inTransaction(this.#pool, async (client) => {
        await acquire(client);
        done = { result: await work() };
      });
    } catch (error) {
      if (isPoolExhausted(error) && done === undefined)
        throw new Conflict('Too many changes are in progress. Try again in a moment.', {
          cause: error,
        });
      // Losing the lock's connection does not undo work that is done.
      if (done === undefined) throw error;
    }
    if (done === undefined) throw new Error('the lock was released without running its work');
    return done.result;
  }
}

function toLockId(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}

function explainWait(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === '55P03')
    throw new Conflict('Another user is changing this right now. Try again in a moment.', { cause: error });
  throw error;
}
