import type { ScheduledEvent } from '@portal/contract/scheduled-functions';
import { expect, test } from 'vitest';
import { entryPointRowsOf, functionsOf, timeoutMinsOf, unitsOf } from './entry-points.ts';

const event = (unit: string, name: string): ScheduledEvent => ({
  schedule: '15 2 * * *',
  unit,
  event: name,
  state: 'Enabled',
  scheduleInWords: null,
  nextRun: null,
});

test('rows know their tone and whether they are views', () => {
  const rows = entryPointRowsOf({ 'Nightly:closeOldVisits': 45, 'processViewResponse:VisitList': 20, 'A:b': 19 });
  expect(rows).toEqual([
    { key: 'Nightly:closeOldVisits', timeoutMins: 45, tone: 'danger', isView: false },
    { key: 'processViewResponse:VisitList', timeoutMins: 20, tone: 'warning', isView: true },
    { key: 'A:b', timeoutMins: 19, tone: 'primary', isView: false },
  ]);
});

test('what is not set is null, names every object has included', () => {
  expect(timeoutMinsOf({ 'A:b': 5 }, 'A:b')).toBe(5);
  expect(timeoutMinsOf({ 'A:b': 5 }, 'A:c')).toBeNull();
  expect(timeoutMinsOf({}, 'toString')).toBeNull();
});

test('suggestions are the units and the functions of the chosen unit', () => {
  const events = [event('Reports', 'weekly'), event('Nightly', 'b'), event('Nightly', 'a'), event('Nightly', 'a')];
  expect(unitsOf(events)).toEqual(['Nightly', 'Reports']);
  expect(functionsOf(events, ' Nightly ')).toEqual(['a', 'b']);
  expect(functionsOf(events, '')).toEqual(['a', 'b', 'weekly']);
  expect(functionsOf(events, 'Unknown')).toEqual([]);
});
