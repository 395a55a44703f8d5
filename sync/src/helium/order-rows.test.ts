import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderRows } from './order-rows.ts';

const order = (blockedBy: Readonly<Record<string, readonly string[]>>, canVacate = true) => {
  const found = orderRows(new Map(Object.entries(blockedBy).map(([id, ids]) => [id, new Set(ids)])), () => canVacate);
  return { order: found.order, vacated: [...found.vacated] };
};

test('starts a chain with the row whose value is free', () => {
  expect(order({ a: ['b'], b: ['c'], c: [] })).toEqual({ order: ['c', 'b', 'a'], vacated: [] });
});

test('leaves out the rows that wait for a row outside, however far it is', () => {
  expect(order({ a: ['b'], b: ['c'], c: ['x'], d: [] })).toEqual({ order: ['d'], vacated: [] });
});

test('has one row of each ring give up its value, and none if it cannot', () => {
  const rings = { a: ['b'], b: ['c'], c: ['a'], d: ['e'], e: ['d'], f: ['a'] };
  const { order: ids, vacated } = order(rings);
  expect(ids.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(vacated).toHaveLength(2);
  expect(order(rings, false)).toEqual({ order: [], vacated: [] });
});

test('writes a ring before another row that wants the value of one of its rows', () => {
  const { order: ids } = order({ other: ['a'], a: ['b'], b: ['a'] });
  expect(ids.indexOf('other')).toBe(2);
});

test('never puts a row before one that has its value, unless that gave it up', () => {
  const ids = Array.from({ length: 8 }, (_, at) => String(at));
  const graph = fc.tuple(...ids.map(() => fc.subarray([...ids, 'x'], { maxLength: 2 })));
  fc.assert(
    fc.property(graph, fc.boolean(), (blockers, canVacate) => {
      const blockedBy = Object.fromEntries(ids.map((id, at) => [id, (blockers[at] ?? []).filter((one) => one !== id)]));
      const { order: found, vacated } = order(blockedBy, canVacate);
      const isBlocked = (id: string): boolean => !found.includes(id);
      for (const [at, id] of found.entries())
        for (const blocker of blockedBy[id] ?? [])
          expect(vacated.includes(blocker) || found.slice(0, at).includes(blocker)).toBe(true);
      // A row is left out only if it waits for another that is.
      for (const id of ids.filter(isBlocked)) expect((blockedBy[id] ?? []).some(isBlocked)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
