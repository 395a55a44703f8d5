import type { AuditEntry } from '@portal/contract/audit';
import type { Logger } from '@portal/kit/logger';
import { isOutage, type Pool, type PoolClient } from '@portal/kit/postgres/pool';
import type { CallOrigin } from '../session/caller.ts';
import { addEntry, type NewEntry } from './audit.store.ts';

const retryMs = 1_000;
const mostWaiting = 10_000;

/** Who acts: a caller, or somebody who failed to become one. */
export interface Actor {
  readonly username: string;
  readonly environment: { readonly name: string };
  readonly origin: CallOrigin;
  readonly sessionId: string | null;
}

/** What happened. Never put a secret into `description`, `before` or `after`: nothing here can be taken back. */
export interface Deed extends Pick<AuditEntry, 'action' | 'description' | 'outcome'> {
  readonly resource?: string;
  readonly resourceName?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
}

/**
 * Writes down what people do. A deed that is done is not forgotten because the database is away just then: it waits
 * in memory, and stands in the log, until the database is back.
 */
export class AuditTrail {
  readonly #pool: Pool;
  readonly #logger: Logger;
  readonly #waiting: NewEntry[] = [];
  #retry: NodeJS.Timeout | undefined;

  constructor(pool: Pool, logger: Logger) {
    this.#pool = pool;
    this.#logger = logger;
  }

  async write(actor: Actor, deed: Deed, database: Pool | PoolClient = this.#pool): Promise<void> {
    const entry = entryOf(actor, deed);
    try {
      await addEntry(database, entry);
    } catch (error) {
      if (!isOutage(error)) throw error;
      this.#logger.error({ entry, reason: String(error) }, 'an audit entry waits for the database');
      if (this.#waiting.length < mostWaiting) this.#waiting.push(entry);
      this.#retry ??= setTimeout(() => void this.flush(), retryMs).unref();
    }
  }

  /** Writes what waits; tries again later when the database is still away. */
  async flush(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    try {
      for (let entry = this.#waiting[0]; entry; entry = this.#waiting[0]) {
        await addEntry(this.#pool, entry);
        this.#waiting.shift();
      }
    } catch (error) {
      this.#logger.warn({ waiting: this.#waiting.length, reason: String(error) }, 'audit entries still wait');
      this.#retry ??= setTimeout(() => void this.flush(), retryMs).unref();
    }
  }
}

function entryOf({ username, environment, origin, sessionId }: Actor, deed: Deed): NewEntry {
  return {
    at: new Date(),
    username,
    environment: environment.name,
    sessionId,
    action: deed.action,
    resource: deed.resource ?? null,
    resourceName: deed.resourceName ?? null,
    description: deed.description,
    before: deed.before ?? null,
    after: deed.after ?? null,
    outcome: deed.outcome,
    reason: deed.reason ?? null,
    ...origin,
  };
}
