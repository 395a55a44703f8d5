import { getLogLevel, type LogLevel } from '@portal/contract/logs';
import { type AnsiCode, parseAnsi, restoreAnsi } from './ansi.ts';
import { continuesEntry, getErrorPrefix, logLevels, withPlainBreaks } from './log-format.ts';

/** A row in the view that is not a record: a gap, or a note such as a closed connection. */
export type MarkerKind = 'gap' | 'note';

export type LogRow =
  | { readonly millis: number; readonly key: string; readonly value: string }
  | { readonly millis: number; readonly marker: MarkerKind; readonly value: string };

/**
 * Several hundred rows as one string and a few typed arrays. A million rows then take little more
 * memory than their characters, a search scans few long strings, and posting to a worker is a
 * memory copy. Immutable. A *row* is a record or a marker and may have several text lines.
 */
export interface LogChunk {
  /** The number of the first row, counted from 0 since the page was opened. */
  readonly first: number;
  /** All text lines joined by \n, without a trailing \n and without escape sequences. */
  readonly text: string;
  /** Per row: the end of its text in `text`. */
  readonly ends: Uint32Array;
  /** Per row: text lines of the chunk up to and including this row. */
  readonly lines: Uint32Array;
  readonly millis: Float64Array;
  /** The escape sequences, by their position in `text`. */
  readonly codes: readonly AnsiCode[];
  /** Per row: the level of its entry (bits 0–2) and the flags below. */
  readonly kinds: Uint8Array;
  readonly keys: readonly string[];
  /** Per row: the index of its key in `keys`. */
  readonly keyIndexes: Uint16Array;
  /** The approximate memory use in bytes. */
  readonly bytes: number;
}

const levelBits = 0b111;
/** The row continues the one before it. */
const continuationBit = 0b1000;
export const gapBit = 0b1_0000;
const noteBit = 0b10_0000;
const markerBits = gapBit | noteBit;
/** The text starts with the key, which was added here. */
const namedBit = 0b100_0000;

/** Max rows of one chunk, limited by the width of `keyIndexes`. */
export const maxChunkRows = 32_768;

/**
 * Builds a chunk of up to `maxChunkRows` rows. `entryLevel` is the level of the entry that a trace
 * line at the start would continue, or null.
 */
export function buildChunk(first: number, rows: readonly LogRow[], entryLevel: LogLevel | null): LogChunk {
  const texts: string[] = new Array(rows.length);
  const ends = new Uint32Array(rows.length);
  const lines = new Uint32Array(rows.length);
  const millis = new Float64Array(rows.length);
  const kinds = new Uint8Array(rows.length);
  const keyIndexes = new Uint16Array(rows.length);
  const indexByKey = new Map<string, number>();
  const codes: AnsiCode[] = [];
  let level = entryLevel;
  let end = -1;
  let lineCount = 0;
  for (const [index, row] of rows.entries()) {
    const plain = parseAnsi(withPlainBreaks(row.value));
    let text = plain.codes.length === 0 ? plain.text : withPlainBreaks(plain.text);
    let kind = 0;
    let prefixLength = 0;
    if ('marker' in row) {
      kind = row.marker === 'gap' ? gapBit : noteBit;
      level = null;
    } else if (continuesEntry(row.key, text, level)) {
      kind = continuationBit | logLevels.indexOf(level ?? 'info');
    } else {
      level = getLogLevel(row.key);
      kind = logLevels.indexOf(level);
      const prefix = getErrorPrefix(row.key, text);
      if (prefix !== '') {
        kind |= namedBit;
        text = prefix + text;
        prefixLength = prefix.length;
      }
    }
    const key = 'marker' in row ? '' : row.key;
    const keyIndex = indexByKey.get(key) ?? indexByKey.size;
    indexByKey.set(key, keyIndex);
    texts[index] = text;
    for (const { at, code } of plain.codes) {
      codes.push({ at: end + 1 + prefixLength + Math.min(at, text.length - prefixLength), code });
    }
    end += text.length + 1;
    lineCount += countLines(text);
    ends[index] = end;
    lines[index] = lineCount;
    millis[index] = row.millis;
    kinds[index] = kind;
    keyIndexes[index] = keyIndex;
  }
  return withByteSize({
    first,
    text: texts.join('\n'),
    ends,
    lines,
    millis,
    codes,
    kinds,
    keys: [...indexByKey.keys()],
    keyIndexes,
  });
}

