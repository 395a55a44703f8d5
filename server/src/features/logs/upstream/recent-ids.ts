import type { ReceivedLine } from '../ring/ring-chunk.ts';

interface Batch {
  readonly ids: readonly (string | null)[];
  readonly lastMillis: number;
}

/**
 * Recognizes lines that were already received, from the database or another connection. Adding a
 * batch costs one array; the set is built only on demand.
 */
export class RecentIds {
  readonly #max: number;
  #batches: Batch[] = [];
  #count = 0;
  #evictedMillis = Number.NEGATIVE_INFINITY;
  #lastMillis: number | null = null;
  #firstId: string | null = null;
  #isRestarting = true;

  constructor(max: number) {
    this.#max = max;
  }

  /** All records after this instant are remembered. */
  get sinceMillis(): number {
    return this.#evictedMillis;
  }

  /** Timestamp of the newest record, or null before the first. */
  get lastMillis(): number | null {
    return this.#lastMillis;
  }

  /** Id of the first record of the sequence, or null before it. */
  get firstId(): string | null {
    return this.#firstId;
  }

  /**
   * Adds a batch and evicts the oldest batches beyond the limit, but never the newest. What is not
   * a record has the portal's time, which says nothing about the platform's lines.
   */
  add(received: readonly ReceivedLine[]): void {
    const records = received.filter(({ id }) => id !== null);
    const lastMillis = records.at(-1)?.millis;
    if (lastMillis === undefined) return;
    if (this.#isRestarting) this.#firstId = records[0]?.id ?? null;
    this.#isRestarting = false;
    this.#batches.push({ ids: records.map((record) => record.id), lastMillis });
    this.#count += records.length;
    this.#lastMillis = Math.max(this.#lastMillis ?? lastMillis, lastMillis);
    let evicted = 0;
    while (this.#count > this.#max && evicted < this.#batches.length - 1) {
      const oldest = this.#batches[evicted];
      this.#count -= oldest?.ids.length ?? 0;
      this.#evictedMillis = Math.max(this.#evictedMillis, oldest?.lastMillis ?? 0);
      evicted += 1;
    }
    if (evicted > 0) this.#batches = this.#batches.slice(evicted);
  }

  /** Starts a new sequence with the next record; the ids are kept. */
  restart(): void {
    this.#isRestarting = true;
  }

  toSet(): Set<string | null> {
    return new Set(this.#batches.flatMap((batch) => batch.ids));
  }
}
