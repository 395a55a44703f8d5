/**
 * Reads the op-log from a cursor. Repeated, overlapping or unordered entries do no harm: entries
 * are sorted by number, and those at or below the cursor are dropped. Every page starts with the
 * entry at the cursor: while that entry exists, nothing after it has been pruned.
 */
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyOpLogEntry, type JourneyOpLogPage, journeyPageMax } from '@portal/platforms/journey/wire';

export interface NewEntries {
  /** Entries after the cursor, in the order of their numbers, each once. */
  readonly entries: readonly JourneyOpLogEntry[];
  readonly cursor: string;
  readonly isLast: boolean;
  readonly historyLost: boolean;
  readonly dataModelHash: string;
}

export interface OpLogReader {
  readAfter(cursor: string, limit: number, signal: AbortSignal): Promise<NewEntries>;
  readHead(signal: AbortSignal): Promise<string>;
}

interface OpLogReaderOptions {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'opLog' | 'opLogTail'>;
  readonly rateLimiter: JourneyRateLimiter;
}

/** The cursor before the first entry. */
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

  return {
    async readAfter(cursor, limit, signal) {
      if (cursor !== backlogCursor) await rateLimiter.waitForOpLog(client.baseUrl, { signal });
      backlogCursor = null;
      const start = cursor === logStart ? '1' : cursor;
      let page = await readPage(start, Math.min(limit + 1, journeyPageMax), signal);
      if (!isConclusive(page, cursor)) {
        // The response may be stale or start too early, so only a second one is decisive.
        await rateLimiter.waitForOpLog(client.baseUrl, { signal });
        page = await readPage(start, journeyPageMax, signal);
      }
      const newEntries = selectNewEntries(page, cursor, limit);
      if (!newEntries.isLast && newEntries.entries.length > 0) backlogCursor = newEntries.cursor;
      return newEntries;
    },
    async readHead(signal) {
      await rateLimiter.waitForOpLog(client.baseUrl, { signal });
      const { entries } = await rateLimiter.run(client.baseUrl, () => client.opLogTail(1, { signal }), { signal });
      return sortUnique(entries).at(-1)?.sequence ?? logStart;
    },
  };
}

function isConclusive(page: JourneyOpLogPage, cursor: string): boolean {
  return (
    containsCursor(page, cursor) && (!page.hasMore || page.entries.some(({ sequence }) => isAfter(sequence, cursor)))
  );
}

/** Returns whether no entry between the cursor and the page can have been pruned. */
function containsCursor({ entries }: JourneyOpLogPage, cursor: string): boolean {
  return cursor === logStart || entries.some(({ sequence }) => sequence === cursor);
}

/**
 * Selects the entries after the cursor; a pure function. A page without the entry at the cursor
 * yields none: its entries may not be the next ones.
 */
export function selectNewEntries(page: JourneyOpLogPage, cursor: string, limit: number): NewEntries {
  const { hasMore, datamodelHash: dataModelHash } = page;
  if (!containsCursor(page, cursor)) return { entries: [], cursor, isLast: true, historyLost: true, dataModelHash };
  const newEntries = sortUnique(page.entries).filter(({ sequence }) => isAfter(sequence, cursor));
  const entries = newEntries.slice(0, limit);
  return {
    entries,
    cursor: entries.at(-1)?.sequence ?? cursor,
    isLast: !hasMore && entries.length === newEntries.length,
    historyLost: false,
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
