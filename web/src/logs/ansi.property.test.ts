import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnsi, restoreAnsi, toAnsiSpans } from './ansi.ts';

const sequence = fc.oneof(
  fc.array(fc.nat(300), { maxLength: 6 }).map((numbers) => `\u001b[${numbers.join(';')}m`),
  fc.constantFrom('\u001b[2K', '\u001b[?25l', '\u001b(B', '\u001b]0;title\u0007', '\u001b]8;;https://a.b\u001b\\'),
);
const plainText = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u001b'));
/** Pieces of sequences in any order, most of them incomplete. */
const halves = fc
  .array(fc.constantFrom('\u001b', '[', ']', '3', ';', '38;5;', 'm', '\u0007', '\\', '(', 'B', 'text', ' ', '\n'))
  .map((parts) => parts.join(''));

describe('terminal colors', () => {
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
    ['\u001b[32mok\u001b[0m done', [{ from: 0, to: 2, color: 'green', isBold: false }]],
    ['a\u001b[1;31mb', [{ from: 1, to: 2, color: 'red', isBold: true }]],
    ['\u001b[38;5;196mred', [{ from: 0, to: 3, color: 'red', isBold: false }]],
    ['\u001b[38;2;90;160;250m blue', [{ from: 0, to: 5, color: 'blue', isBold: false }]],
    ['\u001b[37;41m readable', []],
    ['\u001b[48;5;196;33mx', [{ from: 0, to: 1, color: 'yellow', isBold: false }]],
    ['\u001b[90m dim\u001b[39m', [{ from: 0, to: 4, color: 'muted', isBold: false }]],
    ['\u001b[3', []],
  ])('colors %j', (raw, spans) => {
    const { text, codes } = parseAnsi(raw);
    expect(toAnsiSpans(codes, text.length)).toEqual(spans);
  });
});
