import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExactly } from './parse-exactly.ts';

const wholeNumbers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n });
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[\\"0-9:,]{0,40}$/),
  wholeNumbers.map((number) => `"sequence":${number}`),
);
/** Numbers of every length that JSON.parse reads exactly. */
const numbersAsUsual = fc.double({ min: -1e15, max: 1e15, noNaN: true });
const anything = fc.array(
  fc.oneof(texts, numbersAsUsual, fc.boolean(), fc.constant(null), fc.dictionary(texts, numbersAsUsual)),
);

function isSafe(number: bigint): boolean {
  return number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER;
}

test('keeps every digit of integers and otherwise equals JSON.parse', () => {
  fc.assert(
    fc.property(fc.array(wholeNumbers), texts, anything, fc.constantFrom('', ' ', '\n'), (numbers, text, any, gap) => {
      const json = JSON.stringify({ text, any, [text]: [text] });
      const written = `{"numbers":[${numbers.join(`,${gap}`)}],"first":${gap}${numbers[0] ?? 0},"rest":${json}}`;
      const read = (number: bigint) => (isSafe(number) ? Number(number) : String(number));
      expect(parseExactly(written)).toEqual({
        numbers: numbers.map(read),
        first: read(numbers[0] ?? 0n),
        rest: JSON.parse(json),
      });
    }),
  );
});

test('rejects what JSON.parse rejects', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, at) => {
      const cut = `[9007199254740993,${json}]`.slice(0, 1 + (at % (json.length + 18)));
      expect(() => parseExactly(cut)).toThrow(SyntaxError);
    }),
  );
});

test('reads texts of many megabytes next to long numbers', () => {
  const plain = 'a1'.repeat(8 * 1024 * 1024);
  const escaped = '"'.repeat(8 * 1024 * 1024);
  const read = parseExactly(`{"sequence":9223372036854775807,"plain":"${plain}","escaped":${JSON.stringify(escaped)}}`);
  // Compared by hand, because a failure would print megabytes.
  expect(JSON.stringify(read) === JSON.stringify({ sequence: '9223372036854775807', plain, escaped })).toBe(true);
});
