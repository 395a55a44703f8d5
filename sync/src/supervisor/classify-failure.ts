import { type Backoff, backoffMs } from '@portal/kit/backoff';
import { isOutage } from '@portal/kit/postgres/pool';
import { Unreachable } from '@portal/kit/problems';
import { OtherStateVersion } from '../integration/other-state-version.ts';

export interface Patience {
  /** Failures in a row that are no outages, after which it is halted. */
  readonly failures: number;
  /** A run that lasted so long was none of a row. */
  readonly steadyMs: number;
  readonly outageBackoff: Backoff;
  readonly failureBackoff: Backoff;
}

/** Failed runs in a row, of each kind. */
export interface FailureCounts {
  readonly outages: number;
  readonly failures: number;
}

export type FailedRun =
  | { readonly kind: 'outage' | 'failure'; readonly counts: FailureCounts; readonly retryMs: number }
  | { readonly kind: 'halt'; readonly counts: FailureCounts; readonly reason: string };

export const noFailures: FailureCounts = { outages: 0, failures: 0 };

/**
 * Decides what follows a failed run: an outage is retried for as long as it lasts, anything else a
 * few times. `counts` are those before this run.
 */
export function classifyFailure(
  error: unknown,
  { counts, lastedMs, patience }: { counts: FailureCounts; lastedMs: number; patience: Patience },
): FailedRun {
  const before = lastedMs >= patience.steadyMs ? noFailures : counts;
  if (error instanceof OtherStateVersion) return { kind: 'halt', counts: before, reason: error.message };
  if (isOutageOfOthers(error)) {
    const after = { ...before, outages: before.outages + 1 };
    return { kind: 'outage', counts: after, retryMs: backoffMs(before.outages, patience.outageBackoff) };
  }
  const after = { ...before, failures: before.failures + 1 };
  if (after.failures >= patience.failures)
    return {
      kind: 'halt',
      counts: after,
      reason: `It failed ${after.failures} times in a row: ${describeError(error)}`,
    };
  return { kind: 'failure', counts: after, retryMs: backoffMs(before.failures, patience.failureBackoff) };
}

/**
 * An outage ends without anyone doing something here: halting would only mean that a person has to
 * get up for it.
 */
export function isOutageOfOthers(error: unknown): boolean {
  return error instanceof Unreachable || isOutage(error);
}

/**
 * Where a host refuses at all of its addresses, only the refusals have words, not the error that
 * holds them.
 */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
