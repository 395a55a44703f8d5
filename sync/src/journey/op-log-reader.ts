/**
 * Reads the op-log from a cursor on. What a page repeats, overlaps or has in another order does no
 * harm: entries are sorted by their numbers, and those at or below the cursor dropped. Every page
 * begins with the entry at the cursor itself: while that is there, nothing behind it has been
 * forgotten.
 */
import type { JourneyClient } from '@portal/platforms/journey/client';
import type { JourneyPace } from '@portal/platforms/journey/journey-pace';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import { type JourneyOpLogEntry, type JourneyOpLogPage, journeyPageMax } from '@portal/platforms/journey/wire';

export interface NewEntries {
  /** Behind the cursor, in the order of their numbers, each once. */
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
  readonly pace: JourneyPace;
}

/** Before the first entry there is. */
const logStart = '0';

export function createOpLogReader({ client, pace }: OpLogReaderOptions): OpLogReader {
  /** Where the next page of a backlog begins: it may be asked for at once. */
  let backlogCursor: string | null = null;
  /** How many entries go into one answer; less while they are large. */
  let maxPageSize = journeyPageMax;

  const readPage = async (start: string, limit: number, signal: AbortSignal): Promise<JourneyOpLogPage> => {
    const pageLimit = Math.min(limit, maxPageSize);
    try {
      const page = await pace.run(client.baseUrl, () => client.opLog({ start, limit: pageLimit, signal }), { signal });
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
      if (cursor !== backlogCursor) await pace.waitForOpLog(client.baseUrl, { signal });
      backlogCursor = null;
      const start = cursor === logStart ? '1' : cursor;
      let page = await readPage(start, Math.min(limit + 1, journeyPageMax), signal);
      if (!isConclusive(page, cursor)) {
        // Perhaps an answer of a moment ago, or one that begins too early: only what a second one
        // says counts.
        await pace.waitForOpLog(client.baseUrl, { signal });
        page = await readPage(start, journeyPageMax, signal);
      }
      const newEntries = selectNewEntries(page, cursor, limit);
      if (!newEntries.isLast && newEntries.entries.length > 0) backlogCursor = newEntries.cursor;
      return newEntries;
    },
    async readHead(signal) {
      await pace.waitForOpLog(client.baseUrl, { signal });
      const { entries } = await pace.run(client.baseUrl, () => client.opLogTail(1, { signal }), { signal });
      return sortUnique(entries).at(-1)?.sequence ?? logStart;
    },
  };
}

function isConclusive(page: JourneyOpLogPage, cursor: string): boolean {
  return (
    containsCursor(page, cursor) && (!page.hasMore || page.entries.some(({ sequence }) => isAfter(sequence, cursor)))
  );
}

/** Whether nothing between the cursor and the page can have been forgotten. */
function containsCursor({ entries }: JourneyOpLogPage, cursor: string): boolean {
  return cursor === logStart || entries.some(({ sequence }) => sequence === cursor);
}

/** Pure. Of a page that proves nothing, none: what it has may not be what comes next. */
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

/** Each once. */
function sortUnique(entries: readonly JourneyOpLogEntry[]): JourneyOpLogEntry[] {
  // As nearly all come.
  if (entries.every(({ sequence }, at) => at === 0 || isAfter(sequence, entries[at - 1]?.sequence ?? '')))
    return [...entries];
  const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]));
  return [...bySequence.values()].sort((a, b) => (isAfter(a.sequence, b.sequence) ? 1 : -1));
}

/** Decimal texts without leading zeros, which are beyond what a number holds. */
function isAfter(sequence: string, cursor: string): boolean {
  return sequence.length === cursor.length ? sequence > cursor : sequence.length > cursor.length;
}

export function isTooLarge(problem: unknown): boolean {
  return problem instanceof JourneyProblem && problem.failure.kind === 'too-large' && problem.failure.what === 'answer';
}
