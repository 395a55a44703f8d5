import type { QueryClient } from '@tanstack/react-query';
import type { LogBuffer } from './log-buffer.ts';
import type { Connection } from './log-connection.ts';

/** What a log needs to continue where it was left. */
export interface SavedLog {
  readonly buffer: LogBuffer;
  readonly connection: Connection;
  readonly lostLines: number;
  readonly unknownGaps: number;
}

export interface CacheLimits {
  readonly logs: number;
  readonly bytes: number;
}

const defaultLimits: CacheLimits = { logs: 5, bytes: 64 * 1024 * 1024 };

/** Stores the logs that were left last, so that returning to one shows its lines at once. */
export class LogCache {
  /** Oldest first. */
  readonly #logs = new Map<string, SavedLog>();
  readonly #limits: CacheLimits;

  constructor(limits: CacheLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** Removes and returns a log, or null. */
  take(key: string): SavedLog | null {
    const log = this.#logs.get(key) ?? null;
    this.#logs.delete(key);
    return log;
  }

  /**
   * Stores a log. Evicts the oldest ones beyond the limits, and the oldest lines of a larger log.
   */
  put(key: string, log: SavedLog): void {
    log.buffer.trim({ rows: Number.POSITIVE_INFINITY, bytes: this.#limits.bytes });
    this.#logs.delete(key);
    this.#logs.set(key, log);
    for (const oldest of this.#logs.keys()) {
      if (this.#logs.size <= this.#limits.logs && this.#getBytes() <= this.#limits.bytes * 1.05) return;
      if (oldest !== key) this.#logs.delete(oldest);
    }
  }

  #getBytes(): number {
    return [...this.#logs.values()].reduce((sum, { buffer }) => sum + buffer.bytes, 0);
  }
}

/**
 * By the client of the calls, which lasts from sign-in to sign-out. The session does not: it is
 * replaced when it becomes read-only.
 */
const cacheByClient = new WeakMap<QueryClient, LogCache>();

export function getLogCache(client: QueryClient): LogCache {
  const cache = cacheByClient.get(client) ?? new LogCache();
  cacheByClient.set(client, cache);
  return cache;
}
