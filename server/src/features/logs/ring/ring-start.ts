import type { LogGap, LogHello, LogLine } from '@portal/contract/logs';
import { logTailChars } from '@portal/contract/logs';
import { createChunk, getLines, type LogChunk, splitRuns } from './log-chunk.ts';
import type { LogRing } from './log-ring.ts';

/** Where a viewer starts in a ring, and what it gets before. */
export interface RingStart {
  readonly seq: number;
  readonly resumed: 'new' | 'nothing-lost' | 'gap';
  /** Lines it lacks from among lines it has; numbered up to `seq`. */
  readonly ahead: readonly LogChunk[];
  readonly gap: LogGap | null;
}

type Position = NonNullable<LogHello['after']>;

/** A newcomer gets so many of the last lines, of so many milliseconds before the newest one. */
export function startNewViewer(ring: LogRing, limits: { lines: number; millis: number }): RingStart {
  const chunks = ring.chunks();
  const oldestMillis = (chunks.at(-1)?.maxMillis ?? 0) - limits.millis;
  const oldestSeq = ring.nextSeq - limits.lines;
  const first = chunks.find((chunk) => chunk.maxMillis >= oldestMillis && chunk.seq + chunk.count > oldestSeq);
  return { seq: Math.max(first?.seq ?? ring.nextSeq, oldestSeq), resumed: 'new', ahead: [], gap: null };
}

/**
 * Whether the position is one of this ring's own numbers; otherwise only time can tell where it
 * goes on.
 */
export function isKnownPosition(ring: LogRing, { stream, seq }: Position): boolean {
  return stream === ring.stream && Number.isInteger(seq) && seq >= 0 && seq < ring.nextSeq;
}

/** The earliest instant of which the viewer may lack lines. */
export function getOldestMillis({ millis, tail = [] }: Position): number {
  return Math.min(millis, ...tail.map(([lineMillis]) => lineMillis));
}

/** Where somebody goes on who was here, or at another numbering of the same app. */
export function resumeAfter(ring: LogRing, after: Position): RingStart {
  if (!isKnownPosition(ring, after)) return resumeByTime(ring, after);
  const seq = after.seq + 1;
  return { seq, resumed: seq < ring.firstSeq ? 'gap' : 'nothing-lost', ahead: [], gap: null };
}

/**
 * Only time and text tell what the viewer has: it has everything before the oldest line it tells
 * of, and of the time since then exactly the lines it tells of. The rest of that time goes ahead in
 * one piece; what is later goes by number. If the ring begins only after the viewer's newest line,
 * nobody knows what was between.
 */
function resumeByTime(ring: LogRing, after: Position): RingStart {
  const { millis, tail = [] } = after;
  const fromMillis = getOldestMillis(after);
  const untilMillis = Math.max(millis, ...tail.map(([lineMillis]) => lineMillis));
  const chunks = ring.chunks();
  // When every line it tells of bears one instant, it may lack others of that instant; else it had
  // those before.
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

function toChunksBefore(seq: number, lines: readonly LogLine[]): LogChunk[] {
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
