import type { Counts } from '../../sync-state/counts.store.ts';

/**
 * The Tally holds the numbers shown to operators: records synced since the run started, and when
 * held records must be counted again.
 */
export class Tally {
  #sentToJourney = 0;
  #writtenToHelium = 0;
  #countsMayDiffer = true;
  #hasHeld = true;
  #hasWaiting = false;
  #hasNewBlocked = true;
  #lastSentMs: number | null = null;

  get sentToJourney(): number {
    return this.#sentToJourney;
  }

  get writtenToHelium(): number {
    return this.#writtenToHelium;
  }

  /** Whether there may be held records: only then can any be due. */
  get hasHeld(): boolean {
    return this.#hasHeld || this.#countsMayDiffer;
  }

  /** Whether the last count found records that are retried within about a second. */
  get hasWaiting(): boolean {
    return this.#hasWaiting;
  }

  /** When Journey last accepted a record; null when it has not in this run. */
  get lastSentMs(): number | null {
    return this.#lastSentMs;
  }

  addToJourney(records: number, nowMs: number): void {
    this.#sentToJourney += records;
    this.#lastSentMs = nowMs;
  }

  addToHelium(records: number): void {
    this.#writtenToHelium += records;
  }

  /** Whether records may wait for values of each other that were not tried together. */
  get hasNewBlocked(): boolean {
    return this.#hasNewBlocked;
  }

  requestBlockedCheck(): void {
    this.#hasNewBlocked = true;
  }

  /** Call it before the check, which may miss those that come while it runs. */
  startBlockedCheck(): void {
    this.#hasNewBlocked = false;
  }

  /** Notes that the number of held records or of conflicts may have changed. */
  requestRecount(): void {
    this.#countsMayDiffer = true;
  }

  /**
   * Counts again if requested since the last count; otherwise returns null. When counting fails,
   * the request stays open.
   */
  async recount(readCounts: () => Promise<Counts>): Promise<Counts | null> {
    if (!this.#countsMayDiffer) return null;
    // Cleared before reading, because the count may miss changes made while it runs.
    this.#countsMayDiffer = false;
    try {
      const counts = await readCounts();
      this.#hasHeld = counts.waiting + counts.parked + counts.deadLetters > 0;
      this.#hasWaiting = counts.waiting > 0;
      return counts;
    } catch (error) {
      this.#countsMayDiffer = true;
      throw error;
    }
  }
}
