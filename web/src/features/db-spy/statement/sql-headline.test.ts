import { expect, test } from 'vitest';
import { toSqlHeadline } from './sql-headline.ts';

test('a statement begins where its words do, in one line', () => {
  expect(toSqlHeadline('\n  select a,\n\tb\nfrom t')).toBe('select a, b from t');
  expect(toSqlHeadline('-- by the portal\n/* two\nlines */ select 1')).toBe('select 1');
});

test('no cell holds more than it shows; comments alone still show', () => {
  expect(toSqlHeadline(`select ${'x, '.repeat(2000)}`).length).toBe(300);
  expect(toSqlHeadline('-- nothing else')).toBe('-- nothing else');
  expect(toSqlHeadline('')).toBe('');
});
