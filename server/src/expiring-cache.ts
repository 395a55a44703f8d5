export interface ExpiringCacheOptions {
  /** How long a value may be used. */
  readonly ttlMs: number;
  /** Maximum number of entries; the least recently loaded is evicted first. */
  readonly maxEntries?: number;
}

interface Entry<V> {
  readonly value: Promise<V>;
  readonly loadedAt: number;
}

/**
 * The ExpiringCache is the component that caches loaded values for a short time. Concurrent callers
 * share one load; a failed load fails for all of them and is not cached.
 */
export class ExpiringCache<V> {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry<V>>();

  constructor({ ttlMs, maxEntries = 1000 }: ExpiringCacheOptions) {
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  /** With `fresh`, loads the value again. */
  get(key: string, load: () => Promise<V>, { fresh = false } = {}): Promise<V> {
    const found = this.#entries.get(key);
    if (found && !fresh && performance.now() - found.loadedAt < this.#ttlMs) return found.value;
    const entry: Entry<V> = { value: load(), loadedAt: performance.now() };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#trim();
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.value;
  }

  /** Also discards a running load: later callers get a value that is current. */
  invalidate(key: string): void {
    this.#entries.delete(key);
  }

  invalidateWhere(matches: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (matches(key)) this.#entries.delete(key);
  }

  /** Removes expired entries too; the entries are ordered by load time. */
  #trim(): void {
    const oldest = performance.now() - this.#ttlMs;
    for (const [key, { loadedAt }] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && loadedAt > oldest) return;
      this.#entries.delete(key);
    }
  }
}
