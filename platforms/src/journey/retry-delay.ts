import { type Backoff, backoffMs } from '@portal/kit/backoff';
import type { JourneyFailure } from './journey-problem.ts';

/** Short, so that a recovered Journey is noticed soon; the rate limiter spares a failing one. */
export const journeyBackoff: Backoff = { initialMs: 1_000, maxMs: 5_000 };

/**
 * Returns the delay before the next attempt, after `attempt` earlier failures in a row and this
 * one. It is the delay that Journey or the rate limiter requested, plus a random part. The limit of
 * the random part doubles with each attempt and spreads callers that failed at the same time.
 */
export function retryDelayMs(
  failure: JourneyFailure,
  attempt: number,
  random: () => number = Math.random,
  backoff: Backoff = journeyBackoff,
): number {
  return requestedDelayMs(failure) + backoffMs(attempt, backoff, random);
}

/** Returns 0 when no delay was requested. */
export function requestedDelayMs(failure: JourneyFailure): number {
  return ('retryAfterMs' in failure ? failure.retryAfterMs : undefined) ?? 0;
}
