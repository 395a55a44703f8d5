import type { ScheduledEvent } from '@portal/contract/scheduled-functions';
import { expect, test } from 'vitest';
import { getFunctions, getTimeoutMins, getUnits, toEntryPointRows } from './entry-points.ts';

const event = (unit: string, name: string): ScheduledEvent => ({
  schedule: '15 2 * * *',
  unit,
  event: name,
  state: 'Enabled',
  scheduleInWords: null,
  nextRun: null,
});

test('assigns a tone to each row and recognizes views', () => {
  const rows = toEntryPointRows({ 'Nightly:closeOldVisits': 45, 'processViewResponse:VisitList': 20, 'A:b': 19 });
  expect(rows).toEqual([
    { key: 'Nightly:closeOldVisits', timeoutMins: 45, tone: 'danger', isView: false },
    { key: 'processViewResponse:VisitList', timeoutMins: 20, tone: 'warning', isView: true },
    { key: 'A:b', timeoutMins: 19, tone: 'primary', isView: false },
  ]);
});

test('returns null for entry points without a timeout, including names of inherited properties', () => {
  expect(getTimeoutMins({ 'A:b': 5 }, 'A:b')).toBe(5);
  expect(getTimeoutMins({ 'A:b': 5 }, 'A:c')).toBeNull();
  expect(getTimeoutMins({}, 'toString')).toBeNull();
});

test('suggests all units, and the functions of the selected unit', () => {
  const events = [event('Reports', 'weekly'), event('Nightly', 'b'), event('Nightly', 'a'), event('Nightly', 'a')];
  expect(getUnits(events)).toEqual(['Nightly', 'Reports']);
  expect(getFunctions(events, ' Nightly ')).toEqual(['a', 'b']);
  expect(getFunctions(events, '')).toEqual(['a', 'b', 'weekly']);
  expect(getFunctions(events, 'Unknown')).toEqual([]);
});
