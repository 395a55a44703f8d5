import {
  isContinuation,
  isMarker,
  kindOf,
  type LogChunk,
  levelOfKind,
  nextRowAfter,
  rowsOf,
  startOf,
} from './log-chunk.ts';
import { compilePattern, hidesRows, type LogQuery } from './log-query.ts';

/**
 * What a chunk adds to the view: ranges of rows as pairs [from, to), and the rows that match the
 * pattern.
 */
export interface Filtered {
  readonly kept: number[];
  readonly matches: number[];
}

/**
 * Judges chunks one after the other. What is kept or left out is an *entry*: a first line with all
 * trace lines behind it, whichever of them matches, also when the rest of a trace comes with a
 * later chunk.
 *
 * Markers are always kept: a filtered log has the same gaps.
 */
export class LogFilter {
  readonly #query: LogQuery;
  readonly #pattern: LinePattern | null;
  /** First row of the entry at hand; null before the first row. */
  #entryFrom: number | null = null;
  #entryKept = false;

  /** `query.pattern` must be valid. */
  constructor(query: LogQuery) {
    this.#query = query;
    const compiled = query.pattern === null ? null : compilePattern(query.pattern);
    this.#pattern = compiled !== null && 'regExp' in compiled ? compiled : null;
  }

  /**
   * Judges the rows of a chunk from row number `from` on. Chunks must come in order, each row once.
   */
  judge(chunk: LogChunk, from = chunk.first): Filtered {
    const start = Math.max(0, from - chunk.first);
    const found = this.#pattern === null ? [] : findRows(chunk, this.#pattern, start);
    const isShown = this.#levelTest();
    const matches: number[] = [];
    for (const index of found) if (isShown(kindOf(chunk, index))) matches.push(chunk.first + index);
    if (!hidesRows(this.#query)) return { kept: [chunk.first + start, nextRowAfter(chunk)], matches };

    const byMatch = this.#pattern !== null && this.#query.mode === 'filter';
    const kept: number[] = [];
    const keep = (rangeFrom: number, rangeTo: number) => {
      if (kept.length > 0 && kept[kept.length - 1] === rangeFrom) kept[kept.length - 1] = rangeTo;
      else kept.push(rangeFrom, rangeTo);
    };
    let nextFound = 0;
    for (let index = start; index < rowsOf(chunk); index += 1) {
      const row = chunk.first + index;
      const kind = kindOf(chunk, index);
      const isFound = found[nextFound] === index;
      if (isFound) nextFound += 1;
      if (this.#entryFrom === null || !isContinuation(kind)) {
        this.#entryFrom = row;
        this.#entryKept = false;
      }
      if (this.#entryKept) keep(row, row + 1);
      else if (isMarker(kind) || (isShown(kind) && (!byMatch || isFound))) {
        // A late match brings the entry's earlier lines with it; nothing was kept since, so the
        // order holds.
        keep(this.#entryFrom, row + 1);
        this.#entryKept = !isMarker(kind);
      }
    }
    return { kept, matches };
  }

  #levelTest(): (kind: number) => boolean {
    const levels = this.#query.levels;
    return levels === null ? () => true : (kind) => !isMarker(kind) && levels.includes(levelOfKind(kind));
  }
}

export interface LinePattern {
  readonly regExp: RegExp;
  readonly mayCross: boolean;
}

/**
 * Indexes of the rows that match, ascending, from `start` on. Looks through the whole text at once,
 * which is several times quicker than row by row; only an expression that names line breaks itself
 * is asked of each row alone.
 */
export function findRows(chunk: LogChunk, { regExp, mayCross }: LinePattern, start: number): number[] {
  const { text, ends } = chunk;
  const found: number[] = [];
  if (mayCross) {
    for (let index = start; index < ends.length; index += 1) {
      regExp.lastIndex = 0;
      if (regExp.test(text.slice(startOf(chunk, index), ends[index]))) found.push(index);
    }
    return found;
  }
  let index = start;
  regExp.lastIndex = startOf(chunk, start);
  // `test` leaves behind where the match ends and makes no object for it, which counts with a
  // million matches.
  while (index < ends.length && regExp.test(text)) {
    while ((ends[index] ?? 0) < regExp.lastIndex) index += 1;
    found.push(index);
    regExp.lastIndex = (ends[index] ?? 0) + 1;
    index += 1;
  }
  return found;
}
