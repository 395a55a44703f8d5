import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Lifetime } from '@portal/contract/session';
import type { Encryption } from '@portal/kit/encryption';
import type { Logger } from '@portal/kit/logger';
import type { Pool } from '@portal/kit/postgres/pool';
import type { CallOrigin } from '../audit/audit-trail.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import type { PlatformCredentials } from './caller.ts';
import { type ListedSession, type SessionLimits, type SessionRow, SessionStore } from './session.store.ts';

const saveUseEveryMs = 60_000;
/** Longer than any session can be unused. */
const evictAfterMs = 24 * 3_600_000;

export interface Session {
  readonly id: string;
  readonly username: string;
  readonly environment: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly isReadOnly: boolean;
  /** Decrypts the credentials; do not store them. */
  credentials(): PlatformCredentials;
}

export interface SessionsOptions {
  readonly pool: Pool;
  readonly encryption: Encryption;
  readonly limits: SessionLimits;
  readonly logger: Logger;
  /** How long a session is cached, if no notification of its end arrives. */
  readonly cacheMs?: number;
}

type EndListener = (sessionId: string) => void;

/** What this node knows of a session that it has seen. */
interface SeenSession {
  /** The key of the session in the cache. */
  readonly token: string;
  usedAt: number;
}

/**
 * Manages sessions. They are stored in PostgreSQL, shared by all nodes, and cached briefly on each
 * node.
 */
