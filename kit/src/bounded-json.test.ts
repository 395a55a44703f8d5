import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBoundedJson } from './bounded-json.ts';
import { isStorable } from './postgres/storable-text.ts';
import { Invalid } from './problems.ts';

function findProblem(text: string): string {
  try {
    parseBoundedJson(text);
  } catch (error) {
    if (error instanceof Invalid) return error.message;
    throw error;
  }
  return 'none';
}

const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const list = (length: number, element: string) => `[${Array.from({ length }, () => element).join(',')}]`;

describe('parseBoundedJson', () => {
  it('returns what JSON.parse returns for every text within the limits', () => {
    const isHarmless = (text: string) => isStorable(JSON.parse(text)) && !/__proto__|constructor/.test(text);
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }).filter(isHarmless), (text) => {
        expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('rejects a text that is nested more than 32 levels deep', () => {
    expect(findProblem(nest(32))).toBe('none');
    expect(findProblem(nest(33))).toBe('The request is nested more than 32 levels deep.');
    expect(findProblem('{"a":'.repeat(33))).toBe('The request is nested more than 32 levels deep.');
    expect(findProblem('['.repeat(500_000))).toBe('The request is nested more than 32 levels deep.');
    expect(findProblem(list(100, nest(31)))).toBe('none');
  });

  it('rejects a text with more than 20,000 keys and values', () => {
    const problem = 'The request has more than 20000 keys and values.';
    expect(findProblem(list(19_990, '0'))).toBe('none');
    for (const element of ['0', '""', 'null', '"a,b:[{"']) expect(findProblem(list(20_001, element))).toBe(problem);
    for (const element of ['{}', '[]']) expect(findProblem(list(10_001, element))).toBe(problem);
    expect(findProblem(`{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":0`).join(',')}}`)).toBe(problem);
  });

  it('ignores brackets and commas inside texts', () => {
    const text = '[{,:"\\'.repeat(10_000);
    expect(parseBoundedJson(JSON.stringify({ text }))).toEqual({ text });
  });

  it('rejects texts and keys that PostgreSQL cannot store', () => {
    for (const sequence of ['\\u0000', '\\ud800', '\\udc00a'])
      for (const text of [`"${sequence}"`, `[[{"a":"b${sequence}"}]]`, `{"${sequence}":1}`])
        expect(findProblem(text)).toBe('The request contains invalid characters.');
    expect(parseBoundedJson('["\\ud83d\\ude9c","\\u0041"]')).toEqual(['🚜', 'A']);
  });

  it('accepts such texts if they are not stored', () => {
    expect(parseBoundedJson('{"a":"\\ud83d\\u0000"}', 'The frame', { isStored: false })).toEqual({ a: '\ud83d\0' });
    const polluting = '{"a":"\\ud83d","__proto__":1}';
    expect(() => parseBoundedJson(polluting, 'The frame', { isStored: false })).toThrow('The frame is not valid JSON.');
  });

  it('rejects keys that replace a prototype, also if they are escaped', () => {
    for (const text of ['{"__proto__":{"a":1}}', '[{"\\u005f_proto__":null}]', '{"constructor":{"prototype":{"a":1}}}'])
      expect(findProblem(text)).toBe('The request is not valid JSON.');
    expect(parseBoundedJson('{"constructor":"Ltd","a":"__proto__"}')).toEqual({ constructor: 'Ltd', a: '__proto__' });
  });

  it('rejects what is not JSON, naming the subject', () => {
    for (const text of ['', '{', '"', '"\\', '[1,]', ']]]]', "{'a':1}"])
      expect(findProblem(text)).toBe('The request is not valid JSON.');
    expect(() => parseBoundedJson('{', 'The first frame')).toThrow('The first frame is not valid JSON.');
  });
});
