/**
 * What trouble with Journey, or with others at work in Helium's tables, means for one direction:
 * wait and try again, or halt.
 */
import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { journeyBackoff, retryWaitMs } from '@portal/platforms/journey/retry-wait';
import { isContention } from '../../helium/database-failures.ts';
import { HaltError } from './halt-error.ts';

/** So many refusals in a row of what should be understood: it will not go any better. */
const refusalsMax = 10;

export class RetryPolicy {
  #failures = 0;
  #refusals = 0;
  readonly #backoff: Backoff;

  constructor(backoff: Backoff = journeyBackoff) {
    this.#backoff = backoff;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#refusals = 0;
  }

  /**
   * How long to wait before the same again. Throws Halt when that is of no use, and whatever is not
   * Journey's trouble.
   */
  nextDelayMs(problem: unknown): number {
    if (isContention(problem)) {
      this.#failures += 1;
      return backoffMs(this.#failures - 1, this.#backoff);
    }
    if (!(problem instanceof JourneyProblem)) throw problem;
    const { failure, message } = problem;
    switch (failure.kind) {
      case 'credentials-refused':
        throw new HaltError(`Journey refuses the user name and password: ${message}`);
      case 'not-found':
        throw new HaltError(`Journey knows nothing of this deployment: ${message}`);
      case 'too-large':
      case 'invalid-request':
        this.#refusals += 1;
        if (this.#refusals >= refusalsMax)
          throw new HaltError(`Journey refused ${refusalsMax} calls in a row: ${message}`);
        break;
    }
    this.#failures += 1;
    return retryWaitMs(failure, this.#failures - 1, Math.random, this.#backoff);
  }
}
