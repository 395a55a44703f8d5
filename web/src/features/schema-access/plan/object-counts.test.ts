import { expect, test } from 'vitest';
import { describeCounts, totalOf } from './object-counts.ts';

test('counts read as a sentence, in the singular and in the plural', () => {
  expect(describeCounts([])).toBe('no objects');
  expect(describeCounts([{ kind: 'table', count: 1 }])).toBe('1 table');
  expect(
    describeCounts([
      { kind: 'table', count: 1200 },
      { kind: 'operator class', count: 2 },
      { kind: 'operator family', count: 3 },
      { kind: 'statistics', count: 2 },
      { kind: 'materialized view', count: 1 },
    ]),
  ).toBe('1,200 tables, 2 operator classes, 3 operator families, 2 statistics and 1 materialized view');
});

test('kinds without objects are not spoken of', () => {
  const counts = [
    { kind: 'view', count: 0 },
    { kind: 'table', count: 4 },
  ];
  expect(describeCounts(counts)).toBe('4 tables');
  expect(totalOf(counts)).toBe(4);
});
