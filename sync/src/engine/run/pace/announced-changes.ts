/**
 * AnnouncedChanges decides whether Journey's webhooks announce what devices change, so that the
 * op-log may be polled less often. A webhook may arrive before its entry is in the op-log, and
 * after the entry was read.
 *
 * All times are in milliseconds of this process's clock.
 */

/** How much earlier or later than its entry a webhook may arrive. */
const toleranceMs = 10_000;

/** How often the op-log is read up to its end for the entry of a webhook, until other polls do. */
const readsPerWebhook = 2;

/** For this long after a change that no webhook announced, they are not relied on. */
const distrustMs = 3_600_000;

export class AnnouncedChanges {
  #receivedMs = Number.NEGATIVE_INFINITY;
  /** How often the op-log is still to be read for the entry of the last webhook. */
  #readsLeft = 0;
  /** When a change was read before its webhook arrived. */
  #readAheadMs: number | null = null;
  /** When the op-log was last requested up to its end. */
  #readToMs = Number.NEGATIVE_INFINITY;
  /** When a change was read whose webhook may still arrive. */
  #pendingMs: number | null = null;
  #missedMs: number | null = null;

  recordWebhook(nowMs: number): void {
    const isRead = this.#readAheadMs !== null && nowMs - this.#readAheadMs <= toleranceMs;
    this.#receivedMs = nowMs;
    this.#readsLeft = isRead ? 0 : readsPerWebhook;
    this.#readAheadMs = null;
    this.#pendingMs = null;
  }

  /** Records that a change was read which a webhook should have announced. */
  recordChange(nowMs: number): void {
    if (this.#readsLeft === 0) this.#readAheadMs = nowMs;
    this.#readsLeft = 0;
    const isAnnounced = this.#receivedMs >= this.#readToMs - toleranceMs;
    if (!isAnnounced) this.#pendingMs ??= nowMs;
    else if (this.#missedMs !== null && nowMs - this.#missedMs > distrustMs) this.#missedMs = null;
  }

  /** @param requestedMs when the page was requested that is the last of the op-log */
  recordEnd(requestedMs: number): void {
    this.#readToMs = requestedMs;
    this.#readsLeft = Math.max(0, this.#readsLeft - 1);
  }

  /** Whether the entry of a webhook is likely to appear in the op-log at any moment. */
  get isExpecting(): boolean {
    return this.#readsLeft > 0;
  }

  /** When the last webhook arrived; -Infinity before the first one. */
  get receivedMs(): number {
    return this.#receivedMs;
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
