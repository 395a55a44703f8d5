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
/** The introducer of colors and cursor movements, in 7 and in 8 bits. */
const csi = `(?:${esc}\\[|\u009b)`;
/**
 * All escape sequences of ECMA-48 with their end. Built from strings, because control characters in
 * a literal are mostly mistakes. Each part stops at what starts the next one, so that half a
 * sequence costs no more than its length.
 */
const sequences = new RegExp(
  [
    `${csi}[0-?]*[ -/]*[@-~]`,
    // A title or a link, which ends with a bell or like the strings below.
    String.raw`(?:${esc}\]|\u009d)[^\x00-\x1f\x7f-\x9f]*(?:\x07|${esc}\\|\x9c)`,
    // Strings to the device (DCS, such as an image), to a program or to the operating system.
    String.raw`(?:${esc}[PX^_]|[\x90\x98\x9e\x9f])[^\x00-\x07\x0e-\x1f\x7f-\x9f]*(?:${esc}\\|\x9c)`,
    // All others, such as a character set, a mode of the keypad, a reset or a saved cursor.
    String.raw`${esc}(?:[ -/]+[0-~]|(?![PX^_[\]])[0-~])`,
  ].join('|'),
  'g',
);
const colorCode = new RegExp(`^${csi}([\\d;:]*)m$`);
const introducers = new RegExp(String.raw`[${esc}\x90\x98\x9b\x9d-\x9f]`);

/** Removes all complete escape sequences. Half a sequence is text like any other. */
export function parseAnsi(raw: string): AnsiText {
  if (!introducers.test(raw)) return { text: raw, codes: [] };
  const codes: AnsiCode[] = [];
  let text = '';
  let next = 0;
  for (const { 0: code, index } of raw.matchAll(sequences)) {
    text += raw.slice(next, index);
    codes.push({ at: text.length, code });
    next = index + code.length;
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
  const parameters = colorCode.exec(code)?.[1];
  if (parameters === undefined) return before;
  const numbers = parameters.split(/[;:]/).map(Number);
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
