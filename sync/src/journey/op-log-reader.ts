/**
 * Reads the op-log from a cursor. Repeated, overlapping or unordered entries do no harm: entries
 * are sorted by number, and those at or below the cursor are dropped. Every page starts with the
 * entry at the cursor: while that entry exists, nothing after it has been pruned. Where there is no
 * such entry, the log has to continue with the next number.
 */
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyOpLogEntry, type JourneyOpLogPage, journeyPageMax } from '@portal/platforms/journey/wire';
import type { OpLogPoint } from './journey-gateway.ts';
import { getChangedAtMs } from './read-entries.ts';

export interface NewEntries {
  /** Entries after the cursor, in the order of their numbers, each once. */
  readonly entries: readonly JourneyOpLogEntry[];
  readonly cursor: string;
  readonly isLast: boolean;
  readonly historyLost: boolean;
  /** The entries at the requested cursor and at the new one; null when they are not in the page. */
  readonly start: OpLogPoint | null;
  readonly point: OpLogPoint | null;
  /** Null when Journey does not state it. */
  readonly dataModelHash: string | null;
}

/** The end of the log, as it was read. */
interface ReadTail {
  readonly point: OpLogPoint | null;
  readonly dataModelHash: string | null;
}

/** Where to read the op-log from. */
export interface OpLogStart {
  readonly cursor: string;
  /** Whether the log had no entry at the cursor: it continues with the next number. */
  readonly isStart: boolean;
}

export interface OpLogReader {
  readAfter(start: OpLogStart, limit: number, signal: AbortSignal): Promise<NewEntries>;
  readTail(signal: AbortSignal): Promise<ReadTail>;
  /** Returns the oldest entry that exists; null when there is none. */
  readOldest(signal: AbortSignal): Promise<OpLogPoint | null>;
  /** Returns the entry with this sequence; null when there is none. */
  readPoint(sequence: string, signal: AbortSignal): Promise<OpLogPoint | null>;
}

interface OpLogReaderOptions {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'opLog' | 'opLogTail'>;
  readonly rateLimiter: JourneyRateLimiter;
}

/** The cursor before the first entry, which has the sequence 1. */
const logStart = '0';

export function createOpLogReader({ client, rateLimiter }: OpLogReaderOptions): OpLogReader {
  /** Cursor of the next page of a backlog, which may be requested without waiting. */
  let backlogCursor: string | null = null;
  /** Maximum entries per response; smaller while entries are large. */
  let maxPageSize = journeyPageMax;

  const readPage = async (start: string, limit: number, signal: AbortSignal): Promise<JourneyOpLogPage> => {
    const pageLimit = Math.min(limit, maxPageSize);
    try {
      const page = await rateLimiter.run(client.baseUrl, () => client.opLog({ start, limit: pageLimit, signal }), {
        signal,
      });
      maxPageSize = Math.min(journeyPageMax, maxPageSize * 2);
      return page;
    } catch (error) {
      if (!isTooLarge(error) || pageLimit <= 2) throw error;
      maxPageSize = Math.ceil(pageLimit / 2);
      return readPage(start, limit, signal);
    }
  };

  /** The response may be stale or start too early, so only a second one is decisive. */
  const readTwice = async (
    start: string,
    limit: number,
    signal: AbortSignal,
    isConclusive: (page: JourneyOpLogPage) => boolean,
  ): Promise<JourneyOpLogPage> => {
    const page = await readPage(start, limit, signal);
    if (isConclusive(page)) return page;
    await rateLimiter.waitForOpLog(client.baseUrl, { signal });
    return readPage(start, journeyPageMax, signal);
  };

  return {
    async readAfter(start, limit, signal) {
      const { cursor } = start;
      if (cursor !== backlogCursor) await rateLimiter.waitForOpLog(client.baseUrl, { signal });
      backlogCursor = null;
      const page = await readTwice(
        cursor === logStart ? '1' : cursor,
        Math.min(limit + 1, journeyPageMax),
        signal,
        (read) => isConclusive(read, start),
      );
      const newEntries = selectNewEntries(page, start, limit);
      if (!newEntries.isLast && newEntries.entries.length > 0) backlogCursor = newEntries.cursor;
      return newEntries;
    },
    async readTail(signal) {
      await rateLimiter.waitForOpLog(client.baseUrl, { signal });
      const { entries, datamodelHash } = await rateLimiter.run(client.baseUrl, () => client.opLogTail(1, { signal }), {
        signal,
      });
      return { point: toPoint(sortUnique(entries).at(-1)), dataModelHash: datamodelHash };
    },
    async readOldest(signal) {
      await rateLimiter.waitForOpLog(client.baseUrl, { signal });
      const { entries } = await readPage('1', 1, signal);
      return toPoint(sortUnique(entries)[0]);
    },
    async readPoint(sequence, signal) {
      await rateLimiter.waitForOpLog(client.baseUrl, { signal });
      const page = await readTwice(sequence, 1, signal, (read) => findEntry(read, sequence) !== null);
      return findEntry(page, sequence);
    },
  };
}

