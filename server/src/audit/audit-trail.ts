import type { AuditEntry } from '@portal/contract/audit';
import type { ResourceKind } from '@portal/contract/resource-kind';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { toStorableText } from '@portal/kit/postgres/storable-text';
import { Problem } from '@portal/kit/problems';
import { ExpiringCache } from '../expiring-cache.ts';
import { createMonths, isProtected, type NewEntry } from './audit.store.ts';
import { TrailUnavailable } from './trail-unavailable.ts';
import { type QueueLimits, WriteQueue } from './write-queue.ts';

export const explainWeakness =
  "The role of databaseUrl owns the audit trail, so it could change entries. Set databaseOwnerUrl to the address of another role that owns the portal's database (docs/operations.md).";

const monthsEveryMs = 12 * 3_600_000;
/** Pages that refresh themselves show the same data again and again. */
const viewWindowMs = 3_600_000;
const maxViews = 10_000;

/** The origin of a request, as recorded in the audit trail. */
export interface CallOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}

/** The user who performs an action: a caller, or a user whose sign-in failed. */
export interface Actor {
  readonly username: string;
  readonly environment: { readonly name: string };
  readonly origin: CallOrigin;
  readonly sessionId: string | null;
}

/** What an action is about. An id means something only with its kind. */
export interface Resource {
  readonly kind: ResourceKind;
  readonly id: string;
}

/**
 * An action and its outcome. Never put a secret into `description`, `before` or `after`: entries
 * cannot be deleted.
 */
export interface AuditRecord extends Pick<AuditEntry, 'action' | 'description' | 'outcome'> {
  readonly resource?: Resource;
  readonly resourceName?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly reason?: string;
}

/** Records what users do. See WriteQueue for what happens while it cannot be written. */
export class AuditTrail {
  readonly #pool: Pool;
  readonly #logger: Logger;
  readonly #queue: WriteQueue;
  readonly #months: NodeJS.Timeout;
  readonly #views = new ExpiringCache<void>({ ttlMs: viewWindowMs, maxEntries: maxViews });

  constructor(pool: Pool, logger: Logger, limits?: QueueLimits) {
    this.#pool = pool;
    this.#logger = logger;
    this.#queue = new WriteQueue(pool, logger, limits);
    this.#months = setInterval(() => void this.#createMonths(), monthsEveryMs).unref();
  }

  /**
   * Never throws: the action itself has succeeded, so reporting a failure to the user would be
   * wrong.
   */
  async write(actor: Actor, record: AuditRecord): Promise<void> {
    await this.#queue.write(toEntry(actor, record));
  }

  /**
   * Records what is only shown if it is recorded. Throws TrailUnavailable if it cannot be written
   * now.
   */
  async writeFirst(actor: Actor, record: AuditRecord): Promise<void> {
    try {
      await this.#queue.writeNow(toEntry(actor, record));
    } catch (error) {
      throw new TrailUnavailable('Nothing is shown, because the audit trail cannot be written.', error);
    }
  }

  /**
   * Records what was shown to a user who may view it, unless this node has recorded an equal view
   * of the session within the last hour. Like `write`, never throws: whom to call must stay visible
   * while the trail cannot be written.
   */
  async writeView(actor: Actor, record: AuditRecord): Promise<void> {
    const { sessionId, username, environment, origin } = actor;
    const viewer = sessionId ?? [username, environment.name, origin.address];
    const key = JSON.stringify([viewer, record.action, record.resource, record.description]);
    await this.#views.get(key, () => this.write(actor, record));
  }

  /** Whether changes are refused because too many entries wait, or have waited too long. */
  get isBackedUp(): boolean {
    return this.#queue.isBackedUp;
  }

  /** Throws TrailUnavailable while changes are refused. */
  requireRoom(): void {
    if (this.isBackedUp) throw new TrailUnavailable('Nothing was changed, because the audit trail cannot be written.');
  }

  /** Writes the entries that wait, unless the trail still cannot be written. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /** Prepares the next months, and warns if the database would let this service change entries. */
  async start(): Promise<void> {
    await this.#createMonths();
    if (!(await this.isProtected())) this.#logger.warn(explainWeakness);
  }

  /** Without the partitions, entries are stored all the same. */
  async #createMonths(): Promise<void> {
    await createMonths(this.#pool).catch((error: unknown) =>
      this.#logger.warn({ err: error }, 'could not create the partitions of the audit trail for the next months'),
    );
  }

  /** Returns whether the database itself prevents the portal's role from changing entries. */
  isProtected(): Promise<boolean> {
    return isProtected(this.#pool);
  }

  async stop(): Promise<void> {
    clearInterval(this.#months);
    await this.#queue.stop();
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

/** Cuts what callers choose, so that they cannot fill the trail with long values. */
const limits = { name: 200, text: 1_000, jsonChars: 64 * 1024 } as const;

function toEntry({ username, environment, origin, sessionId }: Actor, record: AuditRecord): NewEntry {
  return {
    at: new Date(),
    username: cut(username, limits.name),
    environment: environment.name,
    sessionId,
    action: cut(record.action, limits.name),
    resourceKind: record.resource?.kind ?? null,
    resource: record.resource === undefined ? null : cut(record.resource.id, limits.name),
    resourceName: record.resourceName === undefined ? null : cut(record.resourceName, limits.name),
    description: cut(record.description, limits.text),
    before: toJson(record.before),
    after: toJson(record.after),
    outcome: record.outcome,
    reason: record.reason === undefined ? null : cut(record.reason, limits.text),
    address: cut(origin.address, limits.name),
    userAgent: origin.userAgent === null ? null : cut(origin.userAgent, limits.text),
    requestId: origin.requestId,
  };
}

function cut(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return toStorableText(short);
}

function toJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const json = JSON.stringify(value);
  return json.length <= limits.jsonChars ? json : JSON.stringify({ cut: `The value has ${json.length} characters.` });
}
