import { metricSchema, type StatRow } from '@portal/contract/db-spy';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statRow } from '../stat-rows.fixture.ts';
import { maxSlices, toSlices } from './pie-slices.ts';
import { type Order, rankRows } from './ranking.ts';
import { isAdditive } from './stat-metrics.ts';

const number = fc.double({ min: 0, max: 1e9, noNaN: true });
const count = fc.nat(1e9);
const rows: fc.Arbitrary<StatRow[]> = fc
  .array(
    fc.record({
      calls: count,
      rows: count,
      total_time: number,
      mean_time: number,
      stddev_time: number,
      min_time: fc.option(number),
      max_time: fc.option(number),
    }),
    { maxLength: 90 },
  )
  .map((all) => all.map((changes, index) => statRow({ ...changes, id: String(index) })));
const metric = fc.constantFrom(...metricSchema.options);
const order = fc.constantFrom<Order>('ascending', 'descending');
const size = fc.integer({ min: 1, max: 20 }).map((fives) => fives * 5);

describe('statement ranking', () => {
  test('contains the first rows with a value, in order, up to the requested size', () => {
    fc.assert(
      fc.property(rows, metric, order, size, (rows, metric, order, size) => {
        const { ranked } = rankRows(rows, metric, order, size);
        const valued = rows.filter((row) => row[metric] !== null);
        expect(ranked).toHaveLength(Math.min(size, valued.length));
        expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, index) => index + 1));
        const ids = new Set(ranked.map(({ row }) => row.id));
        expect(ids.size).toBe(ranked.length);
        const worst = ranked.at(-1)?.value ?? 0;
        for (const row of valued) {
          const value = row[metric] ?? 0;
          if (!ids.has(row.id)) expect(order === 'descending' ? value <= worst : value >= worst).toBe(true);
        }
      }),
    );
  });

  test('does not depend on the order of the input', () => {
    fc.assert(
      fc.property(rows, metric, order, size, (rows, metric, order, size) => {
        const ids = (some: StatRow[]) => rankRows(some, metric, order, size).ranked.map(({ row }) => row.id);
        expect(ids(rows.toReversed())).toEqual(ids(rows));
      }),
    );
  });

  test('adds up to the total for additive metrics, and has no parts for the others', () => {
    fc.assert(
      fc.property(rows, metric, order, size, (rows, metric, order, size) => {
        const { ranked, other } = rankRows(rows, metric, order, size);
        if (!isAdditive(metric)) {
          expect(other).toBeNull();
          expect(ranked.every(({ part }) => part === null)).toBe(true);
          return;
        }
        const total = rows.reduce((sum, row) => sum + (row[metric] ?? 0), 0);
        const parts = ranked.reduce((sum, { part }) => sum + (part ?? 0), 0) + (other?.part ?? 0);
        expect(parts).toBeCloseTo(total > 0 ? 1 : 0, 6);
        expect(ranked.length + (other?.count ?? 0)).toBe(rows.length);
      }),
    );
  });
});

describe('statement pie', () => {
  test('draws a full circle or none, with at most the maximum number of slices', () => {
    fc.assert(
      fc.property(rows, metric, order, size, (rows, metric, order, size) => {
        const slices = toSlices(rankRows(rows, metric, order, size));
        const angles = slices.reduce((sum, { angle }) => sum + angle, 0);
        expect(angles).toBeCloseTo(slices.some(({ value }) => value > 0) ? 1 : 0, 6);
        expect(slices.filter(({ id }) => id !== null).length).toBeLessThanOrEqual(maxSlices);
        expect(new Set(slices.map(({ key }) => key)).size).toBe(slices.length);
      }),
    );
  });
});

test('adds the ranks beyond the slices to Other when the metric is additive', () => {
  const many = Array.from({ length: maxSlices + 7 }, (_, index) => statRow({ id: String(index), calls: 1 }));
  expect(toSlices(rankRows(many, 'calls', 'descending', 200)).at(-1)).toMatchObject({
    id: null,
    name: 'Other (7)',
    value: 7,
  });
  expect(toSlices(rankRows(many, 'mean_time', 'descending', 200)).every(({ id }) => id !== null)).toBe(true);
});
