import type { LogGap, LogHello, LogLine } from '@portal/contract/logs';
import { logTailChars } from '@portal/contract/logs';
import type { LogRing } from './log-ring.ts';
import { createChunk, getLines, type RingChunk, splitRuns } from './ring-chunk.ts';

/** Where a viewer starts in a ring, and what it receives first. */
export interface RingStart {
  readonly seq: number;
  readonly resumed: 'new' | 'nothing-lost' | 'gap';
  /**
   * Missing lines from a time span of which the viewer already has other lines; numbered up to
   * `seq`.
   */
  readonly ahead: readonly RingChunk[];
  readonly gap: LogGap | null;
}

type Position = NonNullable<LogHello['after']>;

/**
 * Starts a new viewer with the last lines, limited by count and by age relative to the newest line.
 */
export function startNewViewer(ring: LogRing, limits: { lines: number; millis: number }): RingStart {
  const chunks = ring.chunks();
  const oldestMillis = (chunks.at(-1)?.maxMillis ?? 0) - limits.millis;
  const oldestSeq = ring.nextSeq - limits.lines;
  const first = chunks.find((chunk) => chunk.maxMillis >= oldestMillis && chunk.seq + chunk.count > oldestSeq);
  return { seq: Math.max(first?.seq ?? ring.nextSeq, oldestSeq), resumed: 'new', ahead: [], gap: null };
}

/**
 * Checks whether the position uses this ring's sequence numbers; otherwise the viewer can only
 * resume by time.
 */
export function isKnownPosition(ring: LogRing, { stream, seq }: Position): boolean {
  return stream === ring.stream && Number.isInteger(seq) && seq >= 0 && seq < ring.nextSeq;
}

/** Returns the earliest instant from which the viewer may be missing lines. */
export function getOldestMillis({ millis, tail = [] }: Position): number {
  return Math.min(millis, ...tail.map(([lineMillis]) => lineMillis));
}

/** Resumes a returning viewer, whether it used this numbering or another one of the same app. */
export function resumeAfter(ring: LogRing, after: Position): RingStart {
  if (!isKnownPosition(ring, after)) return resumeByTime(ring, after);
  const seq = after.seq + 1;
  return { seq, resumed: seq < ring.firstSeq ? 'gap' : 'nothing-lost', ahead: [], gap: null };
}

/**
 * Resumes by time and text. The viewer has everything before the oldest line it reports, and
 * exactly the reported lines since then. The missing lines of that time are sent first in one
 * piece; later lines follow by sequence number. If the ring begins after the viewer's newest line,
 * the gap between them is unknown.
 */
function resumeByTime(ring: LogRing, after: Position): RingStart {
  const { millis, tail = [] } = after;
  const fromMillis = getOldestMillis(after);
  const untilMillis = Math.max(millis, ...tail.map(([lineMillis]) => lineMillis));
  const chunks = ring.chunks();
  // If all reported lines have the same timestamp, others of that timestamp may be missing;
  // otherwise the viewer has them.
  const isBefore = (line: LogLine) =>
    tail.length > 0 && fromMillis === untilMillis ? line[0] < fromMillis : line[0] <= fromMillis;
  const reported = new Map<string, number>();
  for (const line of tail) reported.set(toLineKey(line), (reported.get(toLineKey(line)) ?? 0) + 1);
  const isReported = (line: LogLine) => {
    const left = reported.get(toLineKey(line)) ?? 0;
    reported.set(toLineKey(line), left - 1);
    return left > 0;
  };

  const settled = chunks.slice(0, chunks.findLastIndex((chunk) => chunk.minMillis <= untilMillis) + 1);
  const lacking = settled
    .filter((chunk) => chunk.maxMillis >= fromMillis)
    .flatMap(getLines)
    .filter((line) => !isBefore(line) && !isReported(line));
  const newest = settled.at(-1);
  const seq = newest === undefined ? ring.firstSeq : newest.seq + newest.count;
  const ahead = toChunksBefore(seq, lacking);
  if (ring.sinceMillis !== null && untilMillis > ring.sinceMillis)
    return { seq, resumed: 'nothing-lost', ahead, gap: null };
  const toMillis = chunks[0]?.minMillis ?? null;
  return { seq, resumed: 'gap', ahead, gap: { reason: 'restart', lines: null, fromMillis: untilMillis, toMillis } };
}

function toChunksBefore(seq: number, lines: readonly LogLine[]): RingChunk[] {
  const messages = lines.map(([millis, key, value]) => ({ millis, key, value }));
  let next = seq - lines.length;
  return [...splitRuns(messages, { lines: 5000, chars: 1_000_000 })].map((run) => {
    const chunk = createChunk(next, run);
    next += run.length;
    return chunk;
  });
}

function toLineKey([millis, key, value]: LogLine): string {
  return JSON.stringify([millis, key, value.slice(0, logTailChars)]);
}
