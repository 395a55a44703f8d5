/**
 * What has been sent to Journey and has yet to come back in its op-log:
 *
 *   sent ─▶ acknowledged ─▶ back in the op-log: crossed off
 *     │           └───────▶ the op-log ends without it, believably: it changed nothing, settled
 *     └─▶ no answer: the op-log is read to its end before anything else is sent
 */
import { Waiters } from './waiters.ts';

/**
 * An answer may be one of a moment ago, from a cache or a replica that lags: what it does not
 * contain may have happened all the same. Only when this many in a row report the end of the
 * op-log, is it believed.
 */
const endsBelieved = 5;

/**
 * As they were when a page of the op-log was requested: what has happened since may not be in it.
 */
export interface EchoSnapshot {
  readonly acknowledged: number;
  readonly mustReadFirst: boolean;
}

export class PendingEchoes {
  #acknowledged: number;
  #mustReadFirst: boolean;
  #hasUnsettled = true;
  /**
   * Since the first of the ends; null: the op-log was not read to its end since something was sent.
   */
  #settling: { readonly upTo: number; readonly ends: number } | null = null;
  readonly #waiters = new Waiters();

  /**
   * @param before what the run before has left: the last intent Journey acknowledged, and whether
   * calls are unanswered
   */
  constructor(before: EchoSnapshot) {
    this.#acknowledged = before.acknowledged;
    this.#mustReadFirst = before.mustReadFirst;
  }

  /**
   * Whether it is unknown if a call was carried out: before anything is sent again, the op-log is
   * read to its end. A put sent twice would take back what a device has made of the first.
   */
  get mustReadFirst(): boolean {
    return this.#mustReadFirst;
  }

  /**
   * Whether acknowledged intents, or records Journey did not have, wait for the op-log to be read
   * to its end.
   */
  get hasUnsettled(): boolean {
    return this.#hasUnsettled;
  }

  /** Whether another loop waits for the echoes to be settled. */
  get isAwaited(): boolean {
    return !this.#waiters.isEmpty;
  }

  /** To be taken before a page of the op-log is requested. */
  snapshot(): EchoSnapshot {
    return { acknowledged: this.#acknowledged, mustReadFirst: this.#mustReadFirst };
  }

  /** @param upTo number of the last intent of an answered call; 0: it had none */
  acknowledge(upTo: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, upTo);
  }

  expectEchoes(): void {
    this.#hasUnsettled = true;
  }

  loseAnswer(): void {
    this.#mustReadFirst = true;
  }

  /**
   * Counts an end of the op-log.
   *
   * @returns up to which intent everything has come back or changed nothing; null: that is not
   * certain yet
   */
  reachEnd({ acknowledged }: EchoSnapshot): number | null {
    if (!this.#hasUnsettled) return null;
    const { upTo, ends } = this.#settling ?? { upTo: acknowledged, ends: 0 };
    this.#settling = { upTo, ends: ends + 1 };
    return this.#settling.ends < endsBelieved ? null : upTo;
  }

  settle(upTo: number): void {
    this.#settling = null;
    this.#hasUnsettled = this.#acknowledged > upTo;
    this.#waiters.check();
  }

  /**
   * @returns whether sending may go on: no answer was lost since the page that ends the op-log was
   * requested
   */
  allowSending({ mustReadFirst }: EchoSnapshot): boolean {
    if (!mustReadFirst) return false;
    this.#mustReadFirst = false;
    return true;
  }

  /** Rejects with the signal's reason when that is aborted first. */
  whenSettled(signal: AbortSignal): Promise<void> {
    return this.#waiters.waitUntil(() => !this.#hasUnsettled, signal);
  }
}
