import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BlockedBy, orderRows } from './order-rows.ts';
import { type Order, removeSlice, takeSlice } from './slice-order.ts';

const toBlockedBy = (blockers: Readonly<Record<string, readonly string[]>>): BlockedBy =>
  new Map(Object.entries(blockers).map(([id, ids]) => [id, new Set(ids)]));
const slice = (blockers: Readonly<Record<string, readonly string[]>>, limit: number) => {
  const blockedBy = toBlockedBy(blockers);
  return takeSlice(orderRows(blockedBy, () => true).order, blockedBy, limit);
};

test('takes as many whole rings as fit', () => {
  const { ids, step } = slice({ a: ['b'], b: ['a'], c: ['d'], d: ['c'], e: ['f'], f: ['e'] }, 5);
  expect(ids.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(step).toBe(null);
});

test('takes a part of a longer ring, and the row that gets the value which the part gives up', () => {
  expect(slice({ a: ['b'], b: ['c'], c: ['d'], d: ['a'] }, 2)).toEqual({
    ids: ['d', 'c', 'a'],
    step: { row: 'a', from: 'c' },
  });
});

test('takes no part of rings in which several rows give up their values', () => {
  expect(slice({ a: ['b', 'd'], b: ['c', 'a'], c: ['a', 'd'], d: ['b', 'a'] }, 1)).toEqual({ ids: [], step: null });
});

test('brings each row to its value in transactions of few rows, and no two rows have one value in between', () => {
  const values = Array.from({ length: 12 }, (_, at) => at);
  const permutation = fc.shuffledSubarray(values, { minLength: values.length });
  fc.assert(
    fc.property(permutation, fc.integer({ min: 1, max: 5 }), (wanted, limit) => {
      const present = new Map(values.map((value) => [String(value), value]));
      const isDone = (id: string) => present.get(id) === wanted[Number(id)];
      let planned: Order | null = null;
      for (let left = values.length; left > 0; left -= 1) {
        const open = [...present.keys()].filter((id) => !isDone(id));
        if (open.length === 0) return;
        const owners = new Map([...present].map(([id, value]) => [value, id]));
        const blockedBy = toBlockedBy(
          Object.fromEntries(open.map((id) => [id, [owners.get(wanted[Number(id)] ?? -1) ?? '']])),
        );
        // Every second slice is taken from what the one before has left.
        const order: Order = planned ?? { order: orderRows(blockedBy, () => true).order, blockedBy };
        // The row of a step may have got its own value.
        expect(new Map([...order.blockedBy].filter(([id]) => !isDone(id)))).toEqual(blockedBy);
        expect(order.order.filter((id) => !isDone(id)).toSorted()).toEqual(open.toSorted());
        const slice = takeSlice(order.order, order.blockedBy, limit);
        planned = planned ? null : removeSlice(order, slice);
        const { ids, step } = slice;
        expect(ids.length).toBeGreaterThan(0);
        expect(ids.length).toBeLessThanOrEqual(limit + 1);
        const given = step && present.get(step.from);
        for (const id of ids) present.set(id, id === step?.row ? (given ?? -1) : (wanted[Number(id)] ?? -1));
        expect(new Set(present.values())).toEqual(new Set(values));
      }
      expect([...present.keys()].filter((id) => !isDone(id))).toEqual([]);
    }),
  );
});
