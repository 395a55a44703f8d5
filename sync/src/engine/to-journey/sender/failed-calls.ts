/**
 * What follows when calls end without a usable answer while Journey answers others: something
 * before it may cut off large bodies, or refuse a text. Then only the records at fault wait.
 *
 *   1st and 2nd failure     the page is repeated in calls of half the size: it may be a coincidence
 *   3rd                     only the records of the call are sent again, in calls of half the size,
 *                           after the op-log was read: Journey may have applied the call
 *   alone, and repeated     the record is held
 */
import type { Backoff } from '@portal/kit/backoff';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyOutcome } from '../../../journey/journey-gateway.ts';
import type { HeldRow } from '../../../sync-state/held-records.store.ts';
import type { Suspicion } from '../../state/call-failures.ts';
import { type HoldBase, isLasting } from '../receipts/undecided-writes.ts';

/** The kind of records held because their upload is cut off. */
const cutKind = 'upload cut off';

/** The kind of records held because Journey never answers a call with them, whatever does. */
const unansweredKind = 'not answered by Journey';

/** Before that, a failure may be a coincidence. */
const maxFailures = 3;

/** A record whose call was split is held after this many failures of its own. */
const maxFailuresAlone = 2;

/**
 * The files of a record that are larger are sent in a call of their own, so that its failure is
 * theirs.
 */
const maxSharedBytes = 1_000_000;

type HeldBefore = Pick<HeldRow, 'state' | 'kind'> | undefined;

/** Whether the record waits because of an earlier call without a usable answer. */
function isKnown(held: HeldBefore): boolean {
  return held?.state === 'waiting' && (held.kind === cutKind || held.kind === unansweredKind);
}

/**
 * Returns how many records the call with this one may have.
 *
 * @param bytes of its files
 */
export function getMaxCallSize(bytes: number, held: HeldBefore, { maxCallSize }: Suspicion): number {
  return bytes > maxSharedBytes || isKnown(held) ? 1 : maxCallSize;
}

/** A record of a call that failed while Journey answered another one. */
export interface FailedWrite {
  /** Of its files. */
  readonly bytes: number;
  /** How the record was held. */
  readonly held: HeldBefore;
  /** With this failure. */
  readonly suspicion: Suspicion;
}

type Undecided = Extract<JourneyOutcome, { status: 'undecided' }>;

/**
 * Returns the outcome of each record of the call; undefined when the page is repeated first.
 * Journey may have applied the call nevertheless.
 *
 * @param isAnotherCut whether another upload of the same page is cut off
 */
export function judgeCall(
  call: readonly FailedWrite[],
  { isAnotherCut, problem }: { readonly isAnotherCut: boolean; readonly problem: JourneyProblem },
): Undecided | undefined {
  const [only, ...others] = call;
  const isUpload = only !== undefined && only.bytes > 0;
  const isKnownFault = call.some(({ held }) => isKnown(held)) || (isUpload && isAnotherCut);
  if (!isKnownFault && !call.some(({ suspicion }) => suspicion.failures >= maxFailures)) return undefined;
  const isFound = others.length === 0 && (isKnownFault || (only?.suspicion.failuresAlone ?? 0) >= maxFailuresAlone);
  if (!isFound) return { status: 'undecided', kind: unansweredKind, reason: problem.message, problem, fault: 'call' };
  const reason = only && isUpload ? explainCut(only.bytes, problem) : explainUnanswered(problem);
  return {
    status: 'undecided',
    kind: isUpload ? cutKind : unansweredKind,
    reason,
    problem: new JourneyProblem(reason, problem.failure, { cause: problem, isWrite: true }),
    fault: 'record',
  };
}

function explainCut(bytes: number, { message }: JourneyProblem): string {
  const what = `Journey or something before it cuts off this upload of ${formatBytes(bytes)}: ${message}`;
  const advice =
    'Raise the limits of body size and time there, or use a smaller file. It is retried automatically, at least every hour.';
  return `${what} ${advice}`;
}

function explainUnanswered({ message }: JourneyProblem): string {
  const what = `Journey answers other calls, but not one with this record: ${message}`;
  return `${what} Correct what refuses it, such as a rule of a firewall, or change or skip the record.`;
}

/**
 * Returns when the record is sent again. A cut upload never needs an operator: only its size is at
 * fault. Another one does when it lasts while other records pass.
 */
export function holdAtFault(
  before: Pick<HeldRow, 'state' | 'kind' | 'attempts' | 'sinceMs'> | undefined,
  kind: string,
  { initialMs, maxMs }: Backoff,
  base: Pick<HoldBase, 'nowMs' | 'lastSentMs'>,
): { readonly state: 'waiting'; readonly retryMs: number } | { readonly state: 'dead' } {
  const isSame = before?.state === 'waiting' && before.kind === kind;
  if (isSame && kind !== cutKind && isLasting(before, base)) return { state: 'dead' };
  const attempts = isSame ? before.attempts : 0;
  return { state: 'waiting', retryMs: Math.min(maxMs, initialMs * 2 ** Math.min(attempts, maxDoubled)) };
}

/** More would not change the delay, and would exceed what a number can hold. */
const maxDoubled = 40;

function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
}
