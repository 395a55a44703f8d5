import type { JourneyAddress, JourneyCall } from './call.ts';
import { callForJson } from './call-for-json.ts';
import { journeyPaths } from './paths.ts';
import { JourneyOpLogAnswer, type JourneyOpLogEntry, type JourneyOpLogPage } from './wire.ts';

/** What Journey sends when it is not told. */
const usualLimit = 400;

export interface JourneyOpLogOptions {
  /** The first sequence wanted, or a page's `nextStart`. */
  readonly start: string;
  /** 400 when left out, 1000 at most. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One page of the change feed, in the same form whichever of Journey's two ways of numbering it
 * comes in.
 */
export async function readOpLog(
  address: JourneyAddress,
  { start, limit, signal }: JourneyOpLogOptions,
): Promise<JourneyOpLogPage> {
  const answer = await askOpLog(address, { start, limit }, signal);
  const entries = entriesOf(answer);
  return {
    entries,
    hasMore: answer.has_more ?? entries.length >= (limit ?? usualLimit),
    nextStart: answer.next_request_start ?? startAfter(entries) ?? start,
    datamodelHash: answer.datamodel_hash,
  };
}

/**
 * The most recent entries. From a tail Journey's own paging does not work, so the next start is
 * counted.
 */
export async function readOpLogTail(
  address: JourneyAddress,
  { limit, signal }: Omit<JourneyOpLogOptions, 'start'>,
): Promise<JourneyOpLogPage> {
  const answer = await askOpLog(address, { tail: true, limit }, signal);
  const entries = entriesOf(answer);
  return {
    entries,
    hasMore: false,
    nextStart: startAfter(entries) ?? '1',
    datamodelHash: answer.datamodel_hash,
  };
}

async function askOpLog(
  address: JourneyAddress,
  page: NonNullable<JourneyCall['query']>,
  signal: AbortSignal | undefined,
): Promise<JourneyOpLogAnswer> {
  const query = { ...page, sequence_ids: true };
  return callForJson(address, { method: 'GET', path: journeyPaths.opLog, query, signal }, JourneyOpLogAnswer);
}

function entriesOf({ entries, datamodel_hash }: JourneyOpLogAnswer): JourneyOpLogEntry[] {
  return entries.map((entry) => ({ ...entry, datamodelHash: datamodel_hash }));
}

/** After the highest, which need not stand last. */
function startAfter(entries: readonly JourneyOpLogEntry[]): string | undefined {
  const sequences = entries.map(({ sequence }) => BigInt(sequence));
  if (sequences.length === 0) return undefined;
  return String(sequences.reduce((highest, sequence) => (sequence > highest ? sequence : highest)) + 1n);
}
