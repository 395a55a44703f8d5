import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterRows, paginate, searchTexts, sortRows } from './rows.ts';

interface Row {
  readonly name: string;
  readonly count: number | null;
}
const columns = [
  { id: 'name', value: (row: Row) => row.name },
  { id: 'count', value: (row: Row) => row.count },
];
const rows: Row[] = [
  { name: 'app 10', count: null },
  { name: 'App 9', count: 3 },
  { name: 'ápp 2', count: 20 },
];
const names = (sorted: readonly Row[]) => sorted.map((row) => row.name);

describe('sortRows', () => {
  it('sorts numbers in text by value and ignores case and accents', () => {
    expect(names(sortRows(rows, columns, { id: 'name', descending: false }))).toEqual(['ápp 2', 'App 9', 'app 10']);
  });

  it('sorts missing values last in both directions', () => {
    expect(names(sortRows(rows, columns, { id: 'count', descending: false }))).toEqual(['App 9', 'ápp 2', 'app 10']);
    expect(names(sortRows(rows, columns, { id: 'count', descending: true }))).toEqual(['ápp 2', 'App 9', 'app 10']);
  });

  it('keeps the order for an unknown column', () => {
    expect(sortRows(rows, columns, { id: 'gone', descending: false })).toBe(rows);
  });
});

describe('filterRows', () => {
  const find = (search: string) => names(filterRows(rows, searchTexts(rows, columns), search));

  it('finds rows that contain every word in any column', () => {
    expect(find('APP 3')).toEqual(['App 9']);
    expect(find('  ')).toEqual(names(rows));
    expect(find('nothing')).toEqual([]);
  });
});

describe('paginate', () => {
  it('shows each row on exactly one page, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 20 }), (all, size) => {
        const { pages } = paginate(all, 1, size);
        const shown = Array.from({ length: pages }, (_, index) => paginate(all, index + 1, size).shown).flat();
        expect(shown).toEqual(all);
      }),
    );
  });

  it('returns the last page for a page number beyond the end', () => {
    expect(paginate([1, 2, 3], 9, 2)).toEqual({ page: 2, pages: 2, shown: [3] });
    expect(paginate([], 3, 10)).toEqual({ page: 1, pages: 1, shown: [] });
  });
});