/** Joins two chunks; `right` follows `left`. */
export function joinChunks(left: LogChunk, right: LogChunk): LogChunk {
  const keys = [...left.keys];
  const keyIndexMap = right.keys.map((key) => {
    const existing = keys.indexOf(key);
    return existing >= 0 ? existing : keys.push(key) - 1;
  });
  const textOffset = left.text.length + 1;
  const lineOffset = getLineCount(left);
  return withByteSize({
    first: left.first,
    text: `${left.text}\n${right.text}`,
    ends: concatUint32(
      left.ends,
      right.ends.map((end) => end + textOffset),
    ),
    lines: concatUint32(
      left.lines,
      right.lines.map((line) => line + lineOffset),
    ),
    codes: [...left.codes, ...right.codes.map(({ at, code }) => ({ at: at + textOffset, code }))],
    millis: concat(new Float64Array(left.millis.length + right.millis.length), left.millis, right.millis),
    kinds: concat(new Uint8Array(left.kinds.length + right.kinds.length), left.kinds, right.kinds),
    keys,
    keyIndexes: concat(
      new Uint16Array(left.keyIndexes.length + right.keyIndexes.length),
      left.keyIndexes,
      right.keyIndexes.map((key) => keyIndexMap[key] ?? 0),
    ),
  });
}

function concat<A extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(into: A, left: A, right: A): A {
  into.set(left);
  into.set(right, left.length);
  return into;
}

function concatUint32(left: Uint32Array, right: Uint32Array): Uint32Array {
  return concat(new Uint32Array(left.length + right.length), left, right);
}

function withByteSize(chunk: Omit<LogChunk, 'bytes'>): LogChunk {
  // One character beyond Latin-1 makes the engine store the whole string with two bytes per
  // character.
  const wide = /[\u0100-\uffff]/.test(chunk.text);
  return { ...chunk, bytes: chunk.text.length * (wide ? 2 : 1) + chunk.kinds.length * 19 + chunk.codes.length * 48 };
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Rows are addressed by their index in the chunk, from 0. */
export const getRowCount = (chunk: LogChunk): number => chunk.kinds.length;
export const getNextRow = (chunk: LogChunk): number => chunk.first + chunk.kinds.length;
export const getLineCount = (chunk: LogChunk): number => chunk.lines.at(-1) ?? 0;

export const getKind = (chunk: LogChunk, index: number): number => chunk.kinds[index] ?? 0;
export const isMarker = (kind: number): boolean => (kind & markerBits) !== 0;
export const isContinuation = (kind: number): boolean => (kind & continuationBit) !== 0;
export const getLevel = (kind: number): LogLevel => logLevels[kind & levelBits] ?? 'info';

/** Returns where the text of a row starts. */
export const getTextStart = (chunk: LogChunk, index: number): number =>
  index === 0 ? 0 : (chunk.ends[index - 1] ?? 0) + 1;
/** Returns the number of text lines before a row; all lines for the index after the last row. */
export const countLinesBefore = (chunk: LogChunk, index: number): number =>
  index === 0 ? 0 : (chunk.lines[index - 1] ?? 0);
export const getRowKey = (chunk: LogChunk, index: number): string => chunk.keys[chunk.keyIndexes[index] ?? 0] ?? '';
export const getRowMillis = (chunk: LogChunk, index: number): number => chunk.millis[index] ?? 0;

/** Returns the text of the rows from `from` up to `to`, joined by \n. */
export function getText(chunk: LogChunk, from: number, to: number): string {
  return from >= to ? '' : chunk.text.slice(getTextStart(chunk, from), chunk.ends[to - 1]);
}

/** Returns the value as the platform sent it, except for line breaks. */
export function getRowValue(chunk: LogChunk, index: number): string {
  const text = restoreAnsi({ text: getText(chunk, index, index + 1), codes: getRowCodes(chunk, index) });
  return (getKind(chunk, index) & namedBit) === 0 ? text : text.slice(getRowKey(chunk, index).length + 2);
}

/** Returns the escape sequences of a row, by their position in its text. */
export function getRowCodes(chunk: LogChunk, index: number): AnsiCode[] {
  const start = getTextStart(chunk, index);
  const end = chunk.ends[index] ?? 0;
  const codes: AnsiCode[] = [];
  for (let next = lowerBound(chunk.codes.length, (each) => (chunk.codes[each]?.at ?? 0) >= start); ; next += 1) {
    const code = chunk.codes[next];
    if (code === undefined || code.at > end) return codes;
    codes.push({ at: code.at - start, code: code.code });
  }
}

/** Returns one text line of a row (from 0), and where it starts in the row's text. */
export function getRowLine(chunk: LogChunk, index: number, line: number): { start: number; text: string } {
  const start = getTextStart(chunk, index);
  const end = chunk.ends[index] ?? 0;
  let from = start;
  for (let skipped = 0; skipped < line; skipped += 1) from = chunk.text.indexOf('\n', from) + 1;
  const lineBreak = chunk.text.indexOf('\n', from);
  return { start: from - start, text: chunk.text.slice(from, lineBreak < 0 || lineBreak > end ? end : lineBreak) };
}

/** Returns the row that contains text line `line` of the chunk (from 0). */
export function findRowOfLine(chunk: LogChunk, line: number): number {
  return lowerBound(getRowCount(chunk), (index) => (chunk.lines[index] ?? 0) > line);
}

/**
 * Returns the first number in 0..count for which `isInUpperPart` is true. It must be true for all
 * later numbers.
 */
export function lowerBound(count: number, isInUpperPart: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isInUpperPart(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
