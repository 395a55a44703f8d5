import { isAdditive, metricSchema } from '@portal/contract/db-spy';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statRow } from '../stat-rows.fixture.ts';
import { maxSlices, toSlices } from './pie-slices.ts';
import { toRanking } from './ranking.ts';

const number = fc.double({ min: 0, max: 1e9, noNaN: true });
const count = fc.nat(1e9);
const rows = fc
  .array(
    fc.record({
      calls: count,
      rows: count,
      total_time: number,
      mean_time: number,
      stddev_time: number,
      min_time: number,
      max_time: number,
      isInner: fc.constantFrom(true, undefined),
    }),
    { maxLength: 90 },
  )
  .map((all) => all.map((changes, index) => statRow({ ...changes, id: String(index) })));
const metric = fc.constantFrom(...metricSchema.options);
/** The server sends no rest for metrics that are not additive. */
const stats = fc.record({ rows, rest: fc.option(fc.record({ count: fc.integer({ min: 1 }), value: number })) });

describe('statement ranking', () => {
  test('adds up to the total with the rest for additive metrics, and has no parts for the others', () => {
    fc.assert(
      fc.property(stats, metric, ({ rows, rest }, metric) => {
        const { ranked, other } = toRanking({ rows, rest: isAdditive(metric) ? rest : null }, metric);
        expect(ranked.map(({ rank, row }) => [rank, row])).toEqual(rows.map((row, index) => [index + 1, row]));
        if (!isAdditive(metric)) {
          expect(other).toBeNull();
          expect(ranked.every(({ part }) => part === null)).toBe(true);
          return;
        }
        const counted = ranked.filter(({ row }) => !(metric === 'total_time' && row.isInner));
        const total = counted.reduce((sum, { value }) => sum + value, rest?.value ?? 0);
        const parts = counted.reduce((sum, { part }) => sum + (part ?? 0), 0) + (other?.part ?? 0);
        expect(ranked.every(({ part }) => part !== null && part <= 1)).toBe(true);
        expect(parts).toBeCloseTo(total > 0 ? 1 : 0, 6);
        expect(other?.count).toBe(rest?.count);
      }),
    );
  });
});

describe('statement pie', () => {
  test('draws a full circle or none, with at most the maximum number of slices', () => {
    fc.assert(
      fc.property(stats, metric, (stats, metric) => {
        const slices = toSlices(toRanking(stats, metric));
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
  expect(toSlices(toRanking({ rows: many, rest: null }, 'calls')).at(-1)).toMatchObject({
    id: null,
    name: 'Other (7)',
    value: 7,
  });
  expect(toSlices(toRanking({ rows: many, rest: null }, 'mean_time')).every(({ id }) => id !== null)).toBe(true);
});
