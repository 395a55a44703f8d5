import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import type { Actor, AuditTrail } from '../audit/audit-trail.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { hashParts } from '../hash-parts.ts';
import { saveOrigin } from './session-origins.store.ts';

/**
 * A laptop that changes networks has a few; what changes with every call must not fill the trail.
 */
const maxMoves = 20;
const saveEveryMs = 60_000;

export interface SessionOriginsOptions {
  readonly pool: Pool;
  readonly audit: AuditTrail;
  readonly logger: Logger;
}

/**
 * Saves from which addresses and browsers a session is used: the last one once a minute, and each
 * new one in the audit trail.
 */
export class SessionOrigins {
  readonly #options: SessionOriginsOptions;
  /** The sessions and origins of which this node has lately recorded a use. */
  readonly #recorded = new ExpiringCache<void>({ ttlMs: saveEveryMs, maxEntries: 10_000 });

  constructor(options: SessionOriginsOptions) {
    this.#options = options;
  }

  /** Records a use of the actor's session. Never throws: the user can work without. */
  async save(actor: Actor & { readonly sessionId: string }): Promise<void> {
    const { address, userAgent } = actor.origin;
    const key = hashParts([actor.sessionId, address, JSON.stringify(userAgent)]);
    // After a failure too, the next attempt is a minute later.
    await this.#recorded.get(key, () =>
      this.#saveNow(actor).catch((error: unknown) =>
        this.#options.logger.warn({ err: error }, 'could not save where a session is used'),
      ),
    );
  }

  async #saveNow(actor: Actor & { readonly sessionId: string }): Promise<void> {
    const { pool, audit } = this.#options;
    const { sessionId, origin } = actor;
    const use = await saveOrigin(pool, sessionId, origin, maxMoves);
    if (!use?.isMove) return;
    const { before, moves } = use;
    const after = { address: origin.address, userAgent: origin.userAgent };
    const changed = [
      ...(before.address === after.address ? [] : ['address']),
      ...(before.userAgent === after.userAgent ? [] : ['browser']),
    ];
    const end = moves + 1 < maxMoves ? '' : '. Further changes of this session are not recorded.';
    await audit.write(actor, {
      action: 'session.move',
      resource: { kind: 'session', id: sessionId },
      description: `Session used from another ${changed.join(' and ')}${end}`,
      before,
      after,
      outcome: 'done',
    });
  }
}
