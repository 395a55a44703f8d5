/**
 * Tracks what was sent to Journey and has not come back in its op-log yet:
 *
 *   sent ─▶ acknowledged ─▶ back in the op-log: consumed
 *     │           └───────▶ not back after some polls: checked, and settled by proof only
 *     │                     (`record/unconfirmed-writes.ts`)
 *     └─▶ no response: the op-log is read to its end before anything else is sent
 *
 * A run that starts reads it first in any case. The state may have been restored since the previous
 * run: what was sent after the backup is then in the op-log only.
 *
 * All times are Journey's, in milliseconds.
 */
import { clockToleranceMs, type OpLogProof } from '../../record/unconfirmed-writes.ts';
import { Waiters } from './waiters.ts';

/**
 * Most echoes come within this many polls. So often, what has not come back is checked in the state
 * that is stored; Journey itself is asked less and less often.
 */
const endsPerCheck = 5;

/** The maximum number of checks in a row that do not ask Journey: five minutes of polls. */
const maxSkippedChecks = 60;

/**
 * The state when a page of the op-log was requested. The page may lack anything that happened
 * later.
 */
export interface EchoSnapshot {
  readonly acknowledged: number;
  readonly mustReadFirst: boolean;
}

interface PreviousRun extends EchoSnapshot {
  /** The latest time at which its acknowledged writes may have been answered. */
  readonly answeredAtMs: number;
}

/** What a check has left unsettled. */
export interface Unsettled {
  /** Whether intents were kept that may still explain an echo. */
  readonly isKept: boolean;
  /** When Journey acknowledged the oldest write behind which its op-log lags; null without one. */
  readonly behindSinceMs: number | null;
}

export class PendingEchoes {
  #acknowledged: number;
  #mustReadFirst: boolean;
  #hasUnsettled = true;
  /** The ends since the first one; null when no end was seen since the last check. */
  #check: { readonly upTo: number; readonly ends: number } | null = null;
  #skipped = { left: 0, next: 1 };
  /** The answers that the op-log is not proven to be past, oldest first. */
  readonly #answers: { readonly upTo: number; readonly atMs: number }[] = [];
  /** The last intent that the op-log is proven to be past. */
  #provenIntent = 0;
  /** When the newest entry that was read was written. */
  #readToMs = 0;
  /** When Journey last reported a record as missing. */
  #missingAtMs: number;
  #isKept = false;
  #behindSinceMs: number | null = null;
  readonly #waiters = new Waiters();

  /**
   * @param before what the previous run left: the last intent Journey acknowledged, and whether the
   * op-log must be read before anything is sent
   */
  constructor(before: PreviousRun) {
    this.#acknowledged = before.acknowledged;
    this.#mustReadFirst = before.mustReadFirst;
    this.#missingAtMs = before.answeredAtMs;
    this.#answers.push({ upTo: before.acknowledged, atMs: before.answeredAtMs });
  }

  /**
   * Whether a call may or may not have been applied. The op-log is then read to its end before
   * anything is sent again: repeating a put would undo what a device changed after the first one.
   */
  get mustReadFirst(): boolean {
    return this.#mustReadFirst;
  }

  /** Whether there may be acknowledged intents, or records missing in Journey, to be checked. */
  get hasUnsettled(): boolean {
    return this.#hasUnsettled;
  }

  /** Whether another loop waits for the echoes to be settled. */
  get isAwaited(): boolean {
    return !this.#waiters.isEmpty;
  }

  /** When Journey acknowledged the oldest write behind which its op-log lags; null without one. */
  get behindSinceMs(): number | null {
    return this.#behindSinceMs;
  }

  /** Whether the op-log is proven to be past the last record that Journey reported as missing. */
  get isPastMissing(): boolean {
    return this.#missingAtMs + clockToleranceMs < this.#readToMs;
  }

  get missingAtMs(): number {
    return this.#missingAtMs;
  }