export class Sessions {
  readonly #store: SessionStore;
  readonly #encryption: Encryption;
  readonly #logger: Logger;
  readonly #cache: ExpiringCache<Session | undefined>;
  readonly #seen = new Map<string, SeenSession>();
  /** How many open sockets watch each session. */
  readonly #watched = new Map<string, number>();
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
    { address, userAgent }: Pick<CallOrigin, 'address' | 'userAgent'>,
  ): Promise<{ readonly token: string; readonly sessionId: string }> {
    const token = randomBytes(32).toString('base64url');
    const id = randomUUID();
    const sealed = this.#encryption.encrypt(JSON.stringify(credentials), id);
    const tokenHash = hashToken(token);
    await this.#store.add({ id, tokenHash, username, environment, credentials: sealed, address, userAgent });
    return { token, sessionId: id };
  }

  /**
   * Finds the active session of a token. This does not count as use. `fresh` bypasses the cache.
   */
  async find(token: string, options?: { readonly fresh: boolean }): Promise<Session | undefined> {
    const load = async () => {
      const row = await this.#store.find(hashToken(token));
      return row && this.#isReadable(row) ? this.#read(row, token) : undefined;
    };
    const session = await this.#cache.get(token, load, options);
    return session && session.expiresAt.getTime() > Date.now() ? session : undefined;
  }

  /** Records that a session that was found is used now, at most once a minute. */
  saveUse(id: string): void {
    const now = Date.now();
    const seen = this.#seen.get(id);
    if (!seen || now - seen.usedAt < saveUseEveryMs) return;
    const before = seen.usedAt;
    seen.usedAt = now;
    this.#store.saveUse(id).catch((error: unknown) => {
      seen.usedAt = before;
      this.#logger.warn({ err: error }, 'could not save the use of a session');
    });
  }

  /**
   * Records how many seconds ago the session of a token was last used, and returns when it ends;
   * undefined if it has.
   */
  reportUse(token: string, secondsAgo: number | undefined): Promise<Lifetime | undefined> {
    return this.#store.reportUse(hashToken(token), secondsAgo);
  }

  /** Returns when a session ends; undefined if it has. */
  findLifetime(id: string): Promise<Lifetime | undefined> {
    return this.#store.findLifetime(id);
  }

  /**
   * Makes a session read-only until its absolute end, on other nodes within seconds; returns false
   * if it had already ended.
   */
  async makeReadOnly(id: string): Promise<boolean> {
    const wasLive = await this.#store.makeReadOnly(id);
    const token = this.#seen.get(id)?.token;
    if (token !== undefined) this.#cache.invalidate(token);
    return wasLive;
  }

  /**
   * Keeps a session for another one of its user in another environment. It has no token until
   * `switchTo`, and ends with that other one.
   */
  async keep(id: string, currentId: string): Promise<void> {
    await this.#store.keep(id, currentId);
    this.announceEnd(id);
  }

  /**
   * Opens the session that this one keeps in an environment, with a new token. This one loses its
   * token and is kept. Returns undefined if there is none.
   */
  async switchTo(
    id: string,
    environment: string,
  ): Promise<{ readonly token: string; readonly sessionId: string } | undefined> {
    const token = randomBytes(32).toString('base64url');
    const sessionId = await this.#store.switchTo(id, environment, hashToken(token));
    if (sessionId === undefined) return undefined;
    this.announceEnd(id);
    return { token, sessionId };
  }

  /** Returns the environments of the sessions that a session keeps. */
  listKept(id: string): Promise<string[]> {
    return this.#store.listKept(id);
  }

  /** Finds an active session for work that its user requested and is done in the background. */
  async findById(id: string): Promise<Session | undefined> {
    const row = await this.#store.findById(id);
    return row && this.#isReadable(row) ? this.#toSession(row) : undefined;
  }

  /** Whether its user has another session, opened later with another password. */
  async isOfOldPassword(session: Session): Promise<boolean> {
    const { password } = session.credentials();
    const later = await this.#store.listLater(session);
    return later.some((row) => this.#isReadable(row) && this.#toSession(row).credentials().password !== password);
  }

  /** Ends the session of a token on all nodes; returns undefined if there was none. */
  async end(token: string): Promise<Session | undefined> {
    const session = await this.find(token, { fresh: true });
    if (session) await this.endById(session.id);
    return session;
  }

  /** Ends a session on all nodes; returns false if it had already ended. */
  async endById(id: string): Promise<boolean> {
    const wasLive = await this.#store.remove(id);
    this.announceEnd(id);
    return wasLive;
  }

  /** Announces the end of a session that may have ended on another node. */
  announceEnd(id: string): void {
    const token = this.#seen.get(id)?.token;
    if (token !== undefined) this.#cache.invalidate(token);
    this.#seen.delete(id);
    for (const listener of this.#endListeners) listener(id);
  }

  /** Returns the sessions of an environment that have not ended, the last used first. */
  list(environment: string): Promise<ListedSession[]> {
    return this.#store.list(environment);
  }

  /**
   * Keeps a session in view while a socket is open, because no call would notice its end. Returns a
   * function that ends the watching.
   */
  watch(id: string): () => void {
    this.#watched.set(id, (this.#watched.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#watched.get(id) ?? 1) - 1;
      if (left > 0) this.#watched.set(id, left);
      else this.#watched.delete(id);
    };
  }

  /**
   * Announces the end of watched sessions that expired, or whose end on another node was missed. An
   * open socket is not use.
   */
  async checkWatched(): Promise<void> {
    const ids = [...this.#watched.keys()];
    if (ids.length === 0) return;
    const live = await this.#store.findLive(ids);
    for (const id of ids) if (!live.has(id)) this.announceEnd(id);
  }

  /**
   * Registers a listener for sessions that end on this node, and for watched sessions that end
   * elsewhere. Returns a function that removes it.
   */
  onEnd(listener: EndListener): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Deletes expired sessions with their credentials. */
  async removeExpired(): Promise<void> {
    const old = Date.now() - evictAfterMs;
    for (const [id, { usedAt }] of this.#seen) if (usedAt < old) this.#seen.delete(id);
    await this.#store.removeExpired();
  }

  #read(row: SessionRow, token: string): Session {
    const { id, lastSeenAt } = row;
    if (!this.#seen.has(id)) this.#seen.set(id, { token, usedAt: lastSeenAt.getTime() });
    return this.#toSession(row);
  }

  #toSession({ credentials, lastSeenAt: _, ...session }: SessionRow): Session {
    const decrypt = () => JSON.parse(this.#encryption.decrypt(credentials, session.id)) as PlatformCredentials;
    return { ...session, credentials: decrypt };
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
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
