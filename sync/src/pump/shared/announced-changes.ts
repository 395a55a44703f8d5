/**
 * AnnouncedChanges decides whether Journey's webhooks announce what devices change, so that the op-log
 * may be polled less often. A webhook may arrive before its entry is in the op-log, and after the
 * entry was read.
 *
 * All times are in milliseconds of this process's clock.
 */

/** How much earlier or later than its entry a webhook may arrive. */
const toleranceMs = 10_000;

/** For this long after a change that no webhook announced, they are not relied on. */
const distrustMs = 3_600_000;

export class AnnouncedChanges {
  #receivedMs = Number.NEGATIVE_INFINITY;
  /** Whether the last webhook's entry was not read yet. */
  #isExpecting = false;
  /** When the op-log was last requested up to its end. */
  #readToMs = Number.NEGATIVE_INFINITY;
  /** When a change was read whose webhook may still arrive. */
  #pendingMs: number | null = null;
  #missedMs: number | null = null;

  recordWebhook(nowMs: number): void {
    this.#receivedMs = nowMs;
    this.#isExpecting = true;
    this.#pendingMs = null;
  }

  /** Records that a change was read which a webhook should have announced. */
  recordChange(nowMs: number): void {
    this.#isExpecting = false;
    const isAnnounced = this.#receivedMs >= this.#readToMs - toleranceMs;
    if (!isAnnounced) this.#pendingMs ??= nowMs;
    else if (this.#missedMs !== null && nowMs - this.#missedMs > distrustMs) this.#missedMs = null;
  }

  /** @param requestedMs when the page was requested that is the last of the op-log */
  recordEnd(requestedMs: number): void {
    this.#readToMs = requestedMs;
  }

  /** Whether the entry of a webhook is likely to appear in the op-log at any moment. */
  isExpecting(nowMs: number): boolean {
    return this.#isExpecting && nowMs - this.#receivedMs < toleranceMs;
  }

  /** Whether webhooks can be relied on. Before the first one, they cannot. */
  areComplete(nowMs: number): boolean {
    if (this.#pendingMs !== null && nowMs - this.#pendingMs > toleranceMs) {
      if (this.#receivedMs > Number.NEGATIVE_INFINITY) this.#missedMs = this.#pendingMs;
      this.#pendingMs = null;
    }
    if (this.#receivedMs === Number.NEGATIVE_INFINITY) return false;
    return this.#missedMs === null || nowMs - this.#missedMs > distrustMs;
  }

  /** When a change was last read that no webhook announced; null if all were since then. */
  get missedMs(): number | null {
    return this.#missedMs;
  }
}
