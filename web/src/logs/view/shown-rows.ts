import type { LogBuffer } from '../stream/log-buffer.ts';
import { countLinesBefore, findRowOfLine, getKind, isMarker, type LogChunk, lowerBound } from '../text/log-chunk.ts';

/** The content of one line of the view. */
export interface ShownLine {
  readonly chunk: LogChunk;
  /** The index of the row in the chunk. */
  readonly index: number;
  /** 0 for the first line of the row. */
  readonly lineOfRow: number;
}

/**
 * Maps rows to the lines of the view (from 0). Stores ranges of consecutive rows of one chunk in
 * the order they were added.
 */
export class ShownRows {
  #from: number[] = [];
  #to: number[] = [];
  /** The first line of each range, counted from the first line ever added. */
  #line: number[] = [];
  #rangeRecords: number[] = [];
  #records = 0;
  #removedLines = 0;
  #addedLines = 0;
  readonly #buffer: LogBuffer;

  constructor(buffer: LogBuffer) {
    this.#buffer = buffer;
  }

  get lines(): number {
    return this.#addedLines - this.#removedLines;
  }

  /** Log records among the shown rows. */
  get records(): number {
    return this.#records;
  }

  /** Appends the rows `from` to `to` (indexes) of a chunk. */
  push(chunk: LogChunk, from: number, to: number): void {
    this.#from.push(chunk.first + from);
    this.#to.push(chunk.first + to);
    this.#line.push(this.#addedLines);
    this.#addedLines += countLinesBefore(chunk, to) - countLinesBefore(chunk, from);
    let records = 0;
    for (let index = from; index < to; index += 1) if (!isMarker(getKind(chunk, index))) records += 1;
    this.#rangeRecords.push(records);
    this.#records += records;
  }

  /** Removes the ranges before a row. Returns their number of lines. */
  removeBefore(row: number): number {
    const removed = lowerBound(this.#to.length, (index) => (this.#to[index] ?? 0) > row);
    const line = this.#line[removed] ?? this.#addedLines;
    const count = line - this.#removedLines;
    for (const records of this.#rangeRecords.slice(0, removed)) this.#records -= records;
    this.#rangeRecords = this.#rangeRecords.slice(removed);
    this.#from = this.#from.slice(removed);
    this.#to = this.#to.slice(removed);
    this.#line = this.#line.slice(removed);
    this.#removedLines = line;
    return count;
  }

  /** Returns the content of a line, or null when its rows were dropped. */
  getLine(line: number): ShownLine | null {
    if (line < 0 || line >= this.lines) return null;
    const at = line + this.#removedLines;
    const range = lowerBound(this.#line.length, (index) => (this.#line[index] ?? 0) > at) - 1;
    const from = this.#from[range];
    const start = this.#line[range];
    const chunk = from === undefined ? undefined : this.#buffer.findChunk(from);
    if (chunk === undefined || from === undefined || start === undefined) return null;
    const chunkLine = countLinesBefore(chunk, from - chunk.first) + at - start;
    const index = findRowOfLine(chunk, chunkLine);
    return { chunk, index, lineOfRow: chunkLine - countLinesBefore(chunk, index) };
  }

  /** Returns the contents of all lines from a line on. Faster than reading line by line. */
  *linesFrom(line: number): Generator<ShownLine> {
    const first = this.getLine(line);
    if (first === null) return;
    let range = lowerBound(this.#to.length, (index) => (this.#to[index] ?? 0) > first.chunk.first + first.index);
    let { index, lineOfRow } = first;
    let chunk: LogChunk | undefined = first.chunk;
    while (chunk !== undefined) {
      const end = (this.#to[range] ?? 0) - chunk.first;
      for (; index < end; index += 1) {
        const lines = countLinesBefore(chunk, index + 1) - countLinesBefore(chunk, index);
        for (; lineOfRow < lines; lineOfRow += 1) yield { chunk, index, lineOfRow };
        lineOfRow = 0;
      }
      range += 1;
      const from = this.#from[range];
      chunk = from === undefined ? undefined : this.#buffer.findChunk(from);
      index = (from ?? 0) - (chunk?.first ?? 0);
    }
  }

  /**
   * Returns the first line of a row, or of the next shown row if it is hidden; null when there is
   * none.
   */
  findLine(row: number): number | null {
    const range = lowerBound(this.#to.length, (index) => (this.#to[index] ?? 0) > row);
    const from = this.#from[range];
    const start = this.#line[range];
    const chunk = from === undefined ? undefined : this.#buffer.findChunk(from);
    if (chunk === undefined || from === undefined || start === undefined) return null;
    const rowsIn = Math.max(row, from) - chunk.first;
    return start - this.#removedLines + countLinesBefore(chunk, rowsIn) - countLinesBefore(chunk, from - chunk.first);
  }
}
