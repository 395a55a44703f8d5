import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCell, csvOf } from './csv.ts';

describe('csvOf', () => {
  it('writes a byte order mark, a head and lines that end as RFC 4180 says', () => {
    expect(csvOf(['name', 'rows'], [['Farm', 1200]])).toBe('\uFEFFname,rows\r\nFarm,1200\r\n');
  });

  it('quotes what would end a cell', () => {
    expect(csvCell('a,b')).toBe('"a,b"');
    expect(csvCell('say "no"')).toBe('"say ""no"""');
    expect(csvCell('two\nlines')).toBe('"two\nlines"');
  });

  it('leaves nothing empty and numbers numbers, negative ones too', () => {
    expect(csvCell(null)).toBe('');
    expect(csvCell(-5)).toBe('-5');
    expect(csvCell(false)).toBe('false');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=cmd|"/c calc"!A1'])('disarms %j', (text) => {
    expect(csvCell(text)).toMatch(/^"?'/);
  });

  it('never lets text begin as a formula', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(csvCell(text).replace(/^"/, '')).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});
