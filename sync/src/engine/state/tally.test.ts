import { expect, test } from 'vitest';
import { Tally } from './tally.ts';

const none = {
  waiting: 0,
  parked: 0,
  deadLetters: 0,
  skipped: 0,
  keptRows: 0,
  oldestWaiting: null,
  conflicts: 0,
  waitingFiles: 0,
  failedFiles: 0,
  rounded: 0,
  differences: 0,
};

test('adds up the records synced in each direction', () => {
  const tally = new Tally();
  tally.addToJourney(2, 1);
  tally.addToJourney(3, 2);
  tally.addToHelium(7);
  expect([tally.sentToJourney, tally.writtenToHelium]).toEqual([5, 7]);
});

test('counts at the start of a run, and then only on request', async () => {
  const tally = new Tally();
  expect(await tally.recount(async () => none)).toEqual(none);
  expect(await tally.recount(async () => none)).toBeNull();
  tally.requestRecount();
  expect(await tally.recount(async () => none)).toEqual(none);
});

test('counts again when a recount is requested during a count', async () => {
  const tally = new Tally();
  await tally.recount(async () => {
    tally.requestRecount();
    return none;
  });
  expect(await tally.recount(async () => none)).toEqual(none);
});

test('repeats a count that failed', async () => {
  const tally = new Tally();
  await expect(tally.recount(() => Promise.reject(new Error('no connection')))).rejects.toThrow('no connection');
  expect(await tally.recount(async () => none)).toEqual(none);
});

test('reports held records as long as the last count found any that may be retried', async () => {
  const tally = new Tally();
  // Unknown at first, so they are queried.
  expect(tally.hasHeld).toBe(true);
  const results: boolean[] = [];
  for (const counts of [
    { ...none, conflicts: 1 },
    { ...none, parked: 1 },
    { ...none, deadLetters: 1 },
    { ...none, waiting: 1 },
    none,
  ]) {
    tally.requestRecount();
    await tally.recount(async () => counts);
    results.push(tally.hasHeld);
  }
  expect(results).toEqual([false, true, true, true, false]);
});
