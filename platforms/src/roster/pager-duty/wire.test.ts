import { expect, it } from 'vitest';
import { readEntries, scheduleResponse, shiftBasedScheduleResponse } from './wire.ts';

const times = { start: '2026-03-09T08:00:00+02:00', end: '2026-03-16T08:00:00+02:00' };
const user = { id: 'P1', type: 'user_reference', summary: 'Lerato Nkosi' };
const newTimes = { start_time: '2026-03-09T06:00:00Z', end_time: '2026-03-16T06:00:00Z' };

it.each([
  ['without a user', times],
  ['with no user', { ...times, user: null }],
  ['that ends when it starts', { ...times, end: times.start, user }],
])('an entry of version 2 %s is no shift', (_what, entry) => {
  expect(readEntries([entry], 2)).toEqual({ entries: [], unreadable: [] });
});

it.each([
  ['without a member', newTimes],
  ['with an empty member', { ...newTimes, member: { type: 'empty_member' } }],
])('an entry of version 3 %s is no shift', (_what, entry) => {
  expect(readEntries([entry], 3)).toEqual({ entries: [], unreadable: [] });
});

it('entries that cannot be read are reported by their start, and hide no others', () => {
  const good = { ...times, user };
  expect(readEntries([{ ...good, user: { id: 7 } }, null, { ...good, start: 'soon' }, good], 2)).toEqual({
    entries: [{ personId: 'P1', name: 'Lerato Nkosi', start: new Date(times.start), end: new Date(times.end) }],
    unreadable: ['2026-03-09T06:00:00.000Z', undefined, undefined],
  });
  expect(
    readEntries(
      [
        { ...newTimes, member: { type: 'team_member' } },
        { ...newTimes, member: { type: 'user_member' } },
      ],
      3,
    ),
  ).toEqual({ entries: [], unreadable: ['2026-03-09T06:00:00.000Z', '2026-03-09T06:00:00.000Z'] });
});

it.each([
  { schedule: {} },
  { schedule: { final_schedule: null } },
  { schedule: { final_schedule: {} } },
  { schedule: { final_schedule: { rendered_schedule_entries: null, computed_shift_assignments: null } } },
])('a schedule without entries has none: %j', (response) => {
  expect(scheduleResponse.parse(response)).toEqual([]);
  expect(shiftBasedScheduleResponse.parse(response)).toEqual([]);
});
