import {
  getKind,
  getLevel,
  getNextRow,
  getRowCount,
  getText,
  getTextStart,
  isContinuation,
  isMarker,
  type LogChunk,
} from '../text/log-chunk.ts';
import { hasField } from '../text/log-fields.ts';
import { compilePattern, hidesRows, type LogQuery } from './log-query.ts';

/**
 * The result for one chunk: row ranges as pairs [from, to), and the rows that match the pattern.
 */
export interface FilterResult {
  readonly keptRanges: number[];
  readonly matches: number[];
}

/**
 * Filters chunks one after another. The unit is an *entry*: a first line with all its trace lines,
 * even when the rest of a trace arrives in a later chunk. An entry is kept if any of its lines
 * matches.
 *
 * Markers are always kept, so that a filtered log shows the same gaps.
 */
export class LogFilter {
  readonly #query: LogQuery;
  readonly #pattern: LinePattern | null;
  /** First row of the current entry; null before the first row. */
  #entryFrom: number | null = null;
  #isEntryKept = false;

  /** `query.pattern` must be valid. */
  constructor(query: LogQuery) {
    this.#query = query;
    const compiled = query.pattern === null ? null : compilePattern(query.pattern);
    this.#pattern = compiled !== null && 'regExp' in compiled ? compiled : null;
  }

  /**
   * Filters the rows of a chunk from row number `from` on. Chunks must come in order, each row
   * once.
   */
  filter(chunk: LogChunk, from = chunk.first): FilterResult {
    const start = Math.max(0, from - chunk.first);
    const found = this.#pattern === null ? [] : findRows(chunk, this.#pattern, start);
    const isShown = this.#createRowTest(chunk);
    const matches: number[] = [];
    for (const index of found) if (isShown(index)) matches.push(chunk.first + index);
    if (!hidesRows(this.#query)) return { keptRanges: [chunk.first + start, getNextRow(chunk)], matches };

    const byMatch = this.#pattern !== null && this.#query.mode === 'filter';
    const keptRanges: number[] = [];
    const addRange = (rangeFrom: number, rangeTo: number) => {
      if (keptRanges.length > 0 && keptRanges[keptRanges.length - 1] === rangeFrom)
        keptRanges[keptRanges.length - 1] = rangeTo;
      else keptRanges.push(rangeFrom, rangeTo);
    };
    let nextFound = 0;
    for (let index = start; index < getRowCount(chunk); index += 1) {
      const row = chunk.first + index;
      const kind = getKind(chunk, index);
      const isFound = found[nextFound] === index;
      if (isFound) nextFound += 1;
      if (this.#entryFrom === null || !isContinuation(kind)) {
        this.#entryFrom = row;
        this.#isEntryKept = false;
      }
      if (this.#isEntryKept) addRange(row, row + 1);
      else if (isMarker(kind) || ((!byMatch || isFound) && isShown(index))) {
        // A late match also keeps the entry's earlier lines. Nothing was kept since, so the order
        // is correct.
        addRange(this.#entryFrom, row + 1);
        this.#isEntryKept = !isMarker(kind);
      }
    }
    return { keptRanges, matches };
  }

  /** Returns whether a row has a selected level and the selected field. */
  #createRowTest(chunk: LogChunk): (index: number) => boolean {
    const { levels, field } = this.#query;
    return (index) => {
      const kind = getKind(chunk, index);
      if (levels !== null && (isMarker(kind) || !levels.includes(getLevel(kind)))) return false;
      return field === null || hasField(getText(chunk, index, index + 1), field);
    };
  }
}

export interface LinePattern {
  readonly regExp: RegExp;
  readonly canSpanLines: boolean;
}

/**
 * Returns the indexes of matching rows from `start` on, in ascending order. Searches the whole text
 * at once, which is several times faster than row by row. Only expressions with line breaks are
 * tested per row.
 */
export function findRows(chunk: LogChunk, { regExp, canSpanLines }: LinePattern, start: number): number[] {
  const { text, ends } = chunk;
  const found: number[] = [];
  if (canSpanLines) {
    for (let index = start; index < ends.length; index += 1) {
      regExp.lastIndex = 0;
      if (regExp.test(text.slice(getTextStart(chunk, index), ends[index]))) found.push(index);
    }
    return found;
  }
  let index = start;
  regExp.lastIndex = getTextStart(chunk, start);
  // `test` advances `lastIndex` without allocating a match object, which matters with a million
  // matches.
  while (index < ends.length && regExp.test(text)) {
    while ((ends[index] ?? 0) < regExp.lastIndex) index += 1;
    found.push(index);
    regExp.lastIndex = (ends[index] ?? 0) + 1;
    index += 1;
  }
  return found;
}
