import { describe, expect, test } from 'vitest';
import { scheduleFor } from './schedule.fixture.ts';
import { countByPeriod, filterByPeriod } from './schedule-periods.ts';
import { toScheduleRows } from './schedule-rows.ts';

/** Shortly after midnight in Johannesburg, while it is still the day before in UTC. */
const clock = { now: Date.parse('2026-11-23T22:30:00Z'), today: '2026-11-24' };

const rows = toScheduleRows(
  [
    { id: 'late', deploymentDate: '2026-11-23T16:00:00Z' },
    { id: 'done', deploymentDate: '2026-11-23T16:00:00Z', scheduleStatus: 'RESOLVED' as const },
    { id: 'just passed', deploymentDate: '2026-11-23T22:15:00Z' },
    { id: 'this evening', deploymentDate: '2026-11-24T16:00:00Z' },
    { id: 'last of the week', deploymentDate: '2026-11-30T22:29:59Z' },
    { id: 'a week from now', deploymentDate: '2026-11-30T22:30:00Z' },
  ].map(scheduleFor),
  'Africa/Johannesburg',
);

describe('periods of schedules', () => {
  test.each([
    ['overdue', ['late', 'just passed']],
    ['today', ['just passed', 'this evening']],
    ['week', ['this evening', 'last of the week']],
  ] as const)('%s', (period, ids) => {
    expect(filterByPeriod(rows, period, clock).map(({ schedule }) => schedule.id)).toEqual(ids);
  });

  test('are counted', () => {
    expect(countByPeriod(rows, clock).map(({ name, count }) => [name, count])).toEqual([
      ['overdue', 2],
      ['today', 2],
      ['week', 2],
    ]);
    expect(filterByPeriod(rows, null, clock)).toHaveLength(rows.length);
  });
});
