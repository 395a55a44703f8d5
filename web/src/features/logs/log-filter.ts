import {
  isContinuation,
  isMarker,
  kindOf,
  type LogChunk,
  levelOfKind,
  nextRowAfter,
  rowOfOffset,
  rowsOf,
  startOf,
} from './log-chunk.ts';
import { compilePattern, hidesRows, type LogQuery } from './log-query.ts';

/** What a chunk adds to the view: ranges of rows as pairs [from, to), and the rows that match the pattern. */
export interface Filtered {
  readonly kept: number[];
  readonly matches: number[];
}

/**
 * Judges chunks one after the other. What is kept or left out is an *entry*: a first line with all trace lines behind
 * it, whichever of them matches, also when the rest of a trace comes with a later chunk.
 *
 * Markers are always kept: a filtered log has the same gaps.
 */
export class LogFilter {
  readonly #query: LogQuery;
  readonly #regExp: RegExp | null;
  /** First row of the entry at hand; null before the first row. */
  #entryFrom: number | null = null;
  #entryKept = false;

  /** `query.pattern` must be valid. */
  constructor(query: LogQuery) {
    this.#query = query;
    const compiled = query.pattern === null ? null : compilePattern(query.pattern);
    this.#regExp = compiled !== null && 'regExp' in compiled ? compiled.regExp : null;
  }

  /** Judges the rows of a chunk from row number `from` on. Chunks must come in order, each row once. */
  judge(chunk: LogChunk, from = chunk.first): Filtered {
    const start = Math.max(0, from - chunk.first);
    const found = this.#regExp === null ? [] : findRows(chunk, this.#regExp, start);
    const isShown = this.#levelTest();
    const matches = found.filter((index) => isShown(kindOf(chunk, index))).map((index) => chunk.first + index);
    if (!hidesRows(this.#query)) return { kept: [chunk.first + start, nextRowAfter(chunk)], matches };

    const byMatch = this.#regExp !== null && this.#query.mode === 'filter';
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
        // A late match brings the entry's earlier lines with it; nothing was kept since, so the order holds.
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

/** How many matches over the end of a row are forgiven before rows are looked at one by one. */
const strayLimit = 8;

/**
 * Indexes of the rows that match, ascending. Looks through the whole text at once, which is several times quicker than
 * row by row; but an expression may run over the end of a row there (`\s`, `[^x]`), so such a match is asked again of
 * the row alone, and an expression that keeps doing so is asked row by row.
 */
export function findRows(chunk: LogChunk, regExp: RegExp, start: number): number[] {
  const found: number[] = [];
  let strays = 0;
  let index = start;
  regExp.lastIndex = startOf(chunk, start);
  while (index < rowsOf(chunk)) {
    if (strays > strayLimit) {
      if (matchesAlone(chunk, regExp, index)) found.push(index);
      index += 1;
      continue;
    }
    const match = regExp.exec(chunk.text);
    if (match === null) break;
    const row = rowOfOffset(chunk, match.index);
    const isStray = match.index + match[0].length > (chunk.ends[row] ?? 0);
    if (isStray) strays += 1;
    if (!isStray || matchesAlone(chunk, regExp, row)) found.push(row);
    index = row + 1;
    regExp.lastIndex = (chunk.ends[row] ?? 0) + 1;
  }
  return found;
}

function matchesAlone(chunk: LogChunk, regExp: RegExp, index: number): boolean {
  regExp.lastIndex = 0;
  return regExp.test(chunk.text.slice(startOf(chunk, index), chunk.ends[index]));
}
