import { expect, test } from 'vitest';
import { toSqlHeadline } from './sql-headline.ts';

test('skips leading comments and line breaks in a statement headline', () => {
  expect(toSqlHeadline('\n  select a,\n\tb\nfrom t')).toBe('select a, b from t');
  expect(toSqlHeadline('-- by the portal\n/* two\nlines */ select 1')).toBe('select 1');
});

test('limits a statement headline to what a cell shows, and keeps a statement that is only a comment', () => {
  expect(toSqlHeadline(`select ${'x, '.repeat(2000)}`).length).toBe(300);
  expect(toSqlHeadline('-- nothing else')).toBe('-- nothing else');
  expect(toSqlHeadline('')).toBe('');
});
