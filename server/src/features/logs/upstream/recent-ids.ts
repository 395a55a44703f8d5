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
  readonly #most: number;
  #batches: Batch[] = [];
  #count = 0;
  #forgottenMillis = Number.NEGATIVE_INFINITY;
  #lastMillis: number | null = null;
  #firstId: string | null = null;
  #beginsAnew = true;

  constructor(most: number) {
    this.#most = most;
  }

  /** Records later than this instant are all remembered. */
  get sinceMillis(): number {
    return this.#forgottenMillis;
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
    if (this.#beginsAnew) this.#firstId = records[0]?.id ?? null;
    this.#beginsAnew = false;
    this.#batches.push({ ids: records.map((record) => record.id), lastMillis });
    this.#count += records.length;
    this.#lastMillis = Math.max(this.#lastMillis ?? lastMillis, lastMillis);
    let forget = 0;
    while (this.#count > this.#most && forget < this.#batches.length - 1) {
      const oldest = this.#batches[forget];
      this.#count -= oldest?.ids.length ?? 0;
      this.#forgottenMillis = Math.max(this.#forgottenMillis, oldest?.lastMillis ?? 0);
      forget += 1;
    }
    if (forget > 0) this.#batches = this.#batches.slice(forget);
  }

  /** The sequence begins with the next record, as soon as there is one; the ids stay. */
  beginAnew(): void {
    this.#beginsAnew = true;
  }

  toSet(): Set<string> {
    return new Set(this.#batches.flatMap((batch) => batch.ids));
  }
}
