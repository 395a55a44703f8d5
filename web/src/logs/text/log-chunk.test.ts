import { expect, it } from 'vitest';
import { buildChunk, getRowCodes, getRowLine, getRowValue, joinChunks, type LogRow } from './log-chunk.ts';

const green = '\u001b[32m';
const reset = '\u001b[0m';
const record = (value: string, key = 'INFO'): LogRow => ({ millis: 1, key, value });

it('stores the text without escape sequences, and returns each value as it was sent', () => {
  const values = ['plain', `${green}ok${reset} done`, `two\n${green}lines${reset}`, `half ${'\u001b'}[3`];
  const left = buildChunk(
    0,
    values.slice(0, 2).map((value) => record(value)),
    null,
  );
  const right = buildChunk(
    2,
    values.slice(2).map((value) => record(value)),
    null,
  );
  const chunk = joinChunks(left, right);
  expect(chunk.text).toBe('plain\nok done\ntwo\nlines\nhalf \u001b[3');
  expect(values.map((_, index) => getRowValue(chunk, index))).toEqual(values);
  expect(getRowCodes(chunk, 2).map(({ at }) => at)).toEqual([4, 9]);
  expect(getRowLine(chunk, 2, 1)).toEqual({ start: 4, text: 'lines' });
});

it('returns the value of an error without the name that was put before it', () => {
  const value = `${green}no such row${reset}`;
  const chunk = buildChunk(0, [record(value, 'Runtime Error')], null);
  expect(chunk.text).toBe('Runtime Error: no such row');
  expect(getRowValue(chunk, 0)).toBe(value);
});
