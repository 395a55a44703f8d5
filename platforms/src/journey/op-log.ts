import type { JourneyAddress, JourneyCall } from './call.ts';
import { callForJson } from './call-for-json.ts';
import { numberEntries } from './number-entries.ts';
import { journeyPaths } from './paths.ts';
import { type JourneyOpLogEntry, type JourneyOpLogPage, JourneyOpLogResponse } from './wire.ts';

/** Journey's default page size. */
const defaultLimit = 400;

export interface JourneyOpLogOptions {
  /** The first sequence to read, or a page's `nextStart`. */
  readonly start: string;
  /** Default: 400; maximum: 1000. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads one page of the change feed. The result is the same for both of Journey's forms of sequence
 * numbers.
 */
export async function readOpLog(
  address: JourneyAddress,
  { start, limit, signal }: JourneyOpLogOptions,
): Promise<JourneyOpLogPage> {
  const response = await fetchOpLog(address, { start, limit }, signal);
  const entries = numberEntries(response.entries, { start, end: response.next_request_start });
  return {
    entries,
    hasMore: response.has_more ?? entries.length >= (limit ?? defaultLimit),
    nextStart: response.next_request_start ?? getNextStart(entries) ?? start,
    datamodelHash: response.datamodel_hash,
  };
}

/**
 * Reads the most recent entries. Journey's paging does not work from the tail, so the next start is
 * computed.
 */
export async function readOpLogTail(
  address: JourneyAddress,
  { limit, signal }: Omit<JourneyOpLogOptions, 'start'>,
): Promise<JourneyOpLogPage> {
  const response = await fetchOpLog(address, { tail: true, limit }, signal);
  const entries = numberEntries(response.entries, { start: '1', end: response.next_request_start });
  return {
    entries,
    hasMore: false,
    nextStart: getNextStart(entries) ?? '1',
    datamodelHash: response.datamodel_hash,
  };
}

async function fetchOpLog(
  address: JourneyAddress,
  page: NonNullable<JourneyCall['query']>,
  signal: AbortSignal | undefined,
): Promise<JourneyOpLogResponse> {
  const query = { ...page, sequence_ids: true };
  return callForJson(address, { method: 'GET', path: journeyPaths.opLog, query, signal }, JourneyOpLogResponse);
}

/** Returns the sequence after the highest one, which may not be the last entry's. */
function getNextStart(entries: readonly JourneyOpLogEntry[]): string | undefined {
  const sequences = entries.map(({ sequence }) => BigInt(sequence));
  if (sequences.length === 0) return undefined;
  return String(sequences.reduce((highest, sequence) => (sequence > highest ? sequence : highest)) + 1n);
}
