import { expect, test } from 'vitest';
import { describeActivity, fillIntervals, wasLate } from './activity-intervals.ts';

const none = { toJourney: 0, toHelium: 0, toJourneyLagMs: 0, toHeliumLagMs: 0 };

test('fills the intervals in which nothing happened', () => {
  const busy = { ...none, at: 1_000, toJourney: 3 };
  // An interval outside the span is not shown.
  const activity = { from: 500, intervals: [busy, { ...none, at: 2_500, toHelium: 1 }] };
  expect(fillIntervals(activity, { stepMs: 500, intervals: 3 })).toEqual([
    { ...none, at: 500 },
    busy,
    { ...none, at: 1_500 },
  ]);
});

test('describes the records of both directions and the longest lag', () => {
  const intervals = [
    { ...none, at: 0, toJourney: 1_200, toHeliumLagMs: 3_200 },
    { ...none, at: 1, toJourney: 3, toHelium: 1, toJourneyLagMs: 900 },
  ];
  expect(describeActivity(intervals)).toBe('1,203 records to Journey, 1 record to Helium, longest lag 3.2\u00a0s');
  expect(describeActivity([])).toBe('0 records to Journey, 0 records to Helium, no lag');
});

test('takes an interval for late if a change of either side waited as long as a late integration', () => {
  expect([119_000, 121_000].map((toHeliumLagMs) => wasLate({ ...none, at: 0, toHeliumLagMs }))).toEqual([false, true]);
  expect(wasLate({ ...none, at: 0, toJourneyLagMs: 121_000 })).toBe(true);
});
