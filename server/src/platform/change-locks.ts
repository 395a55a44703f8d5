import { createHash } from 'node:crypto';
import { createPool, inTransaction, isOutage, type Pool } from '@portal/kit/postgres/pool';
import { Conflict } from '@portal/kit/problems';

const waitMs = 20_000;
const maxConnections = 8;

/**
 * One change at a time, per thing changed and over all nodes. The platform has no "change only if",
 * so looking and changing must not be torn apart by somebody else's change. Its connections are its
 * own: a slow platform may use up these, and nothing else has to wait.
 */
export class ChangeLocks {
  readonly #pool: Pool;

  /** `patienceMs`: how long a change waits for one of the connections to be free. */
  constructor(databaseUrl: string, { connectionWaitMs = 5_000 } = {}) {
    this.#pool = createPool(databaseUrl, {
      applicationName: 'portal changes',
      max: maxConnections,
      connectTimeoutMs: connectionWaitMs,
    });
  }

  /** Throws Conflict when others kept it for too long, and whatever the work throws. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    let done: { readonly result: T } | undefined;
    try {
      await inTransaction(this.#pool, async (client) => {
        await client.query(`set local lock_timeout = ${waitMs}`);
        await client.query('select pg_advisory_xact_lock($1)', [toLockId(name)]).catch(explainWait);
        done = { result: await work() };
      });
    } catch (error) {
      // Its own pool ran dry, which says nothing of the database.
      if (
        this.#pool.totalCount >= maxConnections &&
        this.#pool.idleCount === 0 &&
        isOutage(error) &&
        done === undefined
      )
        throw new Conflict('Too many changes are waiting for their platforms just now. Try again in a moment.', {
          cause: error,
        });
      // Losing the lock's connection after the work is done takes nothing back.
      if (done === undefined) throw error;
    }
    if (done === undefined) throw new Error('a lock ended without its work');
    return done.result;
  }

  async stop(): Promise<void> {
    await this.#pool.end();
  }
}

function toLockId(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}

function explainWait(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === '55P03')
    throw new Conflict('Somebody else is changing the same just now. Try again in a moment.', { cause: error });
  throw error;
}
