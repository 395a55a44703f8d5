import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInstant, toCell, toCells } from './cells.ts';
import { unsetFlag } from './flags.ts';

const moment = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const withZone = ['text', 'character varying(64)', 'timestamp with time zone'];
const withoutZone = ['timestamp without time zone', 'timestamp(3) without time zone'];

describe('cells', () => {
  it('writes an instant to the second in every column type', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const seconds = Math.floor(at.getTime() / 1000) * 1000;
        for (const type of withZone) expect(Date.parse(String(toCell(at, type)))).toBe(seconds);
        for (const type of withoutZone) expect(Date.parse(`${toCell(at, type)}Z`)).toBe(seconds);
        expect(toCell(at, 'date')).toBe(at.toISOString().slice(0, 10));
        expect(parseInstant(String(toCell(at, 'text')))?.getTime()).toBe(seconds);
      }),
    );
  });

  it('writes a flag as a boolean or as text', () => {
    expect([toCell(true, 'boolean'), toCell(false, 'boolean')]).toEqual([true, false]);
    expect([toCell(true, 'text'), toCell(false, 'character varying(3)')]).toEqual(['Yes', 'No']);
  });

  it('writes null for an invalid instant, and removes characters that PostgreSQL rejects', () => {
    expect([parseInstant(null), parseInstant(''), parseInstant('soon')]).toEqual([null, null, null]);
    expect([toCell(null, 'text'), toCell('a\0b', 'text')]).toEqual([null, 'ab']);
  });

  it('contains only facts that have a column', () => {
    const columns = new Map([
      ['one' as const, { name: 'a', type: 'text' }],
      ['two' as const, { name: 'b', type: 'boolean' }],
    ]);
    expect(toCells(columns, { one: 'x' })).toEqual({ a: 'x' });
  });
});

describe('unsetFlag', () => {
  it('unsets a flag in the form and case it was set in', () => {
    const pairs = { yes: 'no', true: 'false', t: 'f', Yes: 'No', True: 'False', YES: 'NO', TRUE: 'FALSE', T: 'F' };
    for (const [set, unset] of Object.entries(pairs)) expect(unsetFlag(set)).toBe(unset);
    expect([unsetFlag(' Yes '), unsetFlag('tRuE')]).toEqual(['No', 'False']);
  });
});
