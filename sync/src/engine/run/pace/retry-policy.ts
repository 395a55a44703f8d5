/**
 * The RetryPolicy decides what a failure of Journey, or lock contention in Helium, means for one
 * direction: retry after a delay, or halt. It also waits for that delay.
 */
import { refusedPassword } from '@portal/contract/sync/integration';
import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { journeyBackoff, retryDelayMs } from '@portal/platforms/journey/retry-delay';
import { isContention } from '../../../helium/database-failures.ts';
import { HaltError } from '../../state/halt-error.ts';
import { WakeSignal } from './wake-signal.ts';

/** The first failures in a row are logged, then some of them: about one in half a minute. */
const logged = { first: 5, every: 6 };

/** After this many refusals in a row, retrying will not help. */
const maxRefusals = 10;

export class RetryPolicy {
  #failures = 0;
  #refusals = 0;
  readonly #backoff: Backoff;
  readonly #onRetryNow: () => void;
  #laterFailure: JourneyProblem | undefined;
  /** Whether `retryNow` was called since it was last asked. */
  #isEarly = false;
  /** Ends the current wait. A signal of an earlier wait has no effect. */
  #wait = new WakeSignal();

  /** @param onRetryNow wakes a loop that rests, because records of its own may wait */
  constructor(backoff: Backoff = journeyBackoff, onRetryNow: () => void = () => undefined) {
    this.#backoff = backoff;
    this.#onRetryNow = onRetryNow;
  }

  /** Remembers a failure that must not interrupt the current step. */
  failLater(problem: JourneyProblem): void {
    this.#laterFailure = problem;
  }

  /** Throws the failure that was remembered. */
  throwFailure(): void {
    const failure = this.#laterFailure;
    this.#laterFailure = undefined;
    if (failure) throw failure;
  }

  /** After a failure, Journey is back: the other direction need not wait any longer either. */
  recordSuccess(otherDirection: RetryPolicy): void {
    if (this.#failures > 0) otherDirection.retryNow();
    this.#reset();
  }

  /** Whether the last failure is to be logged. */
  get isLogged(): boolean {
    return this.#failures <= logged.first || this.#failures % logged.every === 0;
  }

  /** Waits for the next attempt. Returns early on `retryNow`, or when the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    this.#wait = new WakeSignal();
    await this.#wait.sleep(ms, signal);
  }

  /** Ends the current wait; further failures begin with the shortest delay again. */
  retryNow(): void {
    this.#reset();
    this.#isEarly = true;
    this.#wait.wake();
    this.#onRetryNow();
  }

  /** Returns once after each `retryNow` that records that wait are tried now, too. */
  takeEarlyRetry(): boolean {
    const isEarly = this.#isEarly;
    this.#isEarly = false;
    return isEarly;
  }

  #reset(): void {
    this.#failures = 0;
    this.#refusals = 0;
  }

  /**
   * Returns the delay before the next attempt in milliseconds. Throws HaltError when a retry cannot
   * help, and rethrows errors that do not come from Journey.
   */
  nextDelayMs(problem: unknown): number {
    if (isContention(problem)) {
      this.#failures += 1;
      return backoffMs(this.#failures - 1, this.#backoff);
    }
    if (!(problem instanceof JourneyProblem)) throw problem;
    const { failure, message } = problem;
    switch (failure.kind) {
      case 'credentials-rejected':
        throw new HaltError(`${refusedPassword}: ${message}`);
      case 'not-found':
        throw new HaltError(`Journey has no such deployment: ${message}`);
      case 'too-large':
      case 'invalid-request':
        this.#refusals += 1;
        if (this.#refusals >= maxRefusals)
          throw new HaltError(`Journey refused ${maxRefusals} calls in a row: ${message}`);
        break;
    }
    this.#failures += 1;
    // No call was made, so nothing is known that would justify a longer delay.
    const attempt = failure.kind === 'throttled' ? 0 : this.#failures - 1;
    return retryDelayMs(failure, attempt, Math.random, this.#backoff);
  }
}
