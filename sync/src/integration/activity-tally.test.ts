import { expect, test } from 'vitest';
import { ActivityTally } from './activity-tally.ts';
import { figuresSchema } from './figures.ts';

/** The beginning of an interval. */
const from = Date.UTC(2026, 10, 27, 8, 15);
const nothing = figuresSchema.parse({});
const none = { toJourney: 0, toHelium: 0, toJourneyLagMs: 0, toHeliumLagMs: 0 };

test('adds up what a run syncs, by interval, and does not return it again', () => {
  const tally = new ActivityTally();
  const reports = [0, 3, 10].map((syncedToJourney) => ({ ...nothing, syncedToJourney, syncedToHelium: 2 }));
  const [start = nothing, second = nothing, third = nothing] = reports;
  tally.count('7', nothing, start, from + 1);
  tally.count('7', start, second, from + 2);
  tally.count('7', second, third, from + 900_000);
  tally.count('8', nothing, second, from + 3);
  expect(tally.take()).toEqual([
    { ...none, id: '7', at: from, toJourney: 3, toHelium: 2 },
    { ...none, id: '7', at: from + 900_000, toJourney: 7 },
    { ...none, id: '8', at: from, toJourney: 3, toHelium: 2 },
  ]);
  expect(tally.take()).toEqual([]);
});

test('counts on when the next run starts from zero', () => {
  const tally = new ActivityTally();
  const [ended, started] = [{ ...nothing, syncedToHelium: 40 }, nothing];
  tally.count('7', ended, started, from);
  tally.count('7', ended, { ...started, syncedToHelium: 2 }, from);
  expect(tally.take()).toEqual([{ ...none, id: '7', at: from, toHelium: 2 }]);
});

test('remembers the longest wait of a change, also after it was synced', () => {
  const tally = new ActivityTally();
  const waiting = { ...nothing, heliumToJourneyWaitingSinceMs: from - 5_000, journeyToHeliumWaitingSinceMs: from + 50 };
  tally.count('7', nothing, waiting, from);
  tally.count('7', waiting, nothing, from + 1_000);
  tally.count('7', nothing, nothing, from + 9_000);
  expect(tally.take()).toEqual([{ ...none, id: '7', at: from, toJourneyLagMs: 6_000, toHeliumLagMs: 950 }]);
});

test('adds what could not be stored to what was counted in the meantime', () => {
  const tally = new ActivityTally();
  tally.count('7', nothing, { ...nothing, syncedToJourney: 5, journeyToHeliumWaitingSinceMs: null }, from);
  const taken = tally.take();
  tally.count('7', nothing, { ...nothing, syncedToJourney: 1 }, from + 10);
  tally.putBack(taken);
  expect(tally.take()).toEqual([{ ...none, id: '7', at: from, toJourney: 6 }]);
});
