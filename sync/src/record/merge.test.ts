import { expect, test } from 'vitest';
import { type ConflictPolicy, type Edit, mergeIntoHelium, type Row, unchanged } from './merge.ts';
import type { Intent } from './record-state.ts';

const base = { name: 'Ann', age: 30 };
const deletion: Edit = {
  base,
  after: null,
  changedAtMs: 5_000,
  isListed: false,
  pending: [],
  expected: base,
  deletedAtMs: null,
  isMissingUnlogged: false,
};

/** A row whose name Helium edited later than its age. */
const edited: Row = {
  fields: { name: 'Anne', age: 31 },
  getWrittenAtMs: (column) => (column === 'name' ? 4_000 : 2_000),
};

test.each<[ConflictPolicy, number | null, 'helium' | 'journey']>([
  ['later', 3_000, 'helium'],
  ['later', 4_999, 'helium'],
  ['later', 5_000, 'journey'],
  ['helium', 5_000, 'helium'],
  ['journey', 3_000, 'journey'],
  ['journey', null, 'helium'],
])('by the policy %s, a deletion at %s against edits of which the last is at 4 s: %s wins', (policy, at, winner) => {
  const merged = mergeIntoHelium({ ...deletion, changedAtMs: at }, edited, policy);
  expect(merged).toEqual({
    write: winner === 'journey' ? null : unchanged,
    conflicts: [{ column: null, helium: edited.fields, journey: null, winner }],
  });
});

test.each<[Intent['stage'], number]>([
  ['acknowledged', 1],
  ['superseded', 0],
])('a deletion of a row that only our %s write has changed makes %i conflicts', (stage, conflicts) => {
  const pending: Intent[] = [{ method: 'patch', fields: { age: 31 }, stage, number: 1, row: null }];
  const row = { fields: { name: 'Ann', age: 31 }, getWrittenAtMs: () => 6_000 };
  const expected = row.fields;
  expect(mergeIntoHelium({ ...deletion, expected, pending }, row, 'later').conflicts).toHaveLength(conflicts);
});
