import { isAdditive, metricSchema, orderSchema } from '@portal/contract/db-spy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rankRows } from './rank-rows.ts';
import type { RowNumbers } from './statement-rows.ts';

const number = fc.double({ min: 0, max: 1e9, noNaN: true });
const count = fc.nat(1e9);
const counted = fc.record({
  calls: count,
  rows: count,
  total_time: number,
  mean_time: number,
  stddev_time: number,
  min_time: fc.option(number),
  max_time: fc.option(number),
  isInner: fc.boolean(),
});
const rows = fc.array(counted, { maxLength: 90 }).map((all) =>
  all.map(
    ({ isInner, ...one }, index): RowNumbers => ({
      ...one,
      ...(isInner && { isInner }),
      id: String(index),
      queryLength: null,
      ranBy: null,
      share: 0,
      plan_time: null,
      cache_hit: null,
      io_time: null,
      temp_bytes: null,
      wal_bytes: null,
    }),
  ),
);
const request = fc.record({
  metric: fc.constantFrom(...metricSchema.options),
  order: fc.constantFrom(...orderSchema.options),
  limit: fc.integer({ min: 1, max: 100 }),
});

describe('ranked statements', () => {
  it('are the first rows with a value, best first, and none of the rest is better', () => {
    fc.assert(
      fc.property(rows, request, (all, { metric, order, limit }) => {
        const { first, count } = rankRows(all, { metric, order, limit });
        const valued = all.filter((row) => row[metric] !== null);
        expect(count).toBe(all.length);
        expect(first).toHaveLength(Math.min(limit, valued.length));
        const values = first.map((row) => row[metric] ?? 0);
        const isBetter = (one: number, other: number) => (order === 'descending' ? one > other : one < other);
        expect(values.some((value, index) => isBetter(value, values[index - 1] ?? value))).toBe(false);
        const ids = new Set(first.map(({ id }) => id));
        const rest = valued.filter(({ id }) => !ids.has(id));
        expect(rest.some((row) => isBetter(row[metric] ?? 0, values.at(-1) ?? 0))).toBe(false);
      }),
    );
  });

  it('do not depend on the order of the rows', () => {
    fc.assert(
      fc.property(rows, request, (all, wanted) => {
        expect(rankRows(all.toReversed(), wanted).first).toEqual(rankRows(all, wanted).first);
      }),
    );
  });

  it('add up to the total with the rest, if the metric is additive, with each time counted once', () => {
    fc.assert(
      fc.property(rows, request, (all, { metric, order, limit }) => {
        const { first, rest } = rankRows(all, { metric, order, limit });
        if (!isAdditive(metric)) {
          expect(rest).toBeNull();
          return;
        }
        const sum = (some: readonly RowNumbers[]) =>
          some.reduce((total, row) => total + (metric === 'total_time' && row.isInner ? 0 : (row[metric] ?? 0)), 0);
        expect(first.length + (rest?.count ?? 0)).toBe(all.length);
        const total = sum(all);
        expect(sum(first) + (rest?.value ?? 0)).toBeCloseTo(total, total > 1e6 ? 0 : 3);
      }),
    );
  });
});
