export interface ExpiringCacheOptions {
  /** How long a value may be used. */
  readonly ttlMs: number;
  /** The least recently loaded goes when there are more. */
  readonly maxEntries?: number;
}

interface Entry<V> {
  readonly value: Promise<V>;
  readonly loadedAt: number;
}

/**
 * Keeps what was loaded for a short while. Those who ask at the same time wait for one load; a
 * failed load is told to all of them and forgotten.
 */
export class ExpiringCache<V> {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry<V>>();

  constructor({ ttlMs, maxEntries = 1000 }: ExpiringCacheOptions) {
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  /** `fresh` loads anew whatever is there. */
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

  /** A load under way is forgotten too: whoever asks next gets what is true after this moment. */
  invalidate(key: string): void {
    this.#entries.delete(key);
  }

  invalidateWhere(matches: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (matches(key)) this.#entries.delete(key);
  }

  /** What may no longer be used goes too: entries stand in the order they were loaded in. */
  #trim(): void {
    const oldest = performance.now() - this.#ttlMs;
    for (const [key, { loadedAt }] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && loadedAt > oldest) return;
      this.#entries.delete(key);
    }
  }
}