  /** Returns the state to pass to `recordEnd`. Take it before requesting a page of the op-log. */
  snapshot(): EchoSnapshot {
    return { acknowledged: this.#acknowledged, mustReadFirst: this.#mustReadFirst };
  }

  /**
   * @param upTo id of the last intent of an answered call; 0 when it had none
   * @param atMs a time after Journey answered
   */
  acknowledge(upTo: number, atMs: number): void {
    if (upTo <= this.#acknowledged) return;
    this.#acknowledged = upTo;
    this.#answers.push({ upTo, atMs });
  }

  /** Records that Journey did not have a record when it answered. */
  recordMissing(atMs: number): void {
    this.#missingAtMs = Math.max(this.#missingAtMs, atMs);
  }

  expectEchoes(): void {
    this.#hasUnsettled = true;
  }

  markUnanswered(): void {
    this.#mustReadFirst = true;
  }

  /** Returns what an entry proves, which is being read. */
  getProof(entryAtMs: number, nowMs: number): OpLogProof {
    let acknowledgedBefore = this.#provenIntent;
    for (const { upTo, atMs } of this.#answers) {
      if (atMs + clockToleranceMs >= entryAtMs) break;
      acknowledgedBefore = upTo;
    }
    return { entryAtMs, nowMs, acknowledgedBefore };
  }

  /** Returns what the op-log proves up to the last entry that was read. */
  getProofSoFar(nowMs: number): OpLogProof {
    return { entryAtMs: this.#readToMs, nowMs, acknowledgedBefore: this.#provenIntent };
  }

  /** Returns a time after Journey acknowledged an intent. */
  getAnsweredAtMs(intent: number): number {
    return this.#answers.find(({ upTo }) => upTo >= intent)?.atMs ?? this.#readToMs;
  }

  /**
   * Records a page of the op-log that was applied. An entry with a time that Journey's clock has
   * not reached proves nothing: the clock was ahead.
   *
   * @param entryTimesMs the times of entries up to the end of the page
   */
  recordRead(entryTimesMs: readonly number[], nowMs: number): void {
    for (const atMs of entryTimesMs) if (atMs <= nowMs) this.#readToMs = Math.max(this.#readToMs, atMs);
    this.#provenIntent = this.getProof(this.#readToMs, nowMs).acknowledgedBefore;
    while (this.#answers[0] && this.#answers[0].upTo <= this.#provenIntent) this.#answers.shift();
    // A new entry may settle them, or change what they explain.
    if (this.#isKept) this.#hasUnsettled = true;
  }

  /**
   * Records an end of the op-log.
   *
   * @returns the intent up to which it has to be checked what has not come back; null when there is
   * nothing to check yet
   */
  recordEnd({ acknowledged }: EchoSnapshot): number | null {
    if (!this.#hasUnsettled) return null;
    const { upTo, ends } = this.#check ?? { upTo: acknowledged, ends: 0 };
    this.#check = { upTo, ends: ends + 1 };
    return this.#check.ends < endsPerCheck ? null : upTo;
  }

  /** Returns whether a check that finds something unsettled asks Journey about it. */
  mayAsk(): boolean {
    if (this.#skipped.left === 0) return true;
    this.#skipped = { ...this.#skipped, left: this.#skipped.left - 1 };
    return false;
  }

  /** Ends a check that found something unsettled and did not ask Journey. */
  postpone(): void {
    this.#check = null;
  }

  /** Ends a check. */
  settle(upTo: number, { isKept, behindSinceMs }: Unsettled): void {
    this.#check = null;
    const { next } = this.#skipped;
    const isAllSettled = !isKept && behindSinceMs === null;
    this.#skipped = isAllSettled ? { left: 0, next: 1 } : { left: next, next: Math.min(next * 2, maxSkippedChecks) };
    this.#isKept = isKept;
    this.#behindSinceMs = behindSinceMs;
    this.#hasUnsettled = behindSinceMs !== null || this.#acknowledged > upTo;
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
