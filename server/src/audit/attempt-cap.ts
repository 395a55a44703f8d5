import { toNetwork } from '../client-network.ts';
import { hashParts } from '../hash-parts.ts';
import type { NewEntry } from './audit.store.ts';

/** As long as equal attempts share an entry (add_audit_attempt). */
const windowMs = 600_000;

export interface AttemptLimits {
  /** Different attempts of a source within ten minutes that get an entry of their own. */
  readonly maxDifferent: number;
  /** From this many sources within ten minutes on, the others count as one. */
  readonly maxSources: number;
}

const defaultLimits: AttemptLimits = { maxDifferent: 100, maxSources: 1_000 };

/** Attempts of a signed-in user, or of a network without a session. */
interface Source {
  readonly startedAt: number;
  /** Hashes of what distinguishes its attempts. */
  readonly different: Set<string>;
}

/**
 * Limits how many entries attempts that change nothing can add to the audit trail, however they
 * vary. Each node counts in memory.
 */
export class AttemptCap {
  readonly #limits: AttemptLimits;
  /** In the order of their start. */
  readonly #sources = new Map<string, Source>();

  constructor(limits = defaultLimits) {
    this.#limits = limits;
  }

  /**
   * Returns the entry to write: that of the attempt or, beyond the limit, one without what varies.
   * The database counts equal ones together.
   */
  limit(entry: NewEntry): NewEntry {
    const { maxDifferent } = this.#limits;
    const { sessionId, username, environment, address } = entry;
    const network = address === null ? null : toNetwork(address);
    const own = sessionId === null ? `network ${network}` : `user ${username}`;
    const { different, isShared } = this.#findSource(`${environment} ${own}`, entry.at.getTime());
    const { action, resourceKind, resource, outcome, reason } = entry;
    const distinguishing = [username, action, resourceKind, resource, address, environment, outcome, reason];
    const attempt = hashParts(distinguishing.map((value) => JSON.stringify(value)));
    if (different.has(attempt)) return entry;
    if (different.size < maxDifferent) {
      different.add(attempt);
      return entry;
    }
    const of = isShared ? 'other addresses' : sessionId === null ? 'this address' : 'this user';
    return {
      ...entry,
      username: sessionId === null || isShared ? 'portal' : username,
      sessionId: null,
      resourceKind: null,
      resource: null,
      resourceName: null,
      description: `More attempts of ${of}, after ${maxDifferent} different ones within ten minutes`,
      before: null,
      after: null,
      reason: null,
      address: sessionId === null && !isShared ? network : null,
      userAgent: null,
      requestId: null,
    };
  }

  #findSource(name: string, now: number): Source & { readonly isShared: boolean } {
    for (const [oldest, { startedAt }] of this.#sources) {
      if (now - startedAt < windowMs) break;
      this.#sources.delete(oldest);
    }
    const isShared = !this.#sources.has(name) && this.#sources.size >= this.#limits.maxSources;
    const key = isShared ? 'others' : name;
    const source = this.#sources.get(key) ?? { startedAt: now, different: new Set() };
    this.#sources.set(key, source);
    return { ...source, isShared };
  }
}
