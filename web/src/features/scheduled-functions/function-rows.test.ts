import type { ScheduledEvent, ScheduledFunctionResult } from '@portal/contract/scheduled-functions';
import { expect, test } from 'vitest';
import { summarize, toFunctionRows } from './function-rows.ts';

const event = (changes: Partial<ScheduledEvent>): ScheduledEvent => ({
  schedule: '15 2 * * *',
  unit: 'Nightly',
  event: 'closeOldVisits',
  state: 'Enabled',
  scheduleInWords: 'At 02:15',
  nextRun: null,
  ...changes,
});

const failure: ScheduledFunctionResult = {
  qualifiedName: 'Nightly:closeOldVisits',
  started: '2026-11-02T00:15:00Z',
  finished: '2026-11-02T00:15:01Z',
  exception: 'java.lang.IllegalStateException',
  stacktrace: 'at a.b(C.java:1)',
};

test('gives each function its own last run, and none to a function that has not run', () => {
  const rows = toFunctionRows([event({}), event({ event: 'other' })], [failure]);
  expect(rows.map((row) => row.lastResult)).toEqual([failure, null]);
});

test('shows one function with two schedules as two rows with different ids', () => {
  const rows = toFunctionRows([event({}), event({ schedule: '0 6 * * 1' })], [failure]);
  expect(new Set(rows.map((row) => row.id)).size).toBe(2);
  expect(rows.every((row) => row.lastResult === failure)).toBe(true);
});

test('summarizes disabled and failed functions, and omits zero counts', () => {
  expect(summarize(toFunctionRows([event({ event: 'fine' })], [failure]))).toBe('1 scheduled function');
  expect(summarize(toFunctionRows([event({}), event({ event: 'b', state: 'Disabled' })], [failure]))).toBe(
    '2 scheduled functions, 1 disabled, 1 failed in the last run',
  );
  expect(summarize([])).toBe('0 scheduled functions');
});
