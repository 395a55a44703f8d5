import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCsv, toCsvCell } from './csv.ts';

describe('toCsv', () => {
  it('writes a byte order mark, a header and CRLF line endings per RFC 4180', () => {
    expect(toCsv(['name', 'rows'], [['Farm', 1200]])).toBe('\uFEFFname,rows\r\nFarm,1200\r\n');
  });

  it('quotes cells that contain separators, quotes or line breaks', () => {
    expect(toCsvCell('a,b')).toBe('"a,b"');
    expect(toCsvCell('say "no"')).toBe('"say ""no"""');
    expect(toCsvCell('two\nlines')).toBe('"two\nlines"');
  });

  it('writes null as an empty cell and leaves numbers unquoted, negative ones too', () => {
    expect(toCsvCell(null)).toBe('');
    expect(toCsvCell(-5)).toBe('-5');
    expect(toCsvCell(false)).toBe('false');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=cmd|"/c calc"!A1'])('escapes the formula %j', (text) => {
    expect(toCsvCell(text)).toMatch(/^"?'/);
  });

  it('never lets a text cell start as a formula, in half or full width', () => {
    const start = fc.constantFrom('', ...'=+-@＝＋－＠\t\r');
    fc.assert(
      fc.property(start, fc.string(), (first, text) => {
        expect(toCsvCell(`${first}${text}`).replace(/^"/, '')).not.toMatch(/^[=+\-@＝＋－＠\t\r]/);
      }),
    );
  });
});
