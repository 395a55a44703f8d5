import type { Schedule } from '@portal/contract/deployments';
import { createZoneFormatter } from '../../../format/instants.ts';

/** A schedule with its sort and search values, computed once because there may be thousands. */
export interface ScheduleRow {
  readonly schedule: Schedule;
  /** 'YYYY-MM-DD HH:mm:ss' in the environment's time zone. */
  readonly at: string;
  readonly apps: string;
  readonly schemas: string;
}

export function toScheduleRows(schedules: readonly Schedule[], timeZone: string): ScheduleRow[] {
  const clock = createZoneFormatter(timeZone);
  return schedules.map((schedule) => ({
    schedule,
    at: clock(new Date(schedule.deploymentDate)),
    apps: schedule.appNames.join(', '),
    schemas: schedule.appSchemas.join(', '),
  }));
}

/** Groups rows by day, 'YYYY-MM-DD', and sorts each day by time. */
export function groupByDay(rows: readonly ScheduleRow[]): ReadonlyMap<string, readonly ScheduleRow[]> {
  const byDay = new Map<string, ScheduleRow[]>();
  for (const row of rows) {
    const day = row.at.slice(0, 10);
    const others = byDay.get(day);
    if (others) others.push(row);
    else byDay.set(day, [row]);
  }
  for (const dayRows of byDay.values()) dayRows.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
  return byDay;
}

/** Formats the time of day: '18:00', or '18:00:30' if the seconds are not zero. */
export function formatTime({ at }: ScheduleRow): string {
  return at.endsWith(':00') ? at.slice(11, 16) : at.slice(11);
}