function isConclusive(page: JourneyOpLogPage, start: OpLogStart): boolean {
  return (
    isContinuous(page, start) && (!page.hasMore || page.entries.some(({ sequence }) => isAfter(sequence, start.cursor)))
  );
}

/** Returns whether no entry between the cursor and the page can have been pruned. */
function isContinuous({ entries }: JourneyOpLogPage, { cursor, isStart }: OpLogStart): boolean {
  if (entries.some(({ sequence }) => sequence === cursor)) return true;
  const next = String(BigInt(cursor) + 1n);
  return isStart && (entries.length === 0 || entries.some(({ sequence }) => sequence === next));
}

function findEntry({ entries }: JourneyOpLogPage, wanted: string): OpLogPoint | null {
  return toPoint(entries.find(({ sequence }) => sequence === wanted));
}

function toPoint(entry: JourneyOpLogEntry | undefined): OpLogPoint | null {
  if (!entry) return null;
  const { sequence, operation, object } = entry;
  return {
    sequence,
    model: object.type,
    id: object.id.toLowerCase(),
    isDeletion: operation === 'delete',
    updatedAtMs: getChangedAtMs(object),
    provenAtMs: Date.now(),
  };
}

/**
 * Selects the entries after the cursor; a pure function. A page that may lack entries before its
 * first yields none: its entries may not be the next ones.
 */
export function selectNewEntries(page: JourneyOpLogPage, start: OpLogStart, limit: number): NewEntries {
  const { cursor } = start;
  const { hasMore, datamodelHash: dataModelHash } = page;
  const startPoint = findEntry(page, cursor);
  if (!isContinuous(page, start)) {
    return { entries: [], cursor, isLast: true, historyLost: true, start: null, point: null, dataModelHash };
  }
  const newEntries = sortUnique(page.entries).filter(({ sequence }) => isAfter(sequence, cursor));
  const entries = newEntries.slice(0, limit);
  const last = entries.at(-1);
  return {
    entries,
    cursor: last?.sequence ?? cursor,
    isLast: !hasMore && entries.length === newEntries.length,
    historyLost: false,
    start: startPoint,
    point: last ? toPoint(last) : startPoint,
    dataModelHash,
  };
}

/** Sorts the entries by sequence and removes duplicates. */
function sortUnique(entries: readonly JourneyOpLogEntry[]): JourneyOpLogEntry[] {
  // The common case.
  if (entries.every(({ sequence }, at) => at === 0 || isAfter(sequence, entries[at - 1]?.sequence ?? '')))
    return [...entries];
  const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]));
  return [...bySequence.values()].sort((a, b) => (isAfter(a.sequence, b.sequence) ? 1 : -1));
}

/** Compares decimal texts without leading zeros, which may exceed the range of a number. */
function isAfter(sequence: string, cursor: string): boolean {
  return sequence.length === cursor.length ? sequence > cursor : sequence.length > cursor.length;
}

export function isTooLarge(problem: unknown): boolean {
  return (
    problem instanceof JourneyProblem && problem.failure.kind === 'too-large' && problem.failure.what === 'response'
  );
}
