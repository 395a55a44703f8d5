import { describe, expect, it } from 'vitest';
import { decodeCsv } from './decode-csv.ts';

const utf16 = (text: string, isBigEndian: boolean) => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
};

describe('decodeCsv', () => {
  it.each([
    ['UTF-8', Buffer.from('Zoë,1')],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFZoë,1')],
    ['little-endian UTF-16', utf16('Zoë,1', false)],
    ['big-endian UTF-16', utf16('Zoë,1', true)],
  ])('decodes %s', (_, bytes) => {
    expect(decodeCsv(bytes)).toEqual({ text: 'Zoë,1', isGuess: false });
  });

  it('decodes bytes that are not UTF-8 as Windows-1252, and reports the guess', () => {
    const bytes = Uint8Array.from([0x5a, 0x6f, 0xeb, 0x2c, 0x61]);
    expect(decodeCsv(bytes)).toEqual({ text: 'Zoë,a', isGuess: true });
  });
});
