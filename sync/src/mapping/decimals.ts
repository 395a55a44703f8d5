/**
 * Converts Helium's decimals, which have any number of digits, to the numbers that Journey holds:
 * doubles. Every digit that a double can hold is exact in both directions.
 */

/** Between it and 0, a double has fewer than 15 digits. */
const minNormal = 2.2250738585072014e-308;
/** From it on, neighboring whole numbers may be the same double. */
const maxWholePart = 2 ** 53;

/**
 * Returns the number for a decimal of PostgreSQL. Digits beyond the 15th may be lost, see
 * `isRounded`. Returns the text itself where more than that would be lost: Journey accepts no text
 * as a number.
 */
export function parseDecimal(text: string): number | string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const size = Math.abs(value);
  const isInRange = size >= minNormal && size < maxWholePart;
  // Adding 0 removes the sign of zero.
  return isInRange || isSameNumber(text, value) ? value + 0 : text;
}

/** Whether the number of `parseDecimal` has fewer digits than the text. */
export function isRounded(text: string, value: number): boolean {
  return !isSameNumber(text, value);
}

/**
 * Returns the number with the fewest digits that a 4-byte float stores as it stores the given one:
 * 0.1 for 0.10000000149011612.
 */
export function shortenReal(number: number): number {
  const stored = Math.fround(number);
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(stored.toPrecision(digits));
    if (Math.fround(short) === stored) return short;
  }
  return Number(stored.toPrecision(9));
}

/** Whether the shortest text of the number denotes what the given text does. */
function isSameNumber(text: string, value: number): boolean {
  const short = String(value);
  return short === text || toSignificantDigits(short) === toSignificantDigits(text);
}

/** Returns '-125e-1' for '-012.50'. */
function toSignificantDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
