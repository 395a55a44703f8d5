import type { LogRecord } from '../ring/log-chunk.ts';

interface Batch {
  readonly ids: readonly string[];
  readonly lastMillis: number;
}

/**
 * The ids of the last records, so that a line read again, from the database or over a second
 * connection, is known. Keeping costs one array a batch; the set is made only when somebody has to
 * compare.
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

  /** Records later than this instant are all remembered. */
  get sinceMillis(): number {
    return this.#evictedMillis;
  }

  /** Time of the newest record, or null before the first. */
  get lastMillis(): number | null {
    return this.#lastMillis;
  }

  /** Id of the record the sequence begins with, or null before it. */
  get firstId(): string | null {
    return this.#firstId;
  }

  /** Remembers a batch; forgets the oldest batches beyond the bound, never the newest one. */
  add(records: readonly LogRecord[]): void {
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

  /** The sequence begins with the next record, as soon as there is one; the ids stay. */
  restart(): void {
    this.#isRestarting = true;
  }

  toSet(): Set<string> {
    return new Set(this.#batches.flatMap((batch) => batch.ids));
  }
}
