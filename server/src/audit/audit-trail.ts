import type { AuditEntry } from '@portal/contract/audit';
import type { Logger } from '@portal/kit/logger';
import { isTemporary, type Pool } from '@portal/kit/postgres/pool';
import { Problem } from '@portal/kit/problems';
import type { CallOrigin } from '../session/caller.ts';
import { addEntry, type NewEntry } from './audit.store.ts';

const retryMs = 1_000;
const maxWaiting = 10_000;

/** The user who performs an action: a caller, or a user whose sign-in failed. */
export interface Actor {
  readonly username: string;
  readonly environment: { readonly name: string };
  readonly origin: CallOrigin;
  readonly sessionId: string | null;
}

/**
 * An action and its outcome. Never put a secret into `description`, `before` or `after`: entries
 * cannot be deleted.
 */
export interface AuditRecord extends Pick<AuditEntry, 'action' | 'description' | 'outcome'> {
  readonly resource?: string;
  readonly resourceName?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
}

/**
 * Records what users do. While the database is unavailable, entries are queued in memory and
 * logged, and written once it is back.
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

  /**
   * Never throws: the action itself has succeeded, so reporting a failure to the user would be
   * wrong.
   */
  async write(actor: Actor, record: AuditRecord): Promise<void> {
    const entry = toEntry(actor, record);
    try {
      await addEntry(this.#pool, entry);
    } catch (error) {
      this.#logger.error({ entry, err: error }, 'could not write an audit entry; it is queued and will be retried');
      if (this.#waiting.length < maxWaiting) this.#waiting.push(entry);
      this.#retryLater();
    }
  }

  /**
   * Writes the queued entries. Entries stay queued while the database is unavailable or accepts no
   * changes; an entry that the database rejects remains only in the log.
   */
  async flush(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    for (let entry = this.#waiting.shift(); entry; entry = this.#waiting.shift()) {
      try {
        await addEntry(this.#pool, entry);
      } catch (error) {
        this.#logger.error({ entry, err: error }, 'could not write an audit entry');
        if (!isTemporary(error)) continue;
        this.#waiting.unshift(entry);
        return this.#retryLater();
      }
    }
  }

  #retryLater(): void {
    this.#retry ??= setTimeout(() => void this.flush(), retryMs).unref();
  }
}

/**
 * Converts an error to the outcome of its action: "refused" for client errors, "failed" for
 * everything else.
 */
export function toOutcome(error: unknown): Pick<AuditRecord, 'outcome'> & { readonly reason: string } {
  if (!(error instanceof Problem))
    return { outcome: 'failed', reason: 'Internal error. Search the log for the request id.' };
  return { outcome: error.status < 500 ? 'refused' : 'failed', reason: error.message };
}

function toEntry({ username, environment, origin, sessionId }: Actor, record: AuditRecord): NewEntry {
  return {
    at: new Date(),
    username,
    environment: environment.name,
    sessionId,
    action: record.action,
    resource: record.resource ?? null,
    resourceName: record.resourceName ?? null,
    description: record.description,
    before: record.before ?? null,
    after: record.after ?? null,
    outcome: record.outcome,
    reason: record.reason ?? null,
    ...origin,
  };
}
