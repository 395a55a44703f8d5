/**
 * The RetryPolicy decides what a failure of Journey, or lock contention in Helium, means for one
 * direction: retry after a delay, or halt.
 */
import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { journeyBackoff, retryDelayMs } from '@portal/platforms/journey/retry-delay';
import { isContention } from '../../helium/database-failures.ts';
import { HaltError } from './halt-error.ts';

/** After this many refusals in a row, retrying will not help. */
const maxRefusals = 10;

export class RetryPolicy {
  #failures = 0;
  #refusals = 0;
  readonly #backoff: Backoff;

  constructor(backoff: Backoff = journeyBackoff) {
    this.#backoff = backoff;
  }

  reset(): void {
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
        throw new HaltError(`Journey refuses the user name and password: ${message}`);
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
    return retryDelayMs(failure, this.#failures - 1, Math.random, this.#backoff);
  }
}
