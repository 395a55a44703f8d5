/**
 * The PollAllowance keeps the average of one op-log's polls within the rate that Journey allows.
 * One poll may be ahead of it: a webhook would otherwise often wait for the rest of a second, only
 * because a poll has just found nothing.
 */
export class PollAllowance {
  readonly #everyMs: number;
  /** When the polls so far would be due if they came at the allowed rate. */
  #usedUpToMs = Number.NEGATIVE_INFINITY;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** The pages of a backlog are read without waiting: they use no more than one poll ahead. */
  record(nowMs: number): void {
    const usedUpToMs = Math.min(this.#usedUpToMs, nowMs + this.#everyMs);
    this.#usedUpToMs = Math.max(nowMs, usedUpToMs) + this.#everyMs;
  }

  /** Returns for how many milliseconds the next poll must wait. */
  getWaitMs(nowMs: number): number {
    return Math.max(0, this.#usedUpToMs - this.#everyMs - nowMs);
  }
}
