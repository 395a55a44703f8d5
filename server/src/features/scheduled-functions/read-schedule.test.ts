import { describe, expect, it } from 'vitest';
import { readSchedule } from './read-schedule.ts';

const after = new Date('2026-03-08T06:30:00Z');

describe('readSchedule', () => {
  it('describes a schedule and returns its next run in the given time zone', () => {
    expect(readSchedule('15 2 * * *', 'Africa/Johannesburg', after)).toEqual({
      description: 'At 02:15',
      nextRun: new Date('2026-03-09T00:15:00Z'),
    });
  });

  it('follows the change to daylight saving time', () => {
    // In New York the clocks went from 2:00 to 3:00 that day, half an hour after `after`.
    expect(readSchedule('0 4 * * *', 'America/New_York', after).nextRun).toEqual(new Date('2026-03-08T08:00:00Z'));
  });

  it.each(['', 'soon', '* * * *', '0 0 0 * * *', '61 * * * *'])(
    'returns null for the invalid schedule %j',
    (schedule) => {
      expect(readSchedule(schedule, 'UTC', after)).toEqual({ description: null, nextRun: null });
    },
  );

  it('returns no next run for a date that never occurs', () => {
    expect(readSchedule('0 0 30 2 *', 'UTC', after).nextRun).toBeNull();
  });
});
