import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keepOrder } from './keep-order.ts';

interface Row {
  readonly id: string;
  readonly value: number;
}

const rowId = ({ id }: Row) => id;
const toRows = (ids: string, value = 0): Row[] => [...ids].map((id) => ({ id, value }));
const keep = (shown: string, found: string, all = found) => {
  const rows = toRows(all, 1);
  const kept = keepOrder(toRows(shown), { rows, found: rows.filter(({ id }) => found.includes(id)), rowId });
  return kept.map(({ id, value }) => `${id}${value}`).join(' ');
};

it('keeps each shown row in its place with its new value, and appends new rows', () => {
  expect(keep('abc', 'cabs')).toBe('a1 b1 c1 s1');
});

it('keeps a row that is no longer listed in its place, with its last value', () => {
  expect(keep('abc', 'ca')).toBe('a1 b0 c1');
});

it('shows the new value of a row that the search no longer finds', () => {
  expect(keep('abc', 'ca', 'cab')).toBe('a1 b1 c1');
});

it('takes over a list that has no row in common with the shown one', () => {
  expect(keep('abc', 'xy')).toBe('x1 y1');
});

it('never moves a shown row, and never loses or repeats a found one', () => {
  const ids = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1 }).map((some) => some.join(''));
  fc.assert(
    fc.property(ids, ids, (before, after) => {
      const shown = toRows(before);
      const found = toRows(after, 1);
      const kept = keepOrder(shown, { rows: found, found, rowId });
      expect(kept.filter((row) => found.includes(row))).toHaveLength(found.length);
      expect(new Set(kept.map(rowId)).size).toBe(kept.length);
      if ([...before].some((id) => after.includes(id)))
        expect(kept.slice(0, shown.length).map(rowId)).toEqual([...before]);
    }),
  );
});
