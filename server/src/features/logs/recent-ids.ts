/**
 * The ids of the last records, so that a line read again from the database or over a second connection is known.
 * Keeping costs one array a batch; the set is made only when somebody has to compare.
 */
export class RecentIds {
  readonly #most: number;
  #batches: string[][] = [];
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Remembers a batch; forgets the oldest batches beyond the bound, never the newest one. */
  add(records: readonly { readonly id: string }[]): void {
    if (records.length === 0) return;
    this.#batches.push(records.map((record) => record.id));
    this.#count += records.length;
    let forget = 0;
    while (this.#count > this.#most && forget < this.#batches.length - 1) {
      this.#count -= this.#batches[forget]?.length ?? 0;
      forget += 1;
    }
    if (forget > 0) this.#batches = this.#batches.slice(forget);
  }

  toSet(): Set<string> {
    return new Set(this.#batches.flat());
  }
}
