import { lowerBound } from './log-chunk.ts';

/** Rows that match the search, ascending; they come in batches and go from the front. */
export class MatchList {
  #rows: number[] = [];
  #head = 0;

  get count(): number {
    return this.#rows.length - this.#head;
  }

  add(rows: ArrayLike<number>): void {
    for (let index = 0; index < rows.length; index += 1) this.#rows.push(rows[index] ?? 0);
  }

  removeBefore(row: number): void {
    this.#head = Math.max(this.#head, this.#lower(row));
    if (this.#head * 2 > this.#rows.length) {
      this.#rows = this.#rows.slice(this.#head);
      this.#head = 0;
    }
  }

  has(row: number): boolean {
    return this.#rows[this.#lower(row)] === row;
  }

  /** The next match behind a row, from the beginning again behind the last; null when there is none. */
  after(row: number): number | null {
    return this.#rows[this.#lower(row + 1)] ?? this.#rows[this.#head] ?? null;
  }

  /** The match before a row, or the last. */
  before(row: number): number | null {
    const index = this.#lower(row) - 1;
    return (index >= this.#head ? this.#rows[index] : this.#rows.at(-1)) ?? null;
  }

  /** Which match a row is, from 1; null when it is none. */
  rankOf(row: number): number | null {
    return this.has(row) ? this.#lower(row) - this.#head + 1 : null;
  }

  #lower(row: number): number {
    return (
      this.#head + lowerBound(this.#rows.length - this.#head, (index) => (this.#rows[this.#head + index] ?? 0) >= row)
    );
  }
}
