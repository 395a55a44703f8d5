import { Text } from '@codemirror/state';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutLine, getVisibleLines, maxLineChars } from './long-lines.ts';

const longLine = fc
  .tuple(fc.integer({ min: 1, max: 50_000 }), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }))
  .map(([length, unit]) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length))
  .filter((line) => !/[\r\n]/.test(line));

describe('long lines', () => {
  it('are drawn once each, however many visible ranges they have', () => {
    fc.assert(
      fc.property(
        fc.array(longLine, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(400_000), { minLength: 2, maxLength: 12 }),
        (lines, cuts) => {
          const doc = Text.of(lines);
          const ends = cuts.map((cut) => Math.min(cut, doc.length)).sort((left, right) => left - right);
          const ranges = ends.slice(1).map((to, index) => ({ from: ends[index] ?? 0, to }));
          const numbers = [...getVisibleLines(doc, ranges)].map(({ number }) => number);
          const first = doc.lineAt(ends[0] ?? 0).number;
          const last = doc.lineAt(ends.at(-1) ?? 0).number;
          expect(numbers).toEqual(Array.from({ length: last - first + 1 }, (_, index) => first + index));
        },
      ),
    );
  });

  it('are cut to the limit, and never inside a character', () => {
    fc.assert(
      fc.property(longLine, (line) => {
        const shown = cutLine(line);
        expect(line.startsWith(shown)).toBe(true);
        if (line.length <= maxLineChars) expect(shown).toBe(line);
        else expect(shown.length).toBeGreaterThanOrEqual(maxLineChars - 1);
        expect(shown.length).toBeLessThanOrEqual(maxLineChars);
        expect(/[\ud800-\udbff]$/.test(shown) && !/[\ud800-\udbff]$/.test(line)).toBe(false);
      }),
    );
  });
});
