import { expect, test } from 'vitest';
import { describeCounts, totalOf } from './object-counts.ts';

test('counts read as a sentence, in the singular and in the plural', () => {
  expect(describeCounts([])).toBe('no objects');
  expect(describeCounts([{ kind: 'table', count: 1 }])).toBe('1 table');
  expect(
    describeCounts([
      { kind: 'table', count: 1200 },
      { kind: 'index', count: 2 },
      { kind: 'policy', count: 3 },
      { kind: 'materialized view', count: 1 },
    ]),
  ).toBe('1,200 tables, 2 indexes, 3 policies and 1 materialized view');
});

test('kinds without objects are not spoken of', () => {
  const counts = [
    { kind: 'view', count: 0 },
    { kind: 'table', count: 4 },
  ];
  expect(describeCounts(counts)).toBe('4 tables');
  expect(totalOf(counts)).toBe(4);
});
