import { lowerBound } from '../text/log-chunk.ts';

/**
 * The rows that match the search, ascending. Rows are added in batches and removed from the front.
 */
export class MatchList {
  /** Doubles its capacity as needed: a million matches are copied at once. */
  #rows = new Float64Array(64);
  #head = 0;
  #end = 0;

  get count(): number {
    return this.#end - this.#head;
  }

  add(rows: Float64Array): void {
    if (this.#end + rows.length > this.#rows.length) {
      const remaining = this.#rows.subarray(this.#head, this.#end);
      this.#rows = new Float64Array(2 * (remaining.length + rows.length));
      this.#rows.set(remaining);
      this.#end = remaining.length;
      this.#head = 0;
    }
    this.#rows.set(rows, this.#end);
    this.#end += rows.length;
  }

  removeBefore(row: number): void {
    this.#head = this.#lowerBound(row);
  }

  has(row: number): boolean {
    return this.#at(this.#lowerBound(row)) === row;
  }

  /** Returns the next match after a row, wrapping around to the first; null when there is none. */
  findAfter(row: number): number | null {
    return this.#at(this.#lowerBound(row + 1)) ?? this.#at(this.#head);
  }

  /** Returns the match before a row, wrapping around to the last. */
  findBefore(row: number): number | null {
    return this.#at(this.#lowerBound(row) - 1) ?? this.#at(this.#end - 1);
  }

  /** Returns the position of a matching row, from 1, or null for other rows. */
  getRank(row: number): number | null {
    return this.has(row) ? this.#lowerBound(row) - this.#head + 1 : null;
  }

  #at(index: number): number | null {
    return index >= this.#head && index < this.#end ? (this.#rows[index] ?? null) : null;
  }

  #lowerBound(row: number): number {
    return this.#head + lowerBound(this.count, (index) => (this.#rows[this.#head + index] ?? 0) >= row);
  }
}
