import { type Backoff, backoffMs } from '@portal/kit/backoff';
import type { JourneyFailure } from './journey-problem.ts';

export const journeyBackoff: Backoff = { initialMs: 1_000, maxMs: 30_000 };

/**
 * How long to wait before trying again after `attempt` failures in a row (0 is the first), the last
 * of them this one: as long as Journey, or our own pace, asked for, and on top of it anything up to
 * a bound that doubles each time, so that those who were sent away together do not come back
 * together.
 */
export function retryWaitMs(
  failure: JourneyFailure,
  attempt: number,
  random: () => number = Math.random,
  backoff: Backoff = journeyBackoff,
): number {
  return askedWaitMs(failure) + backoffMs(attempt, backoff, random);
}

/** 0 when nobody asked. */
export function askedWaitMs(failure: JourneyFailure): number {
  return ('retryAfterMs' in failure ? failure.retryAfterMs : undefined) ?? 0;
}
