import { expect, test } from 'vitest';
import { StateRevision } from './revision.ts';
import { StateRestored } from './state-restored.ts';

/** Saves the row with this revision. */
const save = (state: StateRevision, revision: number) => state.follow(async (check) => check(revision));

test('accepts increasing revisions, also when other processes have increased it in between', async () => {
  const state = new StateRevision(3);
  await save(state, 4);
  await save(state, 9);
});

test('rejects a revision that this run or the previous one has already saved', async () => {
  const state = new StateRevision(3);
  await expect(save(state, 3)).rejects.toBeInstanceOf(StateRestored);
  await save(state, 4);
  await expect(save(state, 4)).rejects.toBeInstanceOf(StateRestored);
});

test('ignores the revision of a transaction that was rolled back', async () => {
  const state = new StateRevision(3);
  const rolledBack = state.follow(async (check) => {
    check(4);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  await save(state, 4);
});

test('finds a stored revision behind the last transaction, unless that ended while it was read', async () => {
  const state = new StateRevision(3);
  const check = state.expectStored();
  await save(state, 4);
  check(3);
  expect(() => check(2)).toThrow(StateRestored);
  expect(() => state.expectStored()(3)).toThrow(StateRestored);
  state.expectStored()(4);
});
