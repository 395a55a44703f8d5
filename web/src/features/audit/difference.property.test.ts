import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findDifferences } from './difference.ts';

const json = fc.jsonValue({ maxDepth: 4 });

test('finds no differences between a value and itself', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(findDifferences(value, structuredClone(value))).toEqual([]);
    }),
  );
});

test('finds the same paths in reverse, with added and removed swapped', () => {
  const turned = { added: 'removed', removed: 'added', changed: 'changed' } as const;
  fc.assert(
    fc.property(json, json, (before, after) => {
      const backwards = findDifferences(after, before).map((row) => ({
        path: row.path,
        kind: turned[row.kind],
        before: row.after,
        after: row.before,
      }));
      expect(backwards).toEqual(findDifferences(before, after));
    }),
  );
});
