/**
 * Notices that a database no longer answers although its connections are open, as behind a firewall
 * that has forgotten them. PostgreSQL and the network report nothing then.
 *
 *   a short statement is unanswered ─ noticedMs ─▶ operators see since when
 *                                   ─ deadMs ────▶ all connections are closed: those that still
 *                                                  work are opened again within seconds
 */
export interface SilenceLimits {
  readonly noticedMs: number;
  readonly deadMs: number;
}

export const defaultSilenceLimits: SilenceLimits = { noticedMs: 3_000, deadMs: 10_000 };

/** Receives since when (epoch milliseconds) the database has not answered; null when it does. */
export type SilenceListener = (sinceMs: number | null) => void;

export class DatabaseSilence {
  readonly #limits: SilenceLimits;
  readonly #onDead: () => void;
  readonly #listeners = new Set<SilenceListener>();
  #sinceMs: number | null = null;

  /** @param onDead closes all connections to the database */
  constructor(limits: SilenceLimits, onDead: () => void) {
    this.#limits = limits;
    this.#onDead = onDead;
  }

  /** Runs a statement that any database answers at once. */
  async watch<T>(statement: () => Promise<T>): Promise<T> {
    const startedMs = Date.now();
    const noticed = setTimeout(() => this.#report(this.#sinceMs ?? startedMs), this.#limits.noticedMs);
    const dead = setTimeout(this.#onDead, this.#limits.deadMs);
    try {
      const result = await statement();
      this.#report(null);
      return result;
    } finally {
      clearTimeout(noticed);
      clearTimeout(dead);
    }
  }

  /**
   * Waits for work that may take long. Until it ends, the statement is run again and again: the
   * database may fall silent during the work.
   *
   * @param statement one that any database answers at once
   */
  async watchDuring<T>(work: Promise<T>, statement: () => Promise<unknown>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const ask = async () => {
      await this.watch(statement).catch(() => undefined);
      if (!isOver) timer = setTimeout(ask, this.#limits.noticedMs);
    };
    timer = setTimeout(ask, this.#limits.noticedMs);
    try {
      return await work;
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  /**
   * Adds a listener, which is called at once during a silence. Returns a function that removes it.
   */
  listen(listener: SilenceListener): () => void {
    this.#listeners.add(listener);
    if (this.#sinceMs !== null) listener(this.#sinceMs);
    return () => void this.#listeners.delete(listener);
  }

  #report(sinceMs: number | null): void {
    if (this.#sinceMs === sinceMs) return;
    this.#sinceMs = sinceMs;
    for (const listener of this.#listeners) listener(sinceMs);
  }
}
