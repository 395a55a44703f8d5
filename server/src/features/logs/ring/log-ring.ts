import { randomUUID } from 'node:crypto';
import type { LogGap } from '@portal/contract/logs';
import { createChunk, type ReceivedLine, type RingChunk, sliceChunk, splitRuns } from './ring-chunk.ts';

export interface RingLimits {
  readonly lines: number;
  /** Called on each append, because all rings share one memory budget. */
  readonly bytes: () => number;
  readonly chunk: { readonly lines: number; readonly chars: number };
}

/** The content at a position: a chunk to send or a gap, and the sequence number after it. */
export type LogPiece =
  | { readonly chunk: RingChunk; readonly nextSeq: number }
  | { readonly gap: LogGap; readonly nextSeq: number };

/** Memory of a chunk's objects in addition to its bytes. */
const chunkOverheadBytes = 600;
/** Maximum number of platform gaps kept. */
const maxMarks = 100;

/**
 * Stores the last lines of one app, numbered without gaps. It is the queue of every viewer: a
 * viewer is a position in it, so a slow one costs nothing. When the ring has moved past a viewer,
 * the viewer learns exactly how many lines it lost.
 *
 *     … 41 42 43 | 44 45 | 46 | 47 48 49 | 50 = nextSeq
 *       trimmed    chunk  mark   chunk
 *
 * A mark is a gap in what the platform sent. It has its own sequence number, so that a viewer that
 * resumes after it does not receive it twice.
 */
export class LogRing {
  /** Identifies this numbering; another process or a re-created stream has a different one. */
  readonly stream: string = randomUUID();
  readonly #limits: RingLimits;
  #chunks: RingChunk[] = [];
  #fresh: RingChunk[] = [];
  /** Chunks before this index are trimmed; they are removed from the array in large steps. */
  #head = 0;
  #marks: { readonly seq: number; readonly gap: LogGap }[] = [];
  #nextSeq = 1;
  #lines = 0;
  #bytes = 0;
  #sinceMillis: number | null = null;
  #trimmedMillis = Number.NEGATIVE_INFINITY;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  /** Sequence number of the next line. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Sequence number of the oldest stored line, or `nextSeq`. */
  get firstSeq(): number {
    return this.#chunks[this.#head]?.seq ?? this.#nextSeq;
  }

  get lines(): number {
    return this.#lines;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** All lines after this instant are stored, except for marks; null while unknown. */
  get sinceMillis(): number | null {
    return this.#sinceMillis;
  }

  /** Returns the stored chunks, oldest first. */
  chunks(): readonly RingChunk[] {
    return this.#chunks.slice(this.#head);
  }

  /** Records that all lines since that instant are stored, as after the first fill. */
  markCompleteSince(millis: number): void {
    const earliest = Math.min(millis, this.#sinceMillis ?? millis);
    this.#sinceMillis = Math.max(earliest, this.#trimmedMillis);
  }

  append(records: readonly ReceivedLine[], filled = false): void {
    let mark = filled ? records.length : 0;
    for (const lines of splitRuns(records, this.#limits.chunk)) {
      this.#push(createChunk(this.#nextSeq, lines, mark));
      mark = 0;
    }
    this.#trim();
  }

  /**
   * Releases the new lines and keeps only their frames. Call it after the waiting viewers have read
   * them.
   */
  releaseLines(): void {
    for (const chunk of this.#fresh) chunk.lines = null;
    this.#fresh = [];
  }

  /** Adds a mark for lines that the platform did not deliver. */
  appendGap(gap: LogGap): void {
    this.#marks.push({ seq: this.#nextSeq, gap });
    if (this.#marks.length > maxMarks) this.#marks.shift();
    this.#nextSeq += 1;
  }

  /**
   * Returns the content at `seq`, or null at the end. `trimmed` is the gap reason if the ring has
   * moved past it.
   */
  read(seq: number, trimmed: 'ring' | 'slow-viewer'): LogPiece | null {
    if (seq >= this.#nextSeq) return null;
    const mark = this.#findMark(seq);
    if (mark?.seq === seq) return { gap: mark.gap, nextSeq: seq + 1 };
    const chunk = this.#findChunk(seq);
    if (chunk !== undefined && chunk.seq <= seq) {
      return { chunk: sliceChunk(chunk, seq), nextSeq: chunk.seq + chunk.count };
    }
    const nextSeq = Math.min(mark?.seq ?? this.#nextSeq, chunk?.seq ?? this.#nextSeq);
    const gap: LogGap = {
      reason: trimmed,
      lines: nextSeq - seq,
      fromMillis: null,
      toMillis: chunk?.minMillis ?? null,
    };
    return { gap, nextSeq };
  }

  #push(chunk: RingChunk): void {
    this.#chunks.push(chunk);
    this.#fresh.push(chunk);
    this.#nextSeq = chunk.seq + chunk.count;
    this.#lines += chunk.count;
    this.#bytes += chunk.frame.length + chunkOverheadBytes;
    this.#sinceMillis ??= chunk.minMillis;
  }

  /** Removes whole chunks, but never the newest. */
  #trim(): void {
    const maxBytes = this.#limits.bytes();
    while (this.#lines > this.#limits.lines || this.#bytes > maxBytes) {
      const oldest = this.#chunks[this.#head];
      if (oldest === undefined || this.#head === this.#chunks.length - 1) break;
      this.#head += 1;
      this.#lines -= oldest.count;
      this.#bytes -= oldest.frame.length + chunkOverheadBytes;
      this.#trimmedMillis = Math.max(this.#trimmedMillis, oldest.maxMillis);
      this.#sinceMillis = Math.max(this.#sinceMillis ?? this.#trimmedMillis, this.#trimmedMillis);
    }
    if (this.#head > 64 && this.#head * 2 > this.#chunks.length) {
      this.#chunks = this.#chunks.slice(this.#head);
      this.#head = 0;
    }
  }

  #findMark(seq: number): { readonly seq: number; readonly gap: LogGap } | undefined {
    const newest = this.#marks.at(-1);
    return newest === undefined || newest.seq < seq ? undefined : this.#marks.find((mark) => mark.seq >= seq);
  }

  /** Returns the chunk that contains `seq`, or the first one after it. */
  #findChunk(seq: number): RingChunk | undefined {
    let low = this.#head;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const chunk = this.#chunks[middle];
      if (chunk !== undefined && chunk.seq + chunk.count <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#chunks[low];
  }
}
