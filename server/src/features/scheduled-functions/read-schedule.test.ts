import { Cron } from 'croner';
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

  it.each([
    ['*/15 * * * *', 'Every 15 minutes'],
    ['*/45 * * * *', 'At 0 and 45 minutes past the hour'],
    ['*/7 * * * *', 'At 0, 7, 14, 21, 28, 35, 42, 49, and 56 minutes past the hour'],
    ['0 */6 * * *', 'On the hour, every 6 hours'],
    ['0 */5 * * *', 'At 00:00, 05:00, 10:00, 15:00 and 20:00'],
    ['0 9 */10 * *', 'At 09:00, on day 1, 11, 21, and 31 of the month'],
    ['0 9 1 */5 *', 'At 09:00, on day 1 of the month, only in January, June, and November'],
    ['0 9 * * */2', 'At 09:00, only on Sunday, Tuesday, Thursday, and Saturday'],
    ['0 9 13 * 5', 'At 09:00, on day 13 of the month or on Friday'],
    ['0 9 1-7 */6 1-5', 'At 09:00, between day 1 and 7 of the month or Monday through Friday, every 6 months'],
    ['0 9 ? * 5', 'At 09:00, only on Friday'],
  ])('describes %s as it runs', (schedule, description) => {
    expect(readSchedule(schedule, 'UTC', after).description).toBe(description);
  });

  it('lists the values of exactly those steps whose gap differs at the end of an hour', () => {
    for (let step = 2; step < 60; step += 1) {
      const { description } = readSchedule(`*/${step} * * * *`, 'UTC', after);
      const cron = new Cron(`*/${step} * * * *`, { timezone: 'UTC', paused: true });
      const runs = cron.nextRuns(60, after).map((run) => run.getTime());
      const gaps = new Set(runs.slice(1).map((run, index) => run - (runs[index] ?? run)));
      expect([step, description?.startsWith('Every')]).toEqual([step, gaps.size === 1]);
    }
  });

  it('returns no next run for a date that never occurs', () => {
    expect(readSchedule('0 0 30 2 *', 'UTC', after).nextRun).toBeNull();
  });
});
