import type { LogLevel } from '@portal/contract/logs';
import {
  buildChunk,
  isContinuation,
  isMarker,
  joinChunks,
  kindOf,
  type LogChunk,
  type LogRow,
  levelOfKind,
  lowerBound,
  maxChunkRows,
  nextRowAfter,
  rowsOf,
} from './log-chunk.ts';

export interface LogCounts {
  /** Log records, markers left out. */
  readonly records: number;
  /** Entries by level: a stack trace counts once, with its first line. */
  readonly entriesByLevel: Readonly<Record<LogLevel, number>>;
}

export interface BufferLimits {
  /**
   * Rows it keeps at least once it is full; it grows a twentieth beyond before it trims back in one
   * step.
   */
  readonly rows: number;
  readonly bytes: number;
}

export const defaultLimits: BufferLimits = { rows: 1_000_000, bytes: 256 * 1024 * 1024 };

/**
 * Chunks below this many rows are joined with what comes next, so that a quiet app costs no more
 * than a busy one.
 */
const smallChunkRows = 256;

/**
 * The last million rows. Oldest first:
 *
 *     dropped … | cleared (undo brings them back) | visible … → next
 *
 * Clear only moves a mark, so it costs nothing and can be undone as long as the rows are kept.
 */
export class LogBuffer {
  #chunks: LogChunk[] = [];
  #next = 0;
  /** Where each clear that was not undone began to show again. */
  #clears: number[] = [];
  #bytes = 0;
  #rows = 0;
  #entryLevel: LogLevel | null = null;
  #visible = noCounts();
  #keptRecords = 0;
  #droppedRecords = 0;
  readonly #limits: BufferLimits;

  constructor(limits: BufferLimits = defaultLimits) {
    this.#limits = limits;
  }

  get chunks(): readonly LogChunk[] {
    return this.#chunks;
  }
  /** Number the next row gets. */
  get next(): number {
    return this.#next;
  }
  /** The oldest row that is kept. */
  get oldest(): number {
    return this.#chunks[0]?.first ?? this.#next;
  }
  /** The oldest row that is kept and not cleared. */
  get visibleFrom(): number {
    return Math.max(this.#clears.at(-1) ?? 0, this.oldest);
  }
  get bytes(): number {
    return this.#bytes;
  }
  get visible(): LogCounts {
    return this.#visible;
  }
  /** Records that are kept but cleared. */
  get clearedRecords(): number {
    return this.#keptRecords - this.#visible.records;
  }
  get droppedRecords(): number {
    return this.#droppedRecords;
  }
  get canUndoClear(): boolean {
    return (this.#clears.at(-1) ?? 0) > this.oldest;
  }

  /**
   * Adds rows at the end and answers them as new chunks, none when there are no rows. Does not
   * trim.
   */
  append(rows: readonly LogRow[]): LogChunk[] {
    const added: LogChunk[] = [];
    for (let from = 0; from < rows.length; from += maxChunkRows) {
      const chunk = buildChunk(this.#next, rows.slice(from, from + maxChunkRows), this.#entryLevel);
      this.push(chunk);
      added.push(chunk);
    }
    return added;
  }

  /** Adds a chunk that was built elsewhere; its rows must follow. */
  push(chunk: LogChunk): void {
    const last = this.#chunks.at(-1);
    // What comes after a clear is not joined with what was before, so that no chunk lies on both
    // sides of the mark.
    if (last !== undefined && rowsOf(last) < smallChunkRows && !this.#clears.includes(this.#next)) {
      const joined = joinChunks(last, chunk);
      this.#chunks[this.#chunks.length - 1] = joined;
      this.#bytes += joined.bytes - last.bytes;
    } else {
      this.#chunks.push(chunk);
      this.#bytes += chunk.bytes;
    }
    this.#rows += rowsOf(chunk);
    this.#next = nextRowAfter(chunk);
    this.#keptRecords += addCounts(chunk, this.#visible, 1);
    const lastKind = kindOf(chunk, rowsOf(chunk) - 1);
    this.#entryLevel = isMarker(lastKind) ? null : levelOfKind(lastKind);
  }

  /**
   * Drops the oldest when a limit is passed; answers whether it did. In large steps: each costs the
   * view a change.
   */
  trim(): boolean {
    const slack = 1.05;
    if (this.#rows <= this.#limits.rows * slack && this.#bytes <= this.#limits.bytes * slack) return false;
    let dropped = 0;
    let chunk = this.#chunks[0];
    while (chunk !== undefined && (this.#rows > this.#limits.rows || this.#bytes > this.#limits.bytes)) {
      this.#forget(chunk);
      dropped += 1;
      chunk = this.#chunks[dropped];
    }
    this.#chunks.splice(0, dropped);
    return dropped > 0;
  }

  /** Forgets the chunks that end before `row`. */
  dropBefore(row: number): void {
    const dropped = lowerBound(this.#chunks.length, (index) => nextAfter(this.#chunks, index) > row);
    for (const chunk of this.#chunks.splice(0, dropped)) this.#forget(chunk);
  }

  /** Hides what is there. */
  clear(): void {
    this.#clears.push(this.#next);
    this.#visible = noCounts();
    this.#entryLevel = null;
  }

  /** Shows again what the last clear hid, as far as it is kept. */
  undoClear(): void {
    this.#clears.pop();
    this.#visible = noCounts();
    for (const chunk of this.#chunks.slice(this.chunkIndexOf(this.visibleFrom))) addCounts(chunk, this.#visible, 1);
  }

  /** The chunk that has a row, or undefined when it was dropped or is not there yet. */
  chunkOf(row: number): LogChunk | undefined {
    const chunk = this.#chunks[this.chunkIndexOf(row)];
    return chunk !== undefined && row >= chunk.first ? chunk : undefined;
  }

  /** Index of the chunk that has a row, or of the first one behind it. */
  chunkIndexOf(row: number): number {
    return lowerBound(this.#chunks.length, (index) => nextAfter(this.#chunks, index) > row);
  }

  #forget(chunk: LogChunk): void {
    this.#bytes -= chunk.bytes;
    this.#rows -= rowsOf(chunk);
    const isVisible = chunk.first >= (this.#clears.at(-1) ?? 0);
    const records = addCounts(chunk, isVisible ? this.#visible : noCounts(), -1);
    this.#keptRecords -= records;
    this.#droppedRecords += records;
  }
}

interface MutableCounts {
  records: number;
  entriesByLevel: Record<LogLevel, number>;
}

function noCounts(): MutableCounts {
  return { records: 0, entriesByLevel: { info: 0, warning: 0, severe: 0, error: 0 } };
}

function nextAfter(chunks: readonly LogChunk[], index: number): number {
  const chunk = chunks[index];
  return chunk === undefined ? Number.POSITIVE_INFINITY : nextRowAfter(chunk);
}

/** Adds (sign 1) or takes away (sign -1) the rows of a chunk; answers how many records it has. */
function addCounts(chunk: LogChunk, counts: MutableCounts, sign: 1 | -1): number {
  let records = 0;
  for (const kind of chunk.kinds) {
    if (isMarker(kind)) continue;
    records += 1;
    if (!isContinuation(kind)) counts.entriesByLevel[levelOfKind(kind)] += sign;
  }
  counts.records += sign * records;
  return records;
}
