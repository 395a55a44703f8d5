import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnsi, restoreAnsi, toAnsiSpans } from './ansi.ts';

const ofRange = (first: number, last: number) =>
  fc.integer({ min: first, max: last }).map((at) => String.fromCharCode(at));
const textOf = (character: fc.Arbitrary<string>) => fc.string({ unit: character, maxLength: 8 });
const printable = ofRange(0x20, 0x7e);
const terminator = fc.constantFrom('\u001b\\', '\u009c');
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));

/** Each kind of sequence of ECMA-48, in 7 and in 8 bits. */
const sequence = fc.oneof(
  fc.array(fc.nat(300), { maxLength: 6 }).map((numbers) => `\u001b[${numbers.join(';')}m`),
  joined(
    fc.constantFrom('\u001b[', '\u009b'),
    textOf(ofRange(0x30, 0x3f)),
    textOf(ofRange(0x20, 0x2f)),
    ofRange(0x40, 0x7e),
  ),
  joined(fc.constantFrom('\u001b]', '\u009d'), textOf(printable), fc.oneof(fc.constant('\u0007'), terminator)),
  joined(
    fc.constantFrom('\u001bP', '\u001bX', '\u001b^', '\u001b_', '\u0090', '\u0098', '\u009e', '\u009f'),
    textOf(fc.oneof(printable, ofRange(0x08, 0x0d))),
    terminator,
  ),
  joined(
    fc.constant('\u001b'),
    fc.string({ unit: ofRange(0x20, 0x2f), minLength: 1, maxLength: 3 }),
    ofRange(0x30, 0x7e),
  ),
  ofRange(0x30, 0x7e)
    .filter((final) => !'PX^_[]'.includes(final))
    .map((final) => `\u001b${final}`),
);
const isPlain = (text: string) => !text.includes('\u001b') && !/[\u0080-\u009f]/.test(text);
const plainText = fc.string({ unit: 'grapheme' }).filter(isPlain);
/** Pieces of sequences in any order, most of them incomplete. */
const pieces = [
  '\u001b',
  '[',
  ']',
  'P',
  '\u009b',
  '\u0090',
  '\u009c',
  '3',
  ';',
  '38;5;',
  'm',
  '\u0007',
  '\\',
  '(',
  'B',
];
const halves = fc.array(fc.constantFrom(...pieces, 'text', ' ', '\n')).map((parts) => parts.join(''));

describe('escape sequences of terminals', () => {
  it('leave exactly the text when they are removed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(plainText, sequence)), plainText, (parts, end) => {
        const { text } = parseAnsi(parts.flat().join('') + end);
        expect(text).toBe(parts.map(([part]) => part).join('') + end);
      }),
    );
  });

  it('are restored exactly, also half ones', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          halves,
          fc.array(fc.oneof(plainText, sequence)).map((parts) => parts.join('')),
        ),
        (raw) => {
          const parsed = parseAnsi(raw);
          expect(restoreAnsi(parsed)).toBe(raw);
          let next = 0;
          for (const { from, to } of toAnsiSpans(parsed.codes, parsed.text.length)) {
            expect(from).toBeGreaterThanOrEqual(next);
            expect(to).toBeGreaterThan(from);
            next = to;
          }
          expect(next).toBeLessThanOrEqual(parsed.text.length);
        },
      ),
    );
  });

  it.each([
    ['modes of the keypad', '\u001b=keys\u001b>', 'keys'],
    ['a saved cursor', '\u001b7saved\u001b8', 'saved'],
    ['a reverse line feed and a reset', '\u001bMup\u001bc', 'up'],
    ['a string to the device', '\u001bP1$r0m\u001b\\device', 'device'],
    ['colors in 8 bits', '\u009b31mred\u009b0m', 'red'],
    ['half a color', '\u001b[3', '\u001b[3'],
    ['half a string to the device', '\u001bPno end\u001b[0m', '\u001bPno end'],
    ['many half titles', '\u001b]'.repeat(50_000), '\u001b]'.repeat(50_000)],
    ['many half strings', '\u0090'.repeat(100_000), '\u0090'.repeat(100_000)],
  ])('are removed where they are complete: %s', (_, raw, text) => {
    expect(parseAnsi(raw).text).toBe(text);
  });

  it.each([
    ['\u001b[32mok\u001b[0m done', [{ from: 0, to: 2, color: 'green', isBold: false }]],
    ['a\u001b[1;31mb', [{ from: 1, to: 2, color: 'red', isBold: true }]],
    ['\u001b[38;5;196mred', [{ from: 0, to: 3, color: 'red', isBold: false }]],
    ['\u001b[38;2;90;160;250m blue', [{ from: 0, to: 5, color: 'blue', isBold: false }]],
    ['\u001b[37;41m readable', []],
    ['\u001b[48;5;196;33mx', [{ from: 0, to: 1, color: 'yellow', isBold: false }]],
    ['\u001b[90m dim\u001b[39m', [{ from: 0, to: 4, color: 'muted', isBold: false }]],
    ['\u009b31mred', [{ from: 0, to: 3, color: 'red', isBold: false }]],
    ['\u001b[3', []],
  ])('colors %j', (raw, spans) => {
    const { text, codes } = parseAnsi(raw);
    expect(toAnsiSpans(codes, text.length)).toEqual(spans);
  });
});
