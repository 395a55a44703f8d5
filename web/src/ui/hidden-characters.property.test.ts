import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceHidden, splitAtHidden } from './hidden-characters.ts';

const hidden = [
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u200d',
  '\u200e',
  '\u200f',
  '\u202e',
  '\u202c',
  '\u2066',
  '\ufeff',
  '\u0007',
];
const text = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hidden)))
  .map((parts) => parts.join(''));

describe('hidden characters', () => {
  it('never remain in what is drawn', () => {
    fc.assert(
      fc.property(text, (any) => {
        for (const part of splitAtHidden(any)) expect(part.text).not.toMatch(/[\p{Cf}\p{Cc}]/u);
      }),
    );
  });

  it('are drawn in their place, and all other characters stay as they are', () => {
    fc.assert(
      fc.property(text, (any) => {
        const restored = splitAtHidden(any).map((part) =>
          part.isHidden ? String.fromCodePoint(Number.parseInt(part.text.slice(2), 16)) : part.text,
        );
        expect(restored.join('')).toBe(any);
      }),
    );
  });

  it('name the mark that turns a name round', () => {
    expect(replaceHidden('Stock \u202Eevil\u202C live')).toBe('Stock U+202EevilU+202C live');
    expect(splitAtHidden('Stock Visibility')).toEqual([{ text: 'Stock Visibility', isHidden: false }]);
  });
});
