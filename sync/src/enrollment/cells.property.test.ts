import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellOf, cellsOf, momentOf } from './cells.ts';
import { unsetFlag } from './flags.ts';

const moment = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const withZone = ['text', 'character varying(64)', 'timestamp with time zone'];
const withoutZone = ['timestamp without time zone', 'timestamp(3) without time zone'];

describe('cells', () => {
  it('say a moment to the second in every type', () => {
    fc.assert(
      fc.property(moment, (at) => {
        const seconds = Math.floor(at.getTime() / 1000) * 1000;
        for (const type of withZone) expect(Date.parse(String(cellOf(at, type)))).toBe(seconds);
        for (const type of withoutZone) expect(Date.parse(`${cellOf(at, type)}Z`)).toBe(seconds);
        expect(cellOf(at, 'date')).toBe(at.toISOString().slice(0, 10));
        expect(momentOf(String(cellOf(at, 'text')))?.getTime()).toBe(seconds);
      }),
    );
  });

  it('say a flag as it is, or in words', () => {
    expect([cellOf(true, 'boolean'), cellOf(false, 'boolean')]).toEqual([true, false]);
    expect([cellOf(true, 'text'), cellOf(false, 'character varying(3)')]).toEqual(['Yes', 'No']);
  });

  it('say nothing of no moment, and leave out what PostgreSQL refuses', () => {
    expect([momentOf(null), momentOf(''), momentOf('soon')]).toEqual([null, null, null]);
    expect([cellOf(null, 'text'), cellOf('a\0b', 'text')]).toEqual([null, 'ab']);
  });

  it('are of the facts and columns that both sides name', () => {
    const columns = new Map([
      ['one' as const, { name: 'a', type: 'text' }],
      ['two' as const, { name: 'b', type: 'boolean' }],
    ]);
    expect(cellsOf(columns, { one: 'x' })).toEqual({ a: 'x' });
  });
});

describe('unsetFlag', () => {
  it('answers in the words and the case of the question', () => {
    const pairs = { yes: 'no', true: 'false', t: 'f', Yes: 'No', True: 'False', YES: 'NO', TRUE: 'FALSE', T: 'F' };
    for (const [set, unset] of Object.entries(pairs)) expect(unsetFlag(set)).toBe(unset);
    expect([unsetFlag(' Yes '), unsetFlag('tRuE')]).toEqual(['No', 'False']);
  });
});
