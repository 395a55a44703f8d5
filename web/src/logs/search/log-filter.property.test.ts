import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildChunk,
  getKind,
  getLevel,
  getRowCount,
  getText,
  isContinuation,
  isMarker,
  type LogRow,
} from '../text/log-chunk.ts';
import { logLevels } from '../text/log-format.ts';
import { rowArbitrary } from '../text/log-rows.fixture.ts';
import { findRows, LogFilter } from './log-filter.ts';
import { compilePattern, type LogQuery, locateMatch } from './log-query.ts';

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
  field: fc.constant(null),
  mode: fc.constantFrom('filter', 'highlight'),
});

/** Splits the rows into chunks of the given sizes. */
function splitRows(rows: readonly LogRow[], sizes: readonly number[]): LogRow[][] {
  const parts: LogRow[][] = [];
  let from = 0;
  for (let turn = 0; from < rows.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    parts.push(rows.slice(from, from + size));
    from += size;
  }
  return parts;
}

function filterAll(query: LogQuery, rows: readonly LogRow[], sizes: readonly number[]) {
  const filter = new LogFilter(query);
  const kept: number[] = [];
  const matches: number[] = [];
  let first = 0;
  let level: ReturnType<typeof getLevel> | null = null;
  for (const part of splitRows(rows, sizes)) {
    const chunk = buildChunk(first, part, level);
    const result = filter.filter(chunk);
    for (let index = 0; index < result.keptRanges.length; index += 2) {
      for (let row = result.keptRanges[index] ?? 0; row < (result.keptRanges[index + 1] ?? 0); row += 1) kept.push(row);
    }
    matches.push(...result.matches);
    first += part.length;
    const lastKind = getKind(chunk, getRowCount(chunk) - 1);
    level = isMarker(lastKind) ? null : getLevel(lastKind);
  }
  return { kept, matches };
}

const sizesArbitrary = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });

describe('log filter', () => {
  it('shows or hides a stack trace as a whole, however its lines arrive', () => {
    fc.assert(
      fc.property(fc.array(rowArbitrary), queryArbitrary, sizesArbitrary, (rows, query, sizes) => {
        const kept = new Set(filterAll(query, rows, sizes).kept);
        const whole = rows.length === 0 ? null : buildChunk(0, rows, null);
        for (let row = 1; whole !== null && row < rows.length; row += 1) {
          if (isContinuation(getKind(whole, row))) expect(kept.has(row)).toBe(kept.has(row - 1));
        }
      }),
    );
  });

  it('returns the same ascending rows for any split into chunks', () => {
    fc.assert(
      fc.property(fc.array(rowArbitrary), queryArbitrary, sizesArbitrary, (rows, query, sizes) => {
        const chunked = filterAll(query, rows, sizes);
        expect(chunked).toEqual(filterAll(query, rows, [1000]));
        expect(chunked.kept).toEqual([...new Set(chunked.kept)].sort((left, right) => left - right));
      }),
    );
  });

  it('keeps exactly the entries of the selected levels with a matching line, and every marker', () => {
    fc.assert(
      fc.property(fc.array(rowArbitrary, { minLength: 1 }), queryArbitrary, (rows, query) => {
        const chunk = buildChunk(0, rows, null);
        const pattern = query.pattern === null ? null : compilePattern(query.pattern);
        const regExp = pattern !== null && 'regExp' in pattern ? pattern.regExp : null;
        const expected: number[] = [];
        for (let row = 0; row < rows.length; ) {
          let end = row + 1;
          while (end < rows.length && isContinuation(getKind(chunk, end))) end += 1;
          const kind = getKind(chunk, row);
          const indexes = Array.from({ length: end - row }, (_, offset) => row + offset);
          const levelFits = query.levels === null || query.levels.includes(getLevel(kind));
          const textFits =
            regExp === null ||
            query.mode === 'highlight' ||
            indexes.some((index) => new RegExp(regExp).test(getText(chunk, index, index + 1)));
          if (isMarker(kind) || (levelFits && textFits)) expected.push(...indexes);
          row = end;
        }
        expect(filterAll(query, rows, [1000]).kept).toEqual(expected);
      }),
    );
  });
});

function compiled(text: string) {
  const pattern = compilePattern({ text, isRegExp: true, matchCase: false });
  if ('error' in pattern) throw new Error(pattern.error);
  return pattern;
}

describe('searching a whole chunk', () => {
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

  it('finds the rows with a matching line, even for expressions that could span lines', () => {
    const anyRows = fc.array(rowArbitrary, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(anyRows, fc.constantFrom(...sources), (rows, source) => {
        const chunk = buildChunk(0, rows, null);
        const singleMatches = new RegExp(source, 'i');
        const expected = rows
          .map((_, index) => index)
          .filter((index) =>
            getText(chunk, index, index + 1)
              .split('\n')
              .some((line) => singleMatches.test(line)),
          );
        expect(findRows(chunk, compiled(source), 0)).toEqual(expected);
      }),
    );
  });
});

describe('an expression with line breaks', () => {
  it('matches across lines of one row but never across rows', () => {
    const row = (value: string): LogRow => ({ millis: 1, key: 'INFO', value });
    const chunk = buildChunk(0, [row('one\ntwo'), row('one'), row('two')], null);
    expect(findRows(chunk, compiled('one\\s*\\ntwo'), 0)).toEqual([0]);
  });
});

describe('search pattern', () => {
  it('matches literally unless it is a regular expression', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean(), (text, matchCase) => {
        const compiled = compilePattern({ text, isRegExp: false, matchCase });
        expect('regExp' in compiled && compiled.regExp.exec(`before ${text} behind`)?.[0]).toBe(text);
      }),
    );
  });

  it('explains an invalid regular expression', () => {
    const compiled = compilePattern({ text: '(open', isRegExp: true, matchCase: false });
    expect(compiled).toEqual({
      error: 'Invalid regular expression: Unterminated group. Showing the last valid search.',
    });
  });
});

describe('match position', () => {
  it('returns the line and column of a match', () => {
    expect(locateMatch('one\ntwo three\nfour', /three/g)).toEqual({ line: 1, column: 4 });
    expect(locateMatch('one\ntwo', /none/g)).toEqual({ line: 0, column: 0 });
  });
});
