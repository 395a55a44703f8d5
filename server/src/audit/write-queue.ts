import type { Logger } from '@portal/kit/logger';
import { isTemporary, type Pool } from '@portal/kit/postgres/pool';
import { AttemptCap } from './attempt-cap.ts';
import { addAttempt, addEntry, type NewEntry } from './audit.store.ts';

const retryMs = 1_000;

export interface QueueLimits {
  /** From this many waiting entries on, or this age of the oldest, changes are refused. */
  readonly maxForChanges: number;
  readonly maxWaitMs: number;
  /**
   * Refusals can add entries beyond that. From this many on, entries are only logged and counted.
   */
  readonly maxWaiting: number;
}

const defaultLimits: QueueLimits = { maxForChanges: 1_000, maxWaitMs: 60_000, maxWaiting: 10_000 };

/**
 * Writes audit entries. While the trail cannot be written, they wait in memory, and are logged in
 * full. Those that cannot wait any more are counted in an entry of their own.
 */
export class WriteQueue {
  readonly #pool: Pool;
  readonly #logger: Logger;
  readonly #limits: QueueLimits;
  readonly #cap = new AttemptCap();
  readonly #waiting: NewEntry[] = [];
  /** The number of entries that were given up, by environment. */
  readonly #givenUp = new Map<string, number>();
  #retry: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(pool: Pool, logger: Logger, limits = defaultLimits) {
    this.#pool = pool;
    this.#logger = logger;
    this.#limits = limits;
  }

  /** Whether no more should be added, because too much waits or has waited too long. */
  get isBackedUp(): boolean {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return false;
    return (
      this.#waiting.length >= this.#limits.maxForChanges || Date.now() - oldest.at.getTime() >= this.#limits.maxWaitMs
    );
  }

  /** Writes an entry now or later; never throws. */
  async write(entry: NewEntry): Promise<void> {
    try {
      await this.writeNow(entry);
    } catch (error) {
      this.#logger.error({ entry, err: error }, 'could not write an audit entry; it is queued and will be retried');
      if (this.#waiting.length < this.#limits.maxWaiting) this.#waiting.push(entry);
      else this.#giveUp(entry);
      this.#retryLater();
    }
  }

  /** Throws if the entry cannot be written now. */
  async writeNow(entry: NewEntry): Promise<void> {
    // Attempts that change nothing could fill the trail, even those of strangers.
    const isAttempt = entry.outcome === 'refused' || (entry.outcome === 'failed' && entry.action === 'session.sign-in');
    await (isAttempt ? addAttempt(this.#pool, this.#cap.limit(entry)) : addEntry(this.#pool, entry));
  }

  /** Writes the entries that wait. They stay while the trail cannot be written. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async stop(): Promise<void> {
    await this.flush();
    clearTimeout(this.#retry);
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    for (let [entry] = this.#waiting; entry; [entry] = this.#waiting) {
      try {
        await this.writeNow(entry);
      } catch (error) {
        this.#logger.error({ entry, err: error }, 'could not write an audit entry');
        if (canWait(error)) return this.#retryLater();
        this.#giveUp(entry);
      }
      this.#waiting.shift();
    }
    await this.#writeGaps();
  }

  #giveUp(entry: NewEntry): void {
    this.#logger.error({ entry }, 'gave up an audit entry; it is only in this log');
    this.#givenUp.set(entry.environment, (this.#givenUp.get(entry.environment) ?? 0) + 1);
  }

  /** Shows in the trail itself that entries are missing. */
  async #writeGaps(): Promise<void> {
    for (const [environment, count] of this.#givenUp) {
      try {
        await addEntry(this.#pool, createGap(environment, count));
        this.#givenUp.delete(environment);
      } catch (error) {
        this.#logger.error({ err: error, environment, count }, 'could not save that audit entries are missing');
        return this.#retryLater();
      }
    }
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(() => void this.flush(), retryMs).unref();
  }
}

/** Class 53 is a lack of disk, memory or connections; 57014 a statement that took too long. */
const lackCode = /^(53...|57014)$/;

function canWait(error: unknown): boolean {
  return isTemporary(error) || (error instanceof Error && 'code' in error && lackCode.test(String(error.code)));
}

function createGap(environment: string, count: number): NewEntry {
  return {
    at: new Date(),
    username: 'portal',
    environment,
    sessionId: null,
    action: 'audit.gap',
    resourceKind: null,
    resource: null,
    resourceName: null,
    description: `Entries that could not be stored: ${count}. The log has them as "gave up an audit entry".`,
    before: null,
    after: null,
    outcome: 'failed',
    reason: null,
    address: null,
    userAgent: null,
    requestId: null,
  };
}
