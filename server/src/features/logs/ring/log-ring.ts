import { randomUUID } from 'node:crypto';
import type { LogGap } from '@portal/contract/logs';
import { createChunk, type LogChunk, type LogRecord, sliceChunk, splitRuns } from './log-chunk.ts';

export interface RingLimits {
  readonly lines: number;
  /** Asked at each append, because rings share one budget. */
  readonly bytes: () => number;
  readonly chunk: { readonly lines: number; readonly chars: number };
}

/** What stands at a position: lines to send as they are, or a hole; and the number behind it. */
export type LogPiece =
  | { readonly chunk: LogChunk; readonly nextSeq: number }
  | { readonly gap: LogGap; readonly nextSeq: number };

/** What a chunk's objects cost beside its bytes. */
const chunkOverheadBytes = 600;
/** Platform gaps remembered beyond the lines around them. */
const maxMarks = 100;

/**
 * The last lines of one app, numbered without holes. It is every viewer's queue: a viewer is a
 * position in it, so a slow one costs nothing, and finds, when the ring has moved past it, exactly
 * how many lines it lost.
 *
 *     … 41 42 43 | 44 45 | 46 | 47 48 49 | 50 = nextSeq
 *       trimmed    chunk  mark   chunk
 *
 * A mark is a hole in what the platform sent; it takes a number of its own, so that a viewer that
 * resumes behind it is not told twice.
 */
export class LogRing {
  /** Names this numbering; another process, or another life of the stream, has another. */
  readonly stream: string = randomUUID();
  readonly #limits: RingLimits;
  #chunks: LogChunk[] = [];
  #fresh: LogChunk[] = [];
  /** Chunks before this index are trimmed; they leave the array in large steps. */
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

  /** The number the next line will have. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** The number of the oldest line still here, or `nextSeq`. */
  get firstSeq(): number {
    return this.#chunks[this.#head]?.seq ?? this.#nextSeq;
  }

  get lines(): number {
    return this.#lines;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Every line later than this instant is here, but for marks; null while nothing is known. */
  get sinceMillis(): number | null {
    return this.#sinceMillis;
  }

  /** The chunks still here, oldest first. */
  chunks(): readonly LogChunk[] {
    return this.#chunks.slice(this.#head);
  }

  /** Says that everything since that instant is here, as after a fill at the start. */
  markCompleteSince(millis: number): void {
    const earliest = Math.min(millis, this.#sinceMillis ?? millis);
    this.#sinceMillis = Math.max(earliest, this.#trimmedMillis);
  }

  append(records: readonly LogRecord[], filled = false): void {
    let mark = filled ? records.length : 0;
    for (const lines of splitRuns(records, this.#limits.chunk)) {
      this.#push(createChunk(this.#nextSeq, lines, mark));
      mark = 0;
    }
    this.#trim();
  }

  /**
   * Lets go of new lines but for their frames; to be called when those who wait for them have had
   * them.
   */
  releaseLines(): void {
    for (const chunk of this.#fresh) chunk.lines = null;
    this.#fresh = [];
  }

  /** Marks that the platform's lines of some time are not known. */
  appendGap(gap: LogGap): void {
    this.#marks.push({ seq: this.#nextSeq, gap });
    if (this.#marks.length > maxMarks) this.#marks.shift();
    this.#nextSeq += 1;
  }

  /**
   * What stands at `seq`, or null at the end. `trimmed` is the reason to give when the ring has
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

  #push(chunk: LogChunk): void {
    this.#chunks.push(chunk);
    this.#fresh.push(chunk);
    this.#nextSeq = chunk.seq + chunk.count;
    this.#lines += chunk.count;
    this.#bytes += chunk.frame.length + chunkOverheadBytes;
    this.#sinceMillis ??= chunk.minMillis;
  }

  /** Whole chunks leave, the newest never. */
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

  /** The chunk that holds `seq`, or the first one behind it. */
  #findChunk(seq: number): LogChunk | undefined {
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
