import { getLogLevel, type LogLevel } from '@portal/contract/logs';
import { continuesEntry, errorNameOf, logLevels, withPlainBreaks } from './log-format.ts';

/** What stands in the view beside records: a gap, a note, the end of a connection. */
export type MarkerKind = 'gap' | 'note';

export type LogRow =
  | { readonly millis: number; readonly key: string; readonly value: string }
  | { readonly millis: number; readonly marker: MarkerKind; readonly value: string };

/**
 * Some hundreds of rows as one string and a few typed arrays: a million rows cost little more than
 * their characters, searching runs over few long strings, and posting to a worker is a memory copy.
 * Never changed once built. A *row* is a record or a marker; it may have several text lines.
 */
export interface LogChunk {
  /** Number of the first row, counted from 0 since the page was opened. */
  readonly first: number;
  /** All text lines joined by \n, no \n at the end. */
  readonly text: string;
  /** Per row: where its text ends in `text`. */
  readonly ends: Uint32Array;
  /** Per row: text lines of the chunk up to and including it. */
  readonly lines: Uint32Array;
  readonly millis: Float64Array;
  /** Per row: level of its entry (bits 0–1) and the flags below. */
  readonly kinds: Uint8Array;
  readonly keys: readonly string[];
  /** Per row: its key in `keys`. */
  readonly keyOf: Uint16Array;
  /** Bytes it takes, as far as one can know. */
  readonly bytes: number;
}

const levelBits = 0b11;
/** Belongs to the row before it. */
const continuationBit = 0b100;
export const gapBit = 0b1000;
const noteBit = 0b1_0000;
const markerBits = gapBit | noteBit;
/** The text begins with the key, put there by us. */
const namedBit = 0b10_0000;

/** Most rows of one chunk, bounded by the width of `keyOf`. */
export const maxChunkRows = 32_768;

/**
 * Builds a chunk of at most `maxChunkRows` rows. `entryLevel` is the level of the entry a trace
 * line at its beginning would continue, null for none.
 */
export function buildChunk(first: number, rows: readonly LogRow[], entryLevel: LogLevel | null): LogChunk {
  const texts: string[] = new Array(rows.length);
  const ends = new Uint32Array(rows.length);
  const lines = new Uint32Array(rows.length);
  const millis = new Float64Array(rows.length);
  const kinds = new Uint8Array(rows.length);
  const keyOf = new Uint16Array(rows.length);
  const numberByKey = new Map<string, number>();
  let level = entryLevel;
  let end = -1;
  let lineCount = 0;
  for (const [index, row] of rows.entries()) {
    let text = withPlainBreaks(row.value);
    let kind = 0;
    if ('marker' in row) {
      kind = row.marker === 'gap' ? gapBit : noteBit;
      level = null;
    } else if (continuesEntry(row.key, text, level)) {
      kind = continuationBit | logLevels.indexOf(level ?? 'info');
    } else {
      level = getLogLevel(row.key);
      kind = logLevels.indexOf(level);
      const name = errorNameOf(row.key, text);
      if (name !== '') {
        kind |= namedBit;
        text = name + text;
      }
    }
    const key = 'marker' in row ? '' : row.key;
    const keyNumber = numberByKey.get(key) ?? numberByKey.size;
    numberByKey.set(key, keyNumber);
    texts[index] = text;
    end += text.length + 1;
    lineCount += countLines(text);
    ends[index] = end;
    lines[index] = lineCount;
    millis[index] = row.millis;
    kinds[index] = kind;
    keyOf[index] = keyNumber;
  }
  return weighed({ first, text: texts.join('\n'), ends, lines, millis, kinds, keys: [...numberByKey.keys()], keyOf });
}

/** The two as one; `right` follows `left`. */
export function joinChunks(left: LogChunk, right: LogChunk): LogChunk {
  const keys = [...left.keys];
  const renumbered = right.keys.map((key) => {
    const known = keys.indexOf(key);
    return known >= 0 ? known : keys.push(key) - 1;
  });
  const textOffset = left.text.length + 1;
  const lineOffset = linesOf(left);
  return weighed({
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
    millis: concat(new Float64Array(left.millis.length + right.millis.length), left.millis, right.millis),
    kinds: concat(new Uint8Array(left.kinds.length + right.kinds.length), left.kinds, right.kinds),
    keys,
    keyOf: concat(
      new Uint16Array(left.keyOf.length + right.keyOf.length),
      left.keyOf,
      right.keyOf.map((key) => renumbered[key] ?? 0),
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

function weighed(chunk: Omit<LogChunk, 'bytes'>): LogChunk {
  // One character beyond Latin-1 makes the engine store the whole string with two bytes a
  // character.
  const wide = /[\u0100-\uffff]/.test(chunk.text);
  return { ...chunk, bytes: chunk.text.length * (wide ? 2 : 1) + chunk.kinds.length * 19 };
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Rows of a chunk are addressed by their index in it, from 0. */
export const rowsOf = (chunk: LogChunk): number => chunk.kinds.length;
export const nextRowAfter = (chunk: LogChunk): number => chunk.first + chunk.kinds.length;
export const linesOf = (chunk: LogChunk): number => chunk.lines.at(-1) ?? 0;

export const kindOf = (chunk: LogChunk, index: number): number => chunk.kinds[index] ?? 0;
export const isMarker = (kind: number): boolean => (kind & markerBits) !== 0;
export const isContinuation = (kind: number): boolean => (kind & continuationBit) !== 0;
export const levelOfKind = (kind: number): LogLevel => logLevels[kind & levelBits] ?? 'info';

/** Where the text of a row begins. */
export const startOf = (chunk: LogChunk, index: number): number => (index === 0 ? 0 : (chunk.ends[index - 1] ?? 0) + 1);
/** Text lines of the chunk before a row; for the index behind the last, all of them. */
export const linesBefore = (chunk: LogChunk, index: number): number =>
  index === 0 ? 0 : (chunk.lines[index - 1] ?? 0);
export const keyOfRow = (chunk: LogChunk, index: number): string => chunk.keys[chunk.keyOf[index] ?? 0] ?? '';
export const millisOfRow = (chunk: LogChunk, index: number): number => chunk.millis[index] ?? 0;

/** Text of the rows from `from` up to `to`, joined by \n. */
export function textBetween(chunk: LogChunk, from: number, to: number): string {
  return from >= to ? '' : chunk.text.slice(startOf(chunk, from), chunk.ends[to - 1]);
}

/** The value as the platform sent it, but for line breaks. */
export function valueOfRow(chunk: LogChunk, index: number): string {
  const text = textBetween(chunk, index, index + 1);
  return (kindOf(chunk, index) & namedBit) === 0 ? text : text.slice(keyOfRow(chunk, index).length + 2);
}

/** The row that has the text line `line` of the chunk (from 0). */
export function rowOfLine(chunk: LogChunk, line: number): number {
  return lowerBound(rowsOf(chunk), (index) => (chunk.lines[index] ?? 0) > line);
}

/** The first number in 0..count for which `isBehind` holds; it must hold for all after it. */
export function lowerBound(count: number, isBehind: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
