import { untilAborted } from '@portal/kit/concurrency/until-aborted';

export interface ExpiringCacheOptions {
  /** How long a loaded value may be used. */
  readonly ttlMs: number;
  /**
   * From this age on, a value is loaded again in the background while it is still returned.
   * Default: never.
   */
  readonly refreshAfterMs?: number;
  /** Maximum number of entries; the least recently loaded is evicted first. */
  readonly maxEntries?: number;
}

export interface GetOptions {
  /** Loads the value again. */
  readonly fresh?: boolean | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** The signal aborts when no caller waits for the value any more. */
type Load<V> = (signal: AbortSignal) => Promise<V>;

interface Entry<V> {
  readonly value: Promise<V>;
  readonly loadedAt: number;
  readonly abandoned: AbortController;
  waitingCount: number;
  isRefreshing: boolean;
}

/**
 * The ExpiringCache is the component that caches loaded values for a short time. Concurrent callers
 * share one load; a failed load fails for all of them and is not cached. A load ends when its last
 * caller stops waiting.
 */
export class ExpiringCache<V> {
  readonly #ttlMs: number;
  readonly #refreshAfterMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry<V>>();

  constructor({ ttlMs, refreshAfterMs = ttlMs, maxEntries = 1000 }: ExpiringCacheOptions) {
    this.#ttlMs = ttlMs;
    this.#refreshAfterMs = refreshAfterMs;
    this.#maxEntries = maxEntries;
  }

  /** Throws the error of the load, or the signal's reason. */
  get(key: string, load: Load<V>, { fresh = false, signal }: GetOptions = {}): Promise<V> {
    const found = this.#entries.get(key);
    const ageMs = found ? performance.now() - found.loadedAt : Number.POSITIVE_INFINITY;
    if (!found || fresh || ageMs >= this.#ttlMs) return this.#wait(key, this.#load(key, load), signal);
    if (ageMs >= this.#refreshAfterMs) this.#refresh(key, found, load);
    return this.#wait(key, found, signal);
  }

  /** Also discards a running load: later callers get a value that is current. */
  invalidate(key: string): void {
    this.#entries.delete(key);
  }

  invalidateWhere(matches: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (matches(key)) this.#entries.delete(key);
  }

  #load(key: string, load: Load<V>): Entry<V> {
    const abandoned = new AbortController();
    const entry = this.#set(key, load(abandoned.signal), abandoned);
    entry.value.catch(() => this.#remove(key, entry));
    return entry;
  }

  /**
   * A refresh that fails is repeated only when the value expires, for a caller that sees the error.
   */
  #refresh(key: string, old: Entry<V>, load: Load<V>): void {
    if (old.isRefreshing) return;
    old.isRefreshing = true;
    const abandoned = new AbortController();
    const value = load(abandoned.signal);
    value.then(
      () => this.#entries.get(key) === old && this.#set(key, value, abandoned),
      () => undefined,
    );
  }

  #set(key: string, value: Promise<V>, abandoned: AbortController): Entry<V> {
    const entry = { value, loadedAt: performance.now(), abandoned, waitingCount: 0, isRefreshing: false };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#trim();
    return entry;
  }

  async #wait(key: string, entry: Entry<V>, signal: AbortSignal | undefined): Promise<V> {
    entry.waitingCount += 1;
    try {
      return await untilAborted(signal, entry.value);
    } catch (error) {
      entry.waitingCount -= 1;
      if (signal?.aborted && entry.waitingCount === 0) {
        this.#remove(key, entry);
        entry.abandoned.abort(signal.reason);
      }
      throw error;
    }
  }

  #remove(key: string, entry: Entry<V>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
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
