import type { AuditEntry } from '@portal/contract/audit';
import type { Logger } from '@portal/kit/logger';
import { isOutage, type Pool } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
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

/**
 * What happened. Never put a secret into `description`, `before` or `after`: nothing here can be
 * taken back.
 */
export interface Deed extends Pick<AuditEntry, 'action' | 'description' | 'outcome'> {
  readonly resource?: string;
  readonly resourceName?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
}

/**
 * Writes down what people do. A deed that is done is not forgotten because the database is away
 * just then: it waits in memory, and stands in the log, until the database is back.
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

  /** Never throws: the deed is done, and telling its doer that it failed would be untrue. */
  async write(actor: Actor, deed: Deed): Promise<void> {
    const entry = entryOf(actor, deed);
    try {
      await addEntry(this.#pool, entry);
    } catch (error) {
      this.#logger.error({ entry, err: error }, 'an audit entry could not be written yet');
      if (this.#waiting.length < mostWaiting) this.#waiting.push(entry);
      this.#tryLater();
    }
  }

  /**
   * Writes what waits. While the database is away it goes on waiting; an entry the database refuses
   * stays in the log only.
   */
  async flush(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    for (let entry = this.#waiting.shift(); entry; entry = this.#waiting.shift()) {
      try {
        await addEntry(this.#pool, entry);
      } catch (error) {
        this.#logger.error({ entry, err: error }, 'an audit entry could not be written');
        if (!isOutage(error)) continue;
        this.#waiting.unshift(entry);
        return this.#tryLater();
      }
    }
  }

  #tryLater(): void {
    this.#retry ??= setTimeout(() => void this.flush(), retryMs).unref();
  }
}

/**
 * How a deed ended that threw: refused when it was not to be, failed when something did not work.
 */
export function outcomeOf(error: unknown): Pick<Deed, 'outcome'> & { readonly reason: string } {
  if (!(error instanceof Problem)) return { outcome: 'failed', reason: 'A bug; the request id finds it in the log.' };
  return { outcome: error.status < 500 ? 'refused' : 'failed', reason: error.message };
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
