import { expect, test } from 'vitest';
import { Tally } from './tally.ts';

const none = { deadLetters: 0, parked: 0, conflicts: 0 };

test('adds up what was synced in each direction', () => {
  const tally = new Tally();
  tally.addToJourney(2);
  tally.addToJourney(3);
  tally.addToHelium(7);
  expect([tally.sentToJourney, tally.writtenToHelium]).toEqual([5, 7]);
});

test('counts at the start of a run, and then only when requested', async () => {
  const tally = new Tally();
  expect(await tally.recount(async () => none)).toEqual(none);
  expect(await tally.recount(async () => none)).toBeNull();
  tally.requestRecount();
  expect(await tally.recount(async () => none)).toEqual(none);
});

test('a request while records are counted leads to another count', async () => {
  const tally = new Tally();
  await tally.recount(async () => {
    tally.requestRecount();
    return none;
  });
  expect(await tally.recount(async () => none)).toEqual(none);
});

test('a count that fails is repeated', async () => {
  const tally = new Tally();
  await expect(tally.recount(() => Promise.reject(new Error('no connection')))).rejects.toThrow('no connection');
  expect(await tally.recount(async () => none)).toEqual(none);
});

test('records are held as long as dead letters or parked records were counted', async () => {
  const tally = new Tally();
  // Unknown yet: they are looked for.
  expect(tally.hasHeld).toBe(true);
  const results: boolean[] = [];
  for (const counts of [{ ...none, conflicts: 1 }, { ...none, parked: 1 }, { ...none, deadLetters: 1 }, none]) {
    tally.requestRecount();
    await tally.recount(async () => counts);
    results.push(tally.hasHeld);
  }
  expect(results).toEqual([false, true, true, false]);
});
