import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRounded, parseDecimal, shortenReal } from './decimals.ts';
import { valueFromJourney } from './values.ts';

const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{0,${maxLength}}$`));

/** Writes a number without an exponent, as PostgreSQL writes `numeric`. */
function toPlainText(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(String(value)) ?? [];
  const point = whole.length + Number(exponent);
  const all = `${whole}${fraction}`;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`;
  return `${sign}${all.slice(0, point).padEnd(point, '0')}.${all.slice(point)}0`;
}

it('reads every double exactly, with any zeros around it', () => {
  fc.assert(
    fc.property(double, fc.nat({ max: 3 }), (value, zeros) => {
      const text = `${toPlainText(value)}${'0'.repeat(zeros)}`;
      expect(parseDecimal(text)).toBe(value);
      expect(isRounded(text, value)).toBe(false);
    }),
  );
});

it('loses only digits beyond the 15th, and reports it', () => {
  fc.assert(
    fc.property(fc.boolean(), digits(15), digits(25), (isNegative, whole, fraction) => {
      const text = `${isNegative ? '-' : ''}${whole === '' ? '0' : whole}.${fraction}0`;
      const value = parseDecimal(text);
      if (typeof value !== 'number') throw new Error(`${text} was not read.`);
      const significant = `${whole}${fraction}`.replace(/^0+|0+$/g, '');
      if (significant.length <= 15) expect(isRounded(text, value)).toBe(false);
      expect(Math.abs(value - Number(text))).toBe(0);
      expect(isRounded(text, value)).toBe(BigInt(significant || '0') !== digitsOf(value));
    }),
  );
});

/** The digits of the shortest text, without zeros around them. */
function digitsOf(value: number): bigint {
  return BigInt(
    toPlainText(Math.abs(value))
      .replace('.', '')
      .replace(/^0+|0+$/g, '') || '0',
  );
}

it.each([
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890.12',
  '9007199254740993.5',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(399)}1`,
  `0.${'0'.repeat(319)}123456789`,
  'NaN',
  'Infinity',
  '-Infinity',
])('keeps the text of what would be another number: %s', (text) => {
  expect(parseDecimal(text)).toBe(text);
});

it.each([
  ['100000000000000000000', 1e20],
  ['9007199254740992', 2 ** 53],
  ['-0.00', 0],
  ['28.322834567890123456', 28.322834567890123],
])('reads %s as a number', (text, value) => {
  expect(parseDecimal(text)).toBe(value);
});

it('reads a number of Journey as a 4-byte float stores it, and reads that back unchanged', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (stored) => {
      const short = shortenReal(stored + 0);
      expect(Math.fround(short)).toBe(stored + 0);
      expect(valueFromJourney('number', short, 'real')).toBe(short);
      expect(valueFromJourney('number', stored, 'real')).toBe(short);
    }),
  );
  expect(valueFromJourney('number', 0.1, 'real')).toBe(0.1);
  expect(valueFromJourney('number', 0.123456789012, 'real')).toBe(0.12345679);
  expect(valueFromJourney('number', 1e39, 'real')).toMatchObject({ reason: expect.stringContaining('outside') });
  expect(valueFromJourney('number', 1e-60, 'real')).toMatchObject({ reason: expect.stringContaining('outside') });
});
