import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildChunk,
  isContinuation,
  isMarker,
  kindOf,
  type LogRow,
  levelOfKind,
  rowsOf,
  textBetween,
} from './log-chunk.ts';
import { findRows, LogFilter } from './log-filter.ts';
import { logLevels } from './log-format.ts';
import { compilePattern, type LogQuery, placeOfMatch } from './log-query.ts';
import { rowArbitrary } from './log-rows.fixture.ts';

const queryArbitrary: fc.Arbitrary<LogQuery> = fc.record({
  levels: fc.option(fc.subarray([...logLevels]), { nil: null }),
  pattern: fc.option(
    fc.record({
      text: fc.constantFrom('a', 'lorem', 'Clinic', 'e\\s', 'm[^x]*t', '^', 'or$', 'IPSUM', 'timeout'),
      isRegExp: fc.boolean(),
      matchCase: fc.boolean(),
    }),
    { nil: null },
  ),
  mode: fc.constantFrom('filter', 'highlight'),
});

/** The rows cut into chunks at the given sizes. */
function cut(rows: readonly LogRow[], sizes: readonly number[]): LogRow[][] {
  const parts: LogRow[][] = [];
  let from = 0;
  for (let turn = 0; from < rows.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    parts.push(rows.slice(from, from + size));
    from += size;
  }
  return parts;
}

function judgeAll(query: LogQuery, rows: readonly LogRow[], sizes: readonly number[]) {
  const filter = new LogFilter(query);
  const kept: number[] = [];
  const matches: number[] = [];
  let first = 0;
  let level: ReturnType<typeof levelOfKind> | null = null;
  for (const part of cut(rows, sizes)) {
    const chunk = buildChunk(first, part, level);
    const judged = filter.judge(chunk);
    for (let index = 0; index < judged.kept.length; index += 2) {
      for (let row = judged.kept[index] ?? 0; row < (judged.kept[index + 1] ?? 0); row += 1) kept.push(row);
    }
    matches.push(...judged.matches);
    first += part.length;
    const lastKind = kindOf(chunk, rowsOf(chunk) - 1);
    level = isMarker(lastKind) ? null : levelOfKind(lastKind);
  }
  return { kept, matches };
}

const sizesArbitrary = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });

describe('the filter', () => {
  it('keeps a trace whole or leaves it out whole, however the lines arrive', () => {
    fc.assert(
      fc.property(fc.array(rowArbitrary), queryArbitrary, sizesArbitrary, (rows, query, sizes) => {
        const kept = new Set(judgeAll(query, rows, sizes).kept);
        const whole = rows.length === 0 ? null : buildChunk(0, rows, null);
        for (let row = 1; whole !== null && row < rows.length; row += 1) {
          if (isContinuation(kindOf(whole, row))) expect(kept.has(row)).toBe(kept.has(row - 1));
        }
      }),
    );
  });

  it('gives the same however the rows are cut into chunks, ascending, each row once', () => {
    fc.assert(
      fc.property(fc.array(rowArbitrary), queryArbitrary, sizesArbitrary, (rows, query, sizes) => {
        const inParts = judgeAll(query, rows, sizes);
        expect(inParts).toEqual(judgeAll(query, rows, [1000]));
        expect(inParts.kept).toEqual([...new Set(inParts.kept)].sort((left, right) => left - right));
      }),
    );
  });

  it('keeps exactly the entries of the chosen levels in which a line matches, and every marker', () => {
    fc.assert(
      fc.property(fc.array(rowArbitrary, { minLength: 1 }), queryArbitrary, (rows, query) => {
        const chunk = buildChunk(0, rows, null);
        const pattern = query.pattern === null ? null : compilePattern(query.pattern);
        const regExp = pattern !== null && 'regExp' in pattern ? pattern.regExp : null;
        const expected: number[] = [];
        for (let row = 0; row < rows.length; ) {
          let end = row + 1;
          while (end < rows.length && isContinuation(kindOf(chunk, end))) end += 1;
          const kind = kindOf(chunk, row);
          const indexes = Array.from({ length: end - row }, (_, offset) => row + offset);
          const levelFits = query.levels === null || query.levels.includes(levelOfKind(kind));
          const textFits =
            regExp === null ||
            query.mode === 'highlight' ||
            indexes.some((index) => new RegExp(regExp).test(textBetween(chunk, index, index + 1)));
          if (isMarker(kind) || (levelFits && textFits)) expected.push(...indexes);
          row = end;
        }
        expect(judgeAll(query, rows, [1000]).kept).toEqual(expected);
      }),
    );
  });
});

function compiled(text: string) {
  const pattern = compilePattern({ text, isRegExp: true, matchCase: false });
  if ('fault' in pattern) throw new Error(pattern.fault);
  return pattern;
}

describe('looking through a whole chunk', () => {
  const sources = [
    'lorem',
    'e\\s',
    '[^x]*',
    'm[^x]*t',
    '^.',
    'or$',
    'a|e',
    '[\\s\\S]*a',
    '\\bat\\b',
    '(?:)',
    '\\W+[a-z]',
    '[\\D]{3}',
    '\\[^x]|[\\]^]',
    '(?<word>m)[^\\]]*t',
  ];

  it('finds the rows in which a line matches by itself, also with expressions that would run over line ends', () => {
    const anyRows = fc.array(rowArbitrary, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(anyRows, fc.constantFrom(...sources), (rows, source) => {
        const chunk = buildChunk(0, rows, null);
        const alone = new RegExp(source, 'i');
        const expected = rows
          .map((_, index) => index)
          .filter((index) =>
            textBetween(chunk, index, index + 1)
              .split('\n')
              .some((line) => alone.test(line)),
          );
        expect(findRows(chunk, compiled(source), 0)).toEqual(expected);
      }),
    );
  });
});

describe('an expression that names line breaks', () => {
  it('finds what lies over several lines of one row, never of two', () => {
    const row = (value: string): LogRow => ({ millis: 1, key: 'INFO', value });
    const chunk = buildChunk(0, [row('one\ntwo'), row('one'), row('two')], null);
    expect(findRows(chunk, compiled('one\\s*\\ntwo'), 0)).toEqual([0]);
  });
});

describe('a pattern', () => {
  it('is taken literally unless it is an expression', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean(), (text, matchCase) => {
        const compiled = compilePattern({ text, isRegExp: false, matchCase });
        expect('regExp' in compiled && compiled.regExp.exec(`before ${text} behind`)?.[0]).toBe(text);
      }),
    );
  });

  it('that is no expression is told so in words', () => {
    const compiled = compilePattern({ text: '(open', isRegExp: true, matchCase: false });
    expect(compiled).toEqual({ fault: 'Not a regular expression: Unterminated group. The last valid search stays.' });
  });
});

describe('the place of a match', () => {
  it('is a line of the text and a column in it', () => {
    expect(placeOfMatch('one\ntwo three\nfour', /three/g)).toEqual({ line: 1, column: 4 });
    expect(placeOfMatch('one\ntwo', /none/g)).toEqual({ line: 0, column: 0 });
  });
});
