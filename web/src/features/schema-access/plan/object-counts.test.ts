import { expect, test } from 'vitest';
import { describeCounts, sumCounts } from './object-counts.ts';

test('formats counts as a phrase with singular and plural', () => {
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

test('omits kinds without objects', () => {
  const counts = [
    { kind: 'view', count: 0 },
    { kind: 'table', count: 4 },
  ];
  expect(describeCounts(counts)).toBe('4 tables');
  expect(sumCounts(counts)).toBe(4);
});
