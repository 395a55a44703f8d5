import { lowerBound } from './log-chunk.ts';

/** Rows that match the search, ascending; they come in batches and go from the front. */
export class MatchList {
  /** Room that doubles: a million matches are taken over in one copy. */
  #rows = new Float64Array(64);
  #head = 0;
  #end = 0;

  get count(): number {
    return this.#end - this.#head;
  }

  add(rows: Float64Array): void {
    if (this.#end + rows.length > this.#rows.length) {
      const kept = this.#rows.subarray(this.#head, this.#end);
      this.#rows = new Float64Array(2 * (kept.length + rows.length));
      this.#rows.set(kept);
      this.#end = kept.length;
      this.#head = 0;
    }
    this.#rows.set(rows, this.#end);
    this.#end += rows.length;
  }

  removeBefore(row: number): void {
    this.#head = this.#lower(row);
  }

  has(row: number): boolean {
    return this.#at(this.#lower(row)) === row;
  }

  /**
   * The next match behind a row, from the beginning again behind the last; null when there is none.
   */
  after(row: number): number | null {
    return this.#at(this.#lower(row + 1)) ?? this.#at(this.#head);
  }

  /** The match before a row, or the last. */
  before(row: number): number | null {
    return this.#at(this.#lower(row) - 1) ?? this.#at(this.#end - 1);
  }

  /** Which match a row is, from 1; null when it is none. */
  rankOf(row: number): number | null {
    return this.has(row) ? this.#lower(row) - this.#head + 1 : null;
  }

  #at(index: number): number | null {
    return index >= this.#head && index < this.#end ? (this.#rows[index] ?? null) : null;
  }

  #lower(row: number): number {
    return this.#head + lowerBound(this.count, (index) => (this.#rows[this.#head + index] ?? 0) >= row);
  }
}
