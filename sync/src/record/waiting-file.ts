/**
 * A file of Journey that Helium does not have yet. Its record does not wait for it: the column
 * keeps its value in Helium until the file is written.
 *
 *   an entry names it ─▶ announced ──uploaded──▶ uploaded ──downloaded──▶ downloaded ──written──▶ gone
 *                          └─ asked again later    └─ fails: later          └─ not writable yet: later
 *
 * Another file in the field replaces it, an empty field or the deletion of the record removes it.
 */
import type { Backoff } from '@portal/kit/backoff';

/**
 * - announced: Journey does not have it yet
 * - uploaded: Journey has it
 * - downloaded: its bytes are stored, and cannot be written to Helium yet
 */
type FileState = 'announced' | 'uploaded' | 'downloaded';

/** What Journey shows of a file. */
export interface SeenFile {
  /** Journey's id of the attachment; its bytes never change. */
  readonly id: string;
  /** Where to download it; null until it is uploaded. */
  readonly url: string | null;
  /** Journey's word for it, such as `pending` or `missing`; null when there is none. */
  readonly state: string | null;
}

export interface WaitingFile {
  readonly journeyId: string;
  readonly state: FileState;
  readonly url: string | null;
  /** When Journey's record named it, in milliseconds: `later` compares it. */
  readonly changedAtMs: number;
  /** Attempts that failed, since it was last in another state. */
  readonly attempts: number;
  /**
   * The time of the next attempt; null once an operator has skipped it. Then Helium's own changes
   * no longer wait for it. It is tried again when Journey's record shows it in another state.
   */
  readonly retryAtMs: number | null;
  /** Why it waits, one sentence for operators. */
  readonly reason: string;
  /** Of the stored bytes; see `file-value.ts`. */
  readonly value: string | null;
}

const uploadedReason = 'It is about to be downloaded.';

/** Takes in that an entry or a listing names a file whose content is not in Helium. */
export function seeFile(
  before: WaitingFile | undefined,
  { id, url, state }: SeenFile,
  { changedAtMs, nowMs, backoff }: { readonly changedAtMs: number; readonly nowMs: number; readonly backoff: Backoff },
): WaitingFile {
  if (before?.journeyId === id) {
    // Its record may be able to take it now.
    if (before.state === 'downloaded') return { ...before, retryAtMs: nowMs };
    if (url === null) return before;
    return before.state === 'announced' ? toUploaded(before, url, nowMs) : { ...before, url };
  }
  const file = { journeyId: id, changedAtMs, value: null, url, attempts: 0 };
  return url === null
    ? { ...file, state: 'announced', retryAtMs: nowMs + backoff.initialMs, reason: describeAnnounced(state) }
    : toUploaded(file, url, nowMs);
}

function toUploaded(file: Pick<WaitingFile, 'journeyId' | 'changedAtMs'>, url: string, nowMs: number): WaitingFile {
  const { journeyId, changedAtMs } = file;
  return {
    journeyId,
    changedAtMs,
    state: 'uploaded',
    url,
    attempts: 0,
    retryAtMs: nowMs,
    reason: uploadedReason,
    value: null,
  };
}

function describeAnnounced(state: string | null): string {
  return `Journey does not have the file yet: ${state === null ? 'it names only its id' : `it calls it ${state}`}.`;
}

/** Whether Journey is asked for its address before it is downloaded. */
export function needsAddress({ state, attempts }: WaitingFile): boolean {
  return state === 'announced' || (state === 'uploaded' && attempts > 0);
}

/**
 * Takes in Journey's answer about the address.
 *
 * @param found what the field has now; null when it names no file, or its record is gone: the
 *   op-log
 * shows that too
 */
export function answerAddress(file: WaitingFile, found: SeenFile | null, nowMs: number, backoff: Backoff): WaitingFile {
  if (found?.id !== file.journeyId)
    return failFile(file, "Journey's record no longer names this file.", nowMs, backoff);
  if (found.url !== null)
    return file.state === 'announced' ? toUploaded(file, found.url, nowMs) : { ...file, url: found.url };
  const announced =
    file.state === 'announced' ? file : { ...file, state: 'announced' as const, attempts: 0, url: null };
  return failFile(announced, describeAnnounced(found.state), nowMs, backoff);
}

/** Takes in that an attempt failed: the next one follows after twice the time. */
export function failFile(file: WaitingFile, reason: string, nowMs: number, backoff: Backoff): WaitingFile {
  const attempts = file.attempts + 1;
  // The first delay of an announced file has passed when it is first asked for.
  const doubled = file.state === 'announced' ? attempts : attempts - 1;
  return { ...file, attempts, retryAtMs: nowMs + getDelayMs(backoff, doubled), reason };
}

export function isSkipped({ retryAtMs }: WaitingFile): boolean {
  return retryAtMs === null;
}

/** Returns the time until the next attempt, after this many doublings. */
export function getDelayMs({ initialMs, maxMs }: Backoff, doubled: number): number {
  return Math.min(maxMs, initialMs * 2 ** Math.min(doubled, maxDoubled));
}

/** More would not change the delay, and would exceed what a number can hold. */
const maxDoubled = 40;

/** Takes in bytes that cannot be written yet, so that the file is not downloaded again. */
export function storeFile(file: WaitingFile, value: string): WaitingFile {
  return file.state === 'downloaded' ? file : { ...file, state: 'downloaded', value, attempts: 0 };
}
