import type { LogBuffer } from './log-buffer.ts';
import { isMarker, kindOf, type LogChunk, linesBefore, lowerBound, rowOfLine } from './log-chunk.ts';

/** What stands in one line of the view. */
export interface ShownLine {
  readonly chunk: LogChunk;
  /** Index of the row in the chunk. */
  readonly index: number;
  /** 0 for the first line of the row. */
  readonly lineOfRow: number;
}

/**
 * Which rows the view shows, and in which of its lines (from 0). A list of stretches: rows that
 * follow each other, of one chunk, as they were added.
 */
export class ShownRows {
  #from: number[] = [];
  #to: number[] = [];
  /** First line of each stretch, counted from the first line ever added. */
  #line: number[] = [];
  #recordsOf: number[] = [];
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

  /** Log records among the rows shown. */
  get records(): number {
    return this.#records;
  }

  /** Adds the rows `from` to `to` (indexes) of a chunk at the end. */
  push(chunk: LogChunk, from: number, to: number): void {
    this.#from.push(chunk.first + from);
    this.#to.push(chunk.first + to);
    this.#line.push(this.#addedLines);
    this.#addedLines += linesBefore(chunk, to) - linesBefore(chunk, from);
    let records = 0;
    for (let index = from; index < to; index += 1) if (!isMarker(kindOf(chunk, index))) records += 1;
    this.#recordsOf.push(records);
    this.#records += records;
  }

  /** Forgets the stretches that lie before a row; answers how many lines they had. */
  removeBefore(row: number): number {
    const removed = lowerBound(this.#to.length, (index) => (this.#to[index] ?? 0) > row);
    const line = this.#line[removed] ?? this.#addedLines;
    const count = line - this.#removedLines;
    for (const records of this.#recordsOf.slice(0, removed)) this.#records -= records;
    this.#recordsOf = this.#recordsOf.slice(removed);
    this.#from = this.#from.slice(removed);
    this.#to = this.#to.slice(removed);
    this.#line = this.#line.slice(removed);
    this.#removedLines = line;
    return count;
  }

  /** What stands in a line, or null when its rows are no longer kept. */
  lineAt(line: number): ShownLine | null {
    if (line < 0 || line >= this.lines) return null;
    const at = line + this.#removedLines;
    const stretch = lowerBound(this.#line.length, (index) => (this.#line[index] ?? 0) > at) - 1;
    const from = this.#from[stretch];
    const start = this.#line[stretch];
    const chunk = from === undefined ? undefined : this.#buffer.chunkOf(from);
    if (chunk === undefined || from === undefined || start === undefined) return null;
    const lineOfChunk = linesBefore(chunk, from - chunk.first) + at - start;
    const index = rowOfLine(chunk, lineOfChunk);
    return { chunk, index, lineOfRow: lineOfChunk - linesBefore(chunk, index) };
  }

  /** What stands in each line from a line on: quicker than asking line by line. */
  *linesFrom(line: number): Generator<ShownLine> {
    const first = this.lineAt(line);
    if (first === null) return;
    let stretch = lowerBound(this.#to.length, (index) => (this.#to[index] ?? 0) > first.chunk.first + first.index);
    let { index, lineOfRow } = first;
    let chunk: LogChunk | undefined = first.chunk;
    while (chunk !== undefined) {
      const end = (this.#to[stretch] ?? 0) - chunk.first;
      for (; index < end; index += 1) {
        const lines = linesBefore(chunk, index + 1) - linesBefore(chunk, index);
        for (; lineOfRow < lines; lineOfRow += 1) yield { chunk, index, lineOfRow };
        lineOfRow = 0;
      }
      stretch += 1;
      const from = this.#from[stretch];
      chunk = from === undefined ? undefined : this.#buffer.chunkOf(from);
      index = (from ?? 0) - (chunk?.first ?? 0);
    }
  }

  /** The first line of a row; of the next one shown when it is not; null when there is none. */
  lineOf(row: number): number | null {
    const stretch = lowerBound(this.#to.length, (index) => (this.#to[index] ?? 0) > row);
    const from = this.#from[stretch];
    const start = this.#line[stretch];
    const chunk = from === undefined ? undefined : this.#buffer.chunkOf(from);
    if (chunk === undefined || from === undefined || start === undefined) return null;
    const rowsIn = Math.max(row, from) - chunk.first;
    return start - this.#removedLines + linesBefore(chunk, rowsIn) - linesBefore(chunk, from - chunk.first);
  }
}
