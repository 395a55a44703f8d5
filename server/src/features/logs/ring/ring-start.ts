import type { LogGap, LogHello, LogLine } from '@portal/contract/logs';
import { logTailChars } from '@portal/contract/logs';
import { chunkOf, type LogChunk, linesOf, runsOf } from './log-chunk.ts';
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
export function startOfNewcomer(ring: LogRing, most: { lines: number; millis: number }): RingStart {
  const chunks = ring.chunks();
  const oldestMillis = (chunks.at(-1)?.maxMillis ?? 0) - most.millis;
  const oldestSeq = ring.nextSeq - most.lines;
  const first = chunks.find((chunk) => chunk.maxMillis >= oldestMillis && chunk.seq + chunk.count > oldestSeq);
  return { seq: Math.max(first?.seq ?? ring.nextSeq, oldestSeq), resumed: 'new', ahead: [], gap: null };
}

/**
 * Whether the position is one of this ring's own numbers; otherwise only time can tell where it
 * goes on.
 */
export function knowsPosition(ring: LogRing, { stream, seq }: Position): boolean {
  return stream === ring.stream && Number.isInteger(seq) && seq >= 0 && seq < ring.nextSeq;
}

/** The earliest instant of which the viewer may lack lines. */
export function oldestMillisOf({ millis, tail = [] }: Position): number {
  return Math.min(millis, ...tail.map(([lineMillis]) => lineMillis));
}

/** Where somebody goes on who was here, or at another numbering of the same app. */
export function startAfter(ring: LogRing, after: Position): RingStart {
  if (!knowsPosition(ring, after)) return startByTime(ring, after);
  const seq = after.seq + 1;
  return { seq, resumed: seq < ring.firstSeq ? 'gap' : 'nothing-lost', ahead: [], gap: null };
}

/**
 * Only time and text tell what the viewer has: it has everything before the oldest line it tells
 * of, and of the time since then exactly the lines it tells of. The rest of that time goes ahead in
 * one piece; what is later goes by number. If the ring begins only after the viewer's newest line,
 * nobody knows what was between.
 */
function startByTime(ring: LogRing, after: Position): RingStart {
  const { millis, tail = [] } = after;
  const fromMillis = oldestMillisOf(after);
  const untilMillis = Math.max(millis, ...tail.map(([lineMillis]) => lineMillis));
  const chunks = ring.chunks();
  // When every line it tells of bears one instant, it may lack others of that instant; else it had
  // those before.
  const isBefore = (line: LogLine) =>
    tail.length > 0 && fromMillis === untilMillis ? line[0] < fromMillis : line[0] <= fromMillis;
  const told = new Map<string, number>();
  for (const line of tail) told.set(signOf(line), (told.get(signOf(line)) ?? 0) + 1);
  const isTold = (line: LogLine) => {
    const left = told.get(signOf(line)) ?? 0;
    told.set(signOf(line), left - 1);
    return left > 0;
  };

  const settled = chunks.slice(0, chunks.findLastIndex((chunk) => chunk.minMillis <= untilMillis) + 1);
  const lacking = settled
    .filter((chunk) => chunk.maxMillis >= fromMillis)
    .flatMap(linesOf)
    .filter((line) => !isBefore(line) && !isTold(line));
  const newest = settled.at(-1);
  const seq = newest === undefined ? ring.firstSeq : newest.seq + newest.count;
  const ahead = numberedUpTo(seq, lacking);
  if (ring.sinceMillis !== null && untilMillis > ring.sinceMillis)
    return { seq, resumed: 'nothing-lost', ahead, gap: null };
  const toMillis = chunks[0]?.minMillis ?? null;
  return { seq, resumed: 'gap', ahead, gap: { reason: 'restart', lines: null, fromMillis: untilMillis, toMillis } };
}

function numberedUpTo(seq: number, lines: readonly LogLine[]): LogChunk[] {
  const messages = lines.map(([millis, key, value]) => ({ millis, key, value }));
  let next = seq - lines.length;
  return [...runsOf(messages, { lines: 5000, chars: 1_000_000 })].map((run) => {
    const chunk = chunkOf(next, run);
    next += run.length;
    return chunk;
  });
}

function signOf([millis, key, value]: LogLine): string {
  return JSON.stringify([millis, key, value.slice(0, logTailChars)]);
}
