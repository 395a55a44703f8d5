import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Encryption } from '@portal/kit/encryption';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import { ExpiringCache } from '../expiring-cache.ts';
import type { PlatformCredentials } from './caller.ts';
import { type SessionLimits, type SessionRow, SessionStore } from './session.store.ts';

const touchEveryMs = 60_000;
/** Longer than any session can be unused. */
const evictAfterMs = 24 * 3_600_000;

export interface Session {
  readonly id: string;
  readonly username: string;
  readonly environment: string;
  readonly expiresAt: Date;
  /** Decrypts the credentials; do not store them. */
  credentials(): PlatformCredentials;
}

export interface SessionsOptions {
  readonly pool: Pool;
  readonly encryption: Encryption;
  readonly limits: SessionLimits;
  readonly logger: Logger;
  /** How long a session is cached: a sign-out on another node takes effect after this time. */
  readonly cacheMs?: number;
}

type EndListener = (sessionId: string) => void;

/**
 * The Sessions is the component that manages sessions. They are stored in PostgreSQL, shared by all
 * nodes, and cached briefly on each node.
 */
export class Sessions {
  readonly #store: SessionStore;
  readonly #encryption: Encryption;
  readonly #logger: Logger;
  readonly #cache: ExpiringCache<Session | undefined>;
  readonly #touchedAt = new Map<string, number>();
  readonly #endListeners = new Set<EndListener>();

  constructor({ pool, encryption, limits, logger, cacheMs = 3_000 }: SessionsOptions) {
    this.#store = new SessionStore(pool, limits);
    this.#encryption = encryption;
    this.#logger = logger;
    this.#cache = new ExpiringCache({ ttlMs: cacheMs, maxEntries: 10_000 });
  }

  /** Opens a session and returns its token, which is stored nowhere else. */
  async open(
    username: string,
    environment: string,
    credentials: PlatformCredentials,
  ): Promise<{ readonly token: string; readonly sessionId: string }> {
    const token = randomBytes(32).toString('base64url');
    const id = randomUUID();
    const sealed = this.#encryption.encrypt(JSON.stringify(credentials), id);
    await this.#store.add({ id, tokenHash: hashToken(token), username, environment, credentials: sealed });
    return { token, sessionId: id };
  }

  /**
   * Finds the active session of a token. This counts as activity, which is recorded once a minute.
   * `fresh` bypasses the cache.
   */
  async find(token: string, options?: { readonly fresh: boolean }): Promise<Session | undefined> {
    const session = await this.#lookUp(token, options);
    if (session) this.#touch(session.id);
    return session;
  }

  /** Ends the session of a token on all nodes; returns undefined if there was none. */
  async end(token: string): Promise<Session | undefined> {
    const session = await this.#lookUp(token, { fresh: true });
    if (!session) return undefined;
    await this.#store.remove(session.id);
    this.#cache.invalidate(token);
    this.#touchedAt.delete(session.id);
    for (const listener of this.#endListeners) listener(session.id);
    return session;
  }

  /**
   * Registers a listener for sessions that end on this node. Returns a function that removes it.
   */
  onEnd(listener: EndListener): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Deletes expired sessions with their credentials. */
  async removeExpired(): Promise<void> {
    const old = Date.now() - evictAfterMs;
    for (const [id, touchedAt] of this.#touchedAt) if (touchedAt < old) this.#touchedAt.delete(id);
    await this.#store.removeExpired();
  }

  async #lookUp(token: string, options?: { readonly fresh: boolean }): Promise<Session | undefined> {
    const load = async () => {
      const row = await this.#store.find(hashToken(token));
      return row && this.#isReadable(row) ? this.#read(row) : undefined;
    };
    const session = await this.#cache.get(token, load, options);
    return session && session.expiresAt.getTime() > Date.now() ? session : undefined;
  }

  #read({ id, username, environment, expiresAt, lastSeenAt, credentials }: SessionRow): Session {
    if (!this.#touchedAt.has(id)) this.#touchedAt.set(id, lastSeenAt.getTime());
    const decrypt = () => JSON.parse(this.#encryption.decrypt(credentials, id)) as PlatformCredentials;
    return { id, username, environment, expiresAt, credentials: decrypt };
  }

  /** A session opened with another encryption key is invalid, so its owner must sign in again. */
  #isReadable({ id, credentials }: SessionRow): boolean {
    try {
      this.#encryption.decrypt(credentials, id);
      return true;
    } catch {
      this.#logger.warn({ sessionId: id }, 'ignored a session that was encrypted with another key');
      return false;
    }
  }

  #touch(id: string): void {
    const now = Date.now();
    if (now - (this.#touchedAt.get(id) ?? 0) < touchEveryMs) return;
    this.#touchedAt.set(id, now);
    this.#store.touch(id).catch((error: unknown) => {
      this.#touchedAt.delete(id);
      this.#logger.warn({ err: error }, 'could not record session activity');
    });
  }
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
