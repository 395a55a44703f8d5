/** An escape sequence of a terminal that was removed, and where it was in the text without them. */
export interface AnsiCode {
  readonly at: number;
  readonly code: string;
}

export interface AnsiText {
  readonly text: string;
  /** Ascending. */
  readonly codes: readonly AnsiCode[];
}

export type AnsiColor = 'muted' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'plain';

/** A part of a text with a color or a weight of its own. */
export interface AnsiSpan {
  readonly from: number;
  readonly to: number;
  readonly color: AnsiColor;
  readonly isBold: boolean;
}

const esc = '\u001b';
const bell = '\u0007';

/** Removes all complete escape sequences. Half a sequence is text like any other. */
export function parseAnsi(raw: string): AnsiText {
  if (!raw.includes(esc)) return { text: raw, codes: [] };
  const codes: AnsiCode[] = [];
  let text = '';
  let next = 0;
  for (let at = raw.indexOf(esc); at >= 0; at = raw.indexOf(esc, Math.max(next, at + 1))) {
    const end = findSequenceEnd(raw, at + 1);
    if (end === null) continue;
    text += raw.slice(next, at);
    codes.push({ at: text.length, code: raw.slice(at, end) });
    next = end;
  }
  return { text: text + raw.slice(next), codes };
}

/** Puts the escape sequences back. */
export function restoreAnsi({ text, codes }: AnsiText): string {
  let raw = '';
  let next = 0;
  for (const { at, code } of codes) {
    raw += text.slice(next, at) + code;
    next = at;
  }
  return raw + text.slice(next);
}

/**
 * Returns where the sequence after an escape character ends, or null if it is incomplete or
 * unknown.
 */
function findSequenceEnd(raw: string, from: number): number | null {
  const kind = raw[from];
  if (kind === '[') return skip(raw, skip(raw, from + 1, '0', '?'), ' ', '/', ['@', '~']);
  // A title or a link, which ends with a bell or with another escape sequence.
  if (kind === ']') {
    const end = skip(raw, from + 1, ' ', '\uffff');
    if (raw[end] === bell) return end + 1;
    return raw[end] === esc && raw[end + 1] === '\\' ? end + 2 : null;
  }
  return kind !== undefined && isWithin(kind, ' ', '/') ? skip(raw, from, ' ', '/', ['0', '~']) : null;
}

/**
 * Skips the characters of a range. With `last`, one of that range must follow and is skipped too.
 */
function skip(raw: string, from: number, low: string, high: string): number;
function skip(raw: string, from: number, low: string, high: string, last: readonly [string, string]): number | null;
function skip(raw: string, from: number, low: string, high: string, last?: readonly [string, string]): number | null {
  let at = from;
  while (at < raw.length && isWithin(raw.charAt(at), low, high)) at += 1;
  if (last === undefined) return at;
  return at < raw.length && isWithin(raw.charAt(at), ...last) ? at + 1 : null;
}

const isWithin = (character: string, low: string, high: string): boolean => character >= low && character <= high;

/**
 * The colors of the palette by number; black and white are the text itself, which is always
 * readable.
 */
const colors: readonly AnsiColor[] = ['plain', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'plain'];

/**
 * Returns the colored parts of a text of this length. Backgrounds are ignored, and other colors
 * become the nearest of the palette, so that every text is readable in both themes.
 */
export function toAnsiSpans(codes: readonly AnsiCode[], length: number): AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  let style: AnsiStyle = plainStyle;
  let from = 0;
  const close = (to: number) => {
    if (to > from && (style.color !== 'plain' || style.isBold)) spans.push({ from, to, ...style });
    from = to;
  };
  for (const { at, code } of codes) {
    close(Math.min(at, length));
    style = applyCode(style, code);
  }
  close(length);
  return spans;
}

type AnsiStyle = Pick<AnsiSpan, 'color' | 'isBold'>;
const plainStyle: AnsiStyle = { color: 'plain', isBold: false };

function applyCode(before: AnsiStyle, code: string): AnsiStyle {
  if (!code.startsWith(`${esc}[`) || !code.endsWith('m')) return before;
  const numbers = code.slice(2, -1).split(/[;:]/).map(Number);
  let style = before;
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] ?? 0;
    if (number === 38 || number === 48) {
      const [color, used] = readExtendedColor(numbers.slice(index + 1));
      index += used;
      if (number === 38) style = { ...style, color };
    } else style = applyNumber(style, number);
  }
  return style;
}

function applyNumber(style: AnsiStyle, number: number): AnsiStyle {
  if (number === 0) return plainStyle;
  if (number === 1) return { ...style, isBold: true };
  if (number === 2) return { ...style, color: 'muted' };
  if (number === 22) return { ...style, isBold: false, color: style.color === 'muted' ? 'plain' : style.color };
  if (number === 39) return { ...style, color: 'plain' };
  if (number === 90) return { ...style, color: 'muted' };
  const isColor = (number >= 30 && number <= 37) || (number >= 91 && number <= 97);
  return isColor ? { ...style, color: colors[number % 10] ?? 'plain' } : style;
}

/** Reads `5;n` or `2;r;g;b`. Returns the color and how many numbers it takes. */
function readExtendedColor([kind, ...rest]: readonly number[]): [color: AnsiColor, used: number] {
  const [first = 0, second = 0, third = 0] = rest;
  if (kind === 2) return [toNearestColor(first, second, third), 4];
  if (kind !== 5) return ['plain', 0];
  if (first < 16) return [first === 8 ? 'muted' : (colors[first % 8] ?? 'plain'), 2];
  if (first >= 232) return ['muted', 2];
  const cube = first - 16;
  return [toNearestColor(Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6), 2];
}

/** Numbers the palette by its parts: 1 red, 2 green, 4 blue. */
function toNearestColor(red: number, green: number, blue: number): AnsiColor {
  const threshold = Math.max(red, green, blue) * 0.7;
  const parts = [red, green, blue].map((part) => Number(part > threshold));
  return colors[(parts[0] ?? 0) + 2 * (parts[1] ?? 0) + 4 * (parts[2] ?? 0)] ?? 'plain';
}
