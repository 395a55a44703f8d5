import type { Pool } from '@portal/kit/postgres/pool';
import { findSequences, readDrawn, readHeads, readWalPosition } from './watch-queries.ts';

interface App {
  readonly listeners: Set<(head: string) => void>;
  /** Object id of the sequence; null where there is no such app. */
  sequence: string | null;
  /** Told last; null before the first look. */
  head: bigint | null;
  /** null where it cannot be seen. */
  drawn: bigint | null;
  drawnAtMs: number;
  polledAtMs: number;
}

const slowPollMs = 1_000;
/** A look every fifth of the time it has been waited for. */
const pollDivisor = 5;

/** The apps of one database whose change logs are watched, and what was last seen of them. */
export class WatchedApps {
  readonly #pool: Pool;
  readonly #now: () => number;
  readonly #apps = new Map<string, App>();
  #position: string | null = null;
  /**
   * When the sequences were found; anew after any failure, which may have been the end of one of
   * them.
   */
  #foundAtMs: number | null = null;

  /** @param now milliseconds, from wherever */
  constructor(pool: Pool, now: () => number) {
    this.#pool = pool;
    this.#now = now;
  }

  get isEmpty(): boolean {
    return this.#apps.size === 0;
  }

  /** Answers how to stop. */
  add(schema: string, listener: (head: string) => void): () => void {
    const app = this.#apps.get(schema) ?? newApp(this.#now());
    this.#apps.set(schema, app);
    app.listeners.add(listener);
    app.head = null;
    this.#foundAtMs = null;
    return () => {
      app.listeners.delete(listener);
      if (app.listeners.size === 0) this.#apps.delete(schema);
    };
  }

  clear(): void {
    this.#apps.clear();
  }

  /** Tells the heads that have changed. Answers whether anything moved, as far as can be seen. */
  async poll(): Promise<boolean> {
    try {
      return await this.#poll();
    } catch {
      this.#foundAtMs = null;
      return false;
    }
  }

  async #poll(): Promise<boolean> {
    const position = await readWalPosition(this.#pool);
    const isUnmoved = position !== null && position === this.#position;
    if (isUnmoved && ![...this.#apps.values()].some((app) => this.#isDue(app))) return false;

    await this.#findSequences();
    const found = [...this.#apps].flatMap(([schema, app]) =>
      app.sequence === null ? [] : [{ schema, app, sequence: app.sequence }],
    );
    const drawn = await readDrawn(
      this.#pool,
      found.map(({ sequence }) => sequence),
    );
    let hasMoved = false;
    for (const [index, { app }] of found.entries()) {
      const number = drawn[index] ?? null;
      if (app.drawn === number) continue;
      Object.assign(app, { drawn: number, drawnAtMs: this.#now() });
      hasMoved = true;
    }
    const due = found.filter(({ app }) => this.#isDue(app)).map(({ schema }) => schema);
    for (const [schema, head] of await readHeads(this.#pool, due)) {
      const app = this.#apps.get(schema);
      if (!app) continue;
      app.polledAtMs = this.#now();
      if (head === app.head) continue;
      app.head = head;
      hasMoved = true;
      for (const listener of app.listeners) listener(String(head));
    }
    // Only now: had one of these failed, the same would have to be looked at again.
    this.#position = position;
    return hasMoved;
  }

  async #findSequences(): Promise<void> {
    const hasUnknownSequence = [...this.#apps.values()].some(({ sequence }) => sequence === null);
    if (this.#foundAtMs !== null && !(hasUnknownSequence && this.#now() - this.#foundAtMs >= slowPollMs)) return;
    const sequences = await findSequences(this.#pool, [...this.#apps.keys()]);
    for (const [schema, app] of this.#apps) app.sequence = sequences.get(schema) ?? null;
    this.#foundAtMs = this.#now();
  }

  #isDue({ sequence, head, drawn, drawnAtMs, polledAtMs }: App): boolean {
    const now = this.#now();
    if (head === null) return sequence !== null || this.#foundAtMs === null || now - this.#foundAtMs >= slowPollMs;
    if (drawn === head) return false;
    return now - polledAtMs >= Math.min((now - drawnAtMs) / pollDivisor, slowPollMs);
  }
}

function newApp(nowMs: number): App {
  return { listeners: new Set(), sequence: null, head: null, drawn: null, drawnAtMs: nowMs, polledAtMs: nowMs };
}
