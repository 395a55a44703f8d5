/**
 * What follows when calls with files end without a usable answer while Journey answers other calls:
 * something before it may cut off large bodies. Then only the records with these files wait.
 */
import type { Backoff } from '@portal/kit/backoff';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyOutcome } from '../../journey/journey-gateway.ts';
import type { HeldRow } from '../../sync-state/held-records.store.ts';

/** The kind of records held because their upload is cut off. */
const cutKind = 'upload cut off';

/** Before that, a failure may be a coincidence. */
const maxFailures = 3;

/**
 * The files of a record that are larger are sent in a call of their own, so that its failure is
 * theirs.
 */
const maxSharedBytes = 1_000_000;

/**
 * Whether a record shares no call with others. Small files do until their call has failed twice.
 */
export function needsOwnCall(bytes: number, failures: number): boolean {
  return bytes > maxSharedBytes || failures >= maxFailures - 1;
}

/** A call of a single record that failed while Journey answered another call. */
interface FailedUpload {
  /** Of all files. */
  readonly bytes: number;
  /** Calls that failed in a row, with this one. */
  readonly failures: number;
  /** How the record was held. */
  readonly held: Pick<HeldRow, 'state' | 'kind'> | undefined;
  /** Whether another upload of the same page is cut off. */
  readonly isAnotherCut: boolean;
  readonly problem: JourneyProblem;
}

/**
 * Returns the outcome when the upload is taken for the cause; undefined when it is repeated first.
 * Journey may have applied it nevertheless.
 */
export function judgeUpload({
  bytes,
  failures,
  held,
  isAnotherCut,
  problem,
}: FailedUpload): Extract<JourneyOutcome, { status: 'undecided' }> | undefined {
  const isKnown = held?.state === 'waiting' && held.kind === cutKind;
  if (failures < maxFailures && !isKnown && !isAnotherCut) return undefined;
  const what = `Journey or something before it cuts off this upload of ${formatBytes(bytes)}: ${problem.message}`;
  const advice =
    'Raise the limits of body size and time there, or use a smaller file. It is retried automatically, at least every hour.';
  const reason = `${what} ${advice}`;
  return {
    status: 'undecided',
    kind: cutKind,
    reason,
    isCutOff: true,
    problem: new JourneyProblem(reason, problem.failure, { cause: problem, isWrite: true }),
  };
}

/** Returns when the record is sent again. It never needs an operator: only its size is at fault. */
export function holdCutOff(
  before: Pick<HeldRow, 'state' | 'kind' | 'attempts'> | undefined,
  { initialMs, maxMs }: Backoff,
): { readonly state: 'waiting'; readonly retryMs: number } {
  const attempts = before?.state === 'waiting' && before.kind === cutKind ? before.attempts : 0;
  return { state: 'waiting', retryMs: Math.min(maxMs, initialMs * 2 ** Math.min(attempts, maxDoubled)) };
}

/** More would not change the delay, and would exceed what a number can hold. */
const maxDoubled = 40;

function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
}
