import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { isTemporary } from '@portal/kit/postgres/pool';
import { Unreachable } from '@portal/kit/problems';
import { describeFailure } from '../integration/describe-failure.ts';
import { StateVersionMismatch } from '../integration/state-version-mismatch.ts';

export interface RetryLimits {
  /** Consecutive failures, outages not included, after which the integration is halted. */
  readonly maxFailures: number;
  /** A run that lasted this long resets the count. */
  readonly stableAfterMs: number;
  readonly outageBackoff: Backoff;
  readonly failureBackoff: Backoff;
}

/** Consecutive failed runs, of each kind. */
export interface FailureCounts {
  readonly outages: number;
  readonly failures: number;
}

export type FailureDecision =
  | { readonly kind: 'outage' | 'failure'; readonly counts: FailureCounts; readonly retryMs: number }
  | { readonly kind: 'halt'; readonly counts: FailureCounts; readonly reason: string };

export const noFailures: FailureCounts = { outages: 0, failures: 0 };

/**
 * Decides what follows a failed run: an outage is retried for as long as it lasts, any other
 * failure a limited number of times. `counts` are those before this run.
 */
export function classifyFailure(
  error: unknown,
  { counts, durationMs, retryLimits }: { counts: FailureCounts; durationMs: number; retryLimits: RetryLimits },
): FailureDecision {
  const previous = durationMs >= retryLimits.stableAfterMs ? noFailures : counts;
  if (error instanceof StateVersionMismatch) return { kind: 'halt', counts: previous, reason: error.message };
  if (isExternalOutage(error)) {
    const updated = { ...previous, outages: previous.outages + 1 };
    return { kind: 'outage', counts: updated, retryMs: backoffMs(previous.outages, retryLimits.outageBackoff) };
  }
  const updated = { ...previous, failures: previous.failures + 1 };
  if (updated.failures >= retryLimits.maxFailures)
    return {
      kind: 'halt',
      counts: updated,
      reason: `It failed ${updated.failures} times in a row: ${describeFailure(error)}`,
    };
  return { kind: 'failure', counts: updated, retryMs: backoffMs(previous.failures, retryLimits.failureBackoff) };
}

/**
 * Returns whether the error is an outage or an overload. They end without operator action, so
 * halting would only page someone for nothing.
 */
export function isExternalOutage(error: unknown): boolean {
  return error instanceof Unreachable || isTemporary(error);
}
