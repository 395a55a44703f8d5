import type { LogLevel } from '@portal/contract/logs';
import {
  buildChunk,
  getKind,
  getLevel,
  getNextRow,
  getRowCount,
  isContinuation,
  isMarker,
  joinChunks,
  type LogChunk,
  type LogRow,
  lowerBound,
  maxChunkRows,
} from '../text/log-chunk.ts';

export interface LogCounts {
  /** Log records, without markers. */
  readonly records: number;
  /** Entries by level. A stack trace counts once, with its first line. */
  readonly entriesByLevel: Readonly<Record<LogLevel, number>>;
}

export interface BufferLimits {
  /** Min rows kept in a full buffer. It grows 5% beyond that before it is trimmed in one step. */
  readonly rows: number;
  readonly bytes: number;
}

const defaultLimits: BufferLimits = { rows: 1_000_000, bytes: 256 * 1024 * 1024 };

/**
 * Chunks with fewer rows are joined with the next one, so that an inactive app costs no more memory
 * than a busy one.
 */
const smallChunkRows = 256;

/**
 * Stores the last million rows. Oldest first:
 *
 *     dropped … | cleared (can be undone) | visible … → next
 *
 * Clear only moves a boundary, so it is cheap and can be undone while the rows are still stored.
 */
export class LogBuffer {
  #chunks: LogChunk[] = [];
  #next = 0;
  /** The first visible row after each clear that was not undone. */
  #clears: number[] = [];
  #bytes = 0;
  #rows = 0;
  #entryLevel: LogLevel | null = null;
  #visible = createCounts();
  #storedRecords = 0;
  #droppedRecords = 0;
  readonly #limits: BufferLimits;

  constructor(limits: BufferLimits = defaultLimits) {
    this.#limits = limits;
  }

  get chunks(): readonly LogChunk[] {
    return this.#chunks;
  }
  /** The number of the next row. */
  get next(): number {
    return this.#next;
  }
  /** The oldest stored row. */
  get oldest(): number {
    return this.#chunks[0]?.first ?? this.#next;
  }
  /** The oldest row that is stored and not cleared. */
  get visibleFrom(): number {
    return Math.max(this.#clears.at(-1) ?? 0, this.oldest);
  }
  get bytes(): number {
    return this.#bytes;
  }
  get visible(): LogCounts {
    return this.#visible;
  }
  /** Stored records that are cleared. */
  get clearedRecords(): number {
    return this.#storedRecords - this.#visible.records;
  }
  get droppedRecords(): number {
    return this.#droppedRecords;
  }
  get canUndoClear(): boolean {
    return (this.#clears.at(-1) ?? 0) > this.oldest;
  }

  /** Appends rows and returns them as new chunks, or none for no rows. Does not trim. */
  append(rows: readonly LogRow[]): LogChunk[] {
    const added: LogChunk[] = [];
    for (let from = 0; from < rows.length; from += maxChunkRows) {
      const chunk = buildChunk(this.#next, rows.slice(from, from + maxChunkRows), this.#entryLevel);
      this.push(chunk);
      added.push(chunk);
    }
    return added;
  }

  /** Appends a chunk that was built elsewhere. Its rows must follow the last one. */
  push(chunk: LogChunk): void {
    const last = this.#chunks.at(-1);
    // Never join chunks across a clear, so that no chunk lies on both sides of the boundary.
    if (last !== undefined && getRowCount(last) < smallChunkRows && !this.#clears.includes(this.#next)) {
      const joined = joinChunks(last, chunk);
      this.#chunks[this.#chunks.length - 1] = joined;
      this.#bytes += joined.bytes - last.bytes;
    } else {
      this.#chunks.push(chunk);
      this.#bytes += chunk.bytes;
    }
    this.#rows += getRowCount(chunk);
    this.#next = getNextRow(chunk);
    this.#storedRecords += addCounts(chunk, this.#visible, 1);
    const lastKind = getKind(chunk, getRowCount(chunk) - 1);
    this.#entryLevel = isMarker(lastKind) ? null : getLevel(lastKind);
  }

  /**
   * Drops the oldest rows when a limit is exceeded, and returns whether it did. Trims in large
   * steps, because each one updates the view.
   */
  trim(limits: BufferLimits = this.#limits): boolean {
    const slack = 1.05;
    if (this.#rows <= limits.rows * slack && this.#bytes <= limits.bytes * slack) return false;
    let dropped = 0;
    let chunk = this.#chunks[0];
    while (chunk !== undefined && (this.#rows > limits.rows || this.#bytes > limits.bytes)) {
      this.#removeCounts(chunk);
      dropped += 1;
      chunk = this.#chunks[dropped];
    }
    this.#chunks.splice(0, dropped);
    return dropped > 0;
  }

  /** Drops the chunks that end before `row`. */
  dropBefore(row: number): void {
    const dropped = lowerBound(this.#chunks.length, (index) => getRowAfter(this.#chunks, index) > row);
    for (const chunk of this.#chunks.splice(0, dropped)) this.#removeCounts(chunk);
  }

  /** Hides all current rows. */
  clear(): void {
    this.#clears.push(this.#next);
    this.#visible = createCounts();
    this.#entryLevel = null;
  }

  /** Shows the rows hidden by the last clear that are still stored. */
  undoClear(): void {
    this.#clears.pop();
    this.#visible = createCounts();
    for (const chunk of this.#chunks.slice(this.findChunkIndex(this.visibleFrom))) addCounts(chunk, this.#visible, 1);
  }

  /** Returns the chunk with this row, or undefined when it was dropped or not added yet. */
  findChunk(row: number): LogChunk | undefined {
    const chunk = this.#chunks[this.findChunkIndex(row)];
    return chunk !== undefined && row >= chunk.first ? chunk : undefined;
  }

  /** Returns the index of the chunk with this row, or of the next chunk. */
  findChunkIndex(row: number): number {
    return lowerBound(this.#chunks.length, (index) => getRowAfter(this.#chunks, index) > row);
  }

  #removeCounts(chunk: LogChunk): void {
    this.#bytes -= chunk.bytes;
    this.#rows -= getRowCount(chunk);
    const isVisible = chunk.first >= (this.#clears.at(-1) ?? 0);
    const records = addCounts(chunk, isVisible ? this.#visible : createCounts(), -1);
    this.#storedRecords -= records;
    this.#droppedRecords += records;
  }
}

interface MutableCounts {
  records: number;
  entriesByLevel: Record<LogLevel, number>;
}

function createCounts(): MutableCounts {
  return { records: 0, entriesByLevel: { trace: 0, debug: 0, info: 0, warning: 0, severe: 0, error: 0 } };
}

function getRowAfter(chunks: readonly LogChunk[], index: number): number {
  const chunk = chunks[index];
  return chunk === undefined ? Number.POSITIVE_INFINITY : getNextRow(chunk);
}

/** Adds (sign 1) or subtracts (sign -1) the rows of a chunk. Returns its number of records. */
function addCounts(chunk: LogChunk, counts: MutableCounts, sign: 1 | -1): number {
  let records = 0;
  for (const kind of chunk.kinds) {
    if (isMarker(kind)) continue;
    records += 1;
    if (!isContinuation(kind)) counts.entriesByLevel[getLevel(kind)] += sign;
  }
  counts.records += sign * records;
  return records;
}
