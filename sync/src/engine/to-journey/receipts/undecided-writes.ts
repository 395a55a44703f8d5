/** What follows when Journey answers writes with errors that do not judge their records. */
import type { Backoff } from '@portal/kit/backoff';
import type { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyOutcome } from '../../../journey/journey-gateway.ts';
import type { HeldRow } from '../../../sync-state/held-records.store.ts';

/** This many failures in one call, and at least half of it, are not about single records. */
const minFailures = 10;

/**
 * Returns the failure of the whole direction that these outcomes of a call show; undefined when
 * they concern single records only.
 */
export function findDirectionFailure(outcomes: readonly JourneyOutcome[]): JourneyProblem | undefined {
  const problems = outcomes.flatMap((outcome) =>
    outcome.status === 'undecided' && !outcome.fault ? [outcome.problem] : [],
  );
  const halting = problems.find(({ failure: { kind } }) => kind === 'credentials-rejected' || kind === 'not-found');
  if (halting) return halting;
  return problems.length >= Math.max(minFailures, outcomes.length / 2) ? problems[0] : undefined;
}

const minAttempts = 20;
const lastingMs = 3_600_000;

/**
 * A waiting record is retried no later than after this many of the longest delays of a direction.
 */
const maxDelays = 12;

export interface HoldBase {
  readonly nowMs: number;
  /** When Journey last accepted another record; null when it has not. */
  readonly lastSentMs: number | null;
  readonly backoff: Backoff;
}

/**
 * Returns how an undecided write is held. An error that lasts for one record, while Journey accepts
 * others, is about that record.
 *
 * @param before how the record was held before this attempt
 */
export function holdUndecided(
  before: Pick<HeldRow, 'state' | 'attempts' | 'sinceMs'> | undefined,
  { nowMs, lastSentMs, backoff }: HoldBase,
): { readonly state: 'waiting'; readonly retryMs: number } | { readonly state: 'dead' } {
  const attempts = before?.state === 'waiting' ? before.attempts : 0;
  const isLong = before !== undefined && isLasting(before, { nowMs, lastSentMs });
  if (attempts + 1 >= minAttempts && isLong) return { state: 'dead' };
  return { state: 'waiting', retryMs: Math.min(backoff.initialMs * 2 ** attempts, backoff.maxMs * maxDelays) };
}

/** Returns whether the record has been held for long while Journey accepted others. */
export function isLasting(
  { sinceMs }: Pick<HeldRow, 'sinceMs'>,
  { nowMs, lastSentMs }: Pick<HoldBase, 'nowMs' | 'lastSentMs'>,
): boolean {
  return nowMs - sinceMs >= lastingMs && lastSentMs !== null && nowMs - lastSentMs < lastingMs;
}
