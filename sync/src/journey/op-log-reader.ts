/**
 * Reads the op-log from a cursor on. What a page repeats, overlaps or has in another order does no
 * harm: entries are sorted by their numbers, and those at or below the cursor dropped. Every page
 * begins with the entry at the cursor itself: while that is there, nothing behind it has been
 * forgotten.
 */
import type { JourneyClient } from '@portal/platforms/journey/client';
import { JourneyProblem } from '@portal/platforms/journey/journey-problem';
import type { JourneyRateLimiter } from '@portal/platforms/journey/journey-rate-limiter';
import { type JourneyOpLogEntry, type JourneyOpLogPage, journeyPageMax } from '@portal/platforms/journey/wire';

export interface FreshEntries {
  /** Behind the cursor, in the order of their numbers, each once. */
  readonly entries: readonly JourneyOpLogEntry[];
  readonly cursor: string;
  readonly isLast: boolean;
  readonly historyLost: boolean;
  readonly dataModelHash: string;
}

export interface OpLogReader {
  readAfter(cursor: string, limit: number, signal: AbortSignal): Promise<FreshEntries>;
  readHead(signal: AbortSignal): Promise<string>;
}

interface OpLogReaderOptions {
  readonly client: Pick<JourneyClient, 'baseUrl' | 'opLog' | 'opLogTail'>;
  readonly pace: JourneyRateLimiter;
}

/** Before the first entry there is. */
const beginning = '0';

export function createOpLogReader({ client, pace }: OpLogReaderOptions): OpLogReader {
  /** Where the next page of a backlog begins: it may be asked for at once. */
  let backlogAt: string | null = null;
  /** How many entries go into one answer; less while they are large. */
  let fitting = journeyPageMax;

  const askAtMost = async (start: string, limit: number, signal: AbortSignal): Promise<JourneyOpLogPage> => {
    const asked = Math.min(limit, fitting);
    try {
      const page = await pace.run(client.baseUrl, () => client.opLog({ start, limit: asked, signal }), { signal });
      fitting = Math.min(journeyPageMax, fitting * 2);
      return page;
    } catch (error) {
      if (!isTooLarge(error) || asked <= 2) throw error;
      fitting = Math.ceil(asked / 2);
      return askAtMost(start, limit, signal);
    }
  };

  return {
    async readAfter(cursor, limit, signal) {
      if (cursor !== backlogAt) await pace.waitForOpLog(client.baseUrl, { signal });
      backlogAt = null;
      const start = cursor === beginning ? '1' : cursor;
      let page = await askAtMost(start, Math.min(limit + 1, journeyPageMax), signal);
      if (!isUseful(page, cursor)) {
        // Perhaps an answer of a moment ago, or one that begins too early: only what a second one
        // says counts.
        await pace.waitForOpLog(client.baseUrl, { signal });
        page = await askAtMost(start, journeyPageMax, signal);
      }
      const fresh = freshEntries(page, cursor, limit);
      if (!fresh.isLast && fresh.entries.length > 0) backlogAt = fresh.cursor;
      return fresh;
    },
    async readHead(signal) {
      await pace.waitForOpLog(client.baseUrl, { signal });
      const { entries } = await pace.run(client.baseUrl, () => client.opLogTail(1, { signal }), { signal });
      return inOrder(entries).at(-1)?.sequence ?? beginning;
    },
  };
}

function isUseful(page: JourneyOpLogPage, cursor: string): boolean {
  return hasProof(page, cursor) && (!page.hasMore || page.entries.some(({ sequence }) => isAfter(sequence, cursor)));
}

/** Whether nothing between the cursor and the page can have been forgotten. */
function hasProof({ entries }: JourneyOpLogPage, cursor: string): boolean {
  return cursor === beginning || entries.some(({ sequence }) => sequence === cursor);
}

/** Pure. Of a page that proves nothing, none: what it has may not be what comes next. */
export function freshEntries(page: JourneyOpLogPage, cursor: string, limit: number): FreshEntries {
  const { hasMore, datamodelHash: dataModelHash } = page;
  if (!hasProof(page, cursor)) return { entries: [], cursor, isLast: true, historyLost: true, dataModelHash };
  const fresh = inOrder(page.entries).filter(({ sequence }) => isAfter(sequence, cursor));
  const entries = fresh.slice(0, limit);
  return {
    entries,
    cursor: entries.at(-1)?.sequence ?? cursor,
    isLast: !hasMore && entries.length === fresh.length,
    historyLost: false,
    dataModelHash,
  };
}

/** Each once. */
function inOrder(entries: readonly JourneyOpLogEntry[]): JourneyOpLogEntry[] {
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
  return (
    problem instanceof JourneyProblem && problem.failure.kind === 'too-large' && problem.failure.what === 'response'
  );
}
