import { describe, expect, test } from 'vitest';
import { scheduleFor } from './schedule.fixture.ts';
import { formatTime, groupByDay, toScheduleRows } from './schedule-rows.ts';

const zone = 'Africa/Johannesburg';

describe('schedule rows', () => {
  test("show the time in the environment's time zone, across midnight too", () => {
    const instants = ['2026-11-24T16:00:00Z', '2026-11-24T22:30:05Z'];
    const rows = toScheduleRows(
      instants.map((deploymentDate) => scheduleFor({ deploymentDate })),
      zone,
    );
    expect(rows.map((row) => row.at)).toEqual(['2026-11-24 18:00:00', '2026-11-25 00:30:05']);
    expect(rows.map(formatTime)).toEqual(['18:00', '00:30:05']);
    expect(rows[0]).toMatchObject({ apps: 'Clinic Visits, Stock Room', schemas: 'clinic_visits, stock_room' });
  });

  test('groups rows by day with the earliest first', () => {
    const rows = toScheduleRows(
      [
        scheduleFor({ id: 'late', deploymentDate: '2026-11-24T18:00:00Z' }),
        scheduleFor({ id: 'early', deploymentDate: '2026-11-24T06:00:00Z' }),
        scheduleFor({ id: 'next day', deploymentDate: '2026-11-24T22:00:00Z' }),
      ],
      zone,
    );
    const days = [...groupByDay(rows)].map(([day, dayRows]) => [day, dayRows.map((row) => row.schedule.id)]);
    expect(days).toEqual([
      ['2026-11-24', ['early', 'late']],
      ['2026-11-25', ['next day']],
    ]);
  });
});
