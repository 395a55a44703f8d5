import type { Counts } from '../../sync-state/counts.store.ts';

/**
 * What the operator is shown in numbers: records synced since the run began, and when those held
 * back must be recounted.
 */
export class Tally {
  #sentToJourney = 0;
  #writtenToHelium = 0;
  #countsMayDiffer = true;
  #hasHeld = true;

  get sentToJourney(): number {
    return this.#sentToJourney;
  }

  get writtenToHelium(): number {
    return this.#writtenToHelium;
  }

  /** Whether records were held when they were counted last: only then some may be due. */
  get hasHeld(): boolean {
    return this.#hasHeld;
  }

  addToJourney(records: number): void {
    this.#sentToJourney += records;
  }

  addToHelium(records: number): void {
    this.#writtenToHelium += records;
  }

  /** The number of held records or of conflicts may have changed. */
  requestRecount(): void {
    this.#countsMayDiffer = true;
  }

  /**
   * Counts again if requested since the last time; null if not. When counting fails, the request
   * stands.
   */
  async recount(readCounts: () => Promise<Counts>): Promise<Counts | null> {
    if (!this.#countsMayDiffer) return null;
    // Before they are read: a request while they are may be too late for them.
    this.#countsMayDiffer = false;
    try {
      const counts = await readCounts();
      this.#hasHeld = counts.deadLetters + counts.parked > 0;
      return counts;
    } catch (error) {
      this.#countsMayDiffer = true;
      throw error;
    }
  }
}
