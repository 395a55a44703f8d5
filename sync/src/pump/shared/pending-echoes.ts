/**
 * Tracks what was sent to Journey and has not come back in its op-log yet:
 *
 *   sent ─▶ acknowledged ─▶ back in the op-log: consumed
 *     │           └───────▶ the op-log reliably ends without it: it changed nothing, settled
 *     └─▶ no response: the op-log is read to its end before anything else is sent
 */
import { Waiters } from './waiters.ts';

/**
 * The op-log's end counts only when this many responses in a row report it. A response from a cache
 * or a lagging replica may lack entries that exist.
 */
const requiredEnds = 5;

/**
 * The state when a page of the op-log was requested. The page may lack anything that happened
 * later.
 */
export interface EchoSnapshot {
  readonly acknowledged: number;
  readonly mustReadFirst: boolean;
}

export class PendingEchoes {
  #acknowledged: number;
  #mustReadFirst: boolean;
  #hasUnsettled = true;
  /** The ends seen since the first one; null when no end was seen since the last write. */
  #settling: { readonly upTo: number; readonly ends: number } | null = null;
  readonly #waiters = new Waiters();

  /**
   * @param before what the previous run left: the last intent Journey acknowledged, and whether
   * calls are unanswered
   */
  constructor(before: EchoSnapshot) {
    this.#acknowledged = before.acknowledged;
    this.#mustReadFirst = before.mustReadFirst;
  }

  /**
   * Whether a call may or may not have been applied. The op-log is then read to its end before
   * anything is sent again: repeating a put would undo what a device changed after the first one.
   */
  get mustReadFirst(): boolean {
    return this.#mustReadFirst;
  }

  /**
   * Whether acknowledged intents, or records missing in Journey, wait for the op-log to be read to
   * its end.
   */
  get hasUnsettled(): boolean {
    return this.#hasUnsettled;
  }

  /** Whether another loop waits for the echoes to be settled. */
  get isAwaited(): boolean {
    return !this.#waiters.isEmpty;
  }

  /** Returns the state to pass to `recordEnd`. Take it before requesting a page of the op-log. */
  snapshot(): EchoSnapshot {
    return { acknowledged: this.#acknowledged, mustReadFirst: this.#mustReadFirst };
  }

  /** @param upTo id of the last intent of an answered call; 0 when it had none */
  acknowledge(upTo: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, upTo);
  }

  expectEchoes(): void {
    this.#hasUnsettled = true;
  }

  markUnanswered(): void {
    this.#mustReadFirst = true;
  }

  /**
   * Records an end of the op-log.
   *
   * @returns the intent up to which all writes have come back or changed nothing; null while that
   * is not certain
   */
  recordEnd({ acknowledged }: EchoSnapshot): number | null {
    if (!this.#hasUnsettled) return null;
    const { upTo, ends } = this.#settling ?? { upTo: acknowledged, ends: 0 };
    this.#settling = { upTo, ends: ends + 1 };
    return this.#settling.ends < requiredEnds ? null : upTo;
  }

  settle(upTo: number): void {
    this.#settling = null;
    this.#hasUnsettled = this.#acknowledged > upTo;
    this.#waiters.check();
  }

  /**
   * @returns whether sending may continue: no response was lost since the page that ended the
   * op-log was requested
   */
  allowSending({ mustReadFirst }: EchoSnapshot): boolean {
    if (!mustReadFirst) return false;
    this.#mustReadFirst = false;
    return true;
  }

  /** Rejects with the signal's reason when it is aborted first. */
  whenSettled(signal: AbortSignal): Promise<void> {
    return this.#waiters.waitUntil(() => !this.#hasUnsettled, signal);
  }
}
