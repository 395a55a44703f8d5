import { Cron } from 'croner';
import { describeSchedule } from './schedule-in-words.ts';

export interface ScheduleDescription {
  /** For example "At 02:15"; null if the schedule is invalid. */
  readonly description: string | null;
  /** The next run; null if the schedule is invalid or never due. */
  readonly nextRun: Date | null;
}

const unreadable: ScheduleDescription = { description: null, nextRun: null };

/**
 * Reads a cron schedule of five fields (minute, hour, day of month, month, day of week) in the
 * given time zone.
 */
export function readSchedule(schedule: string, timeZone: string, after: Date): ScheduleDescription {
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...others] = schedule.trim().split(/\s+/);
  if (!minute || !hour || !dayOfMonth || !month || !dayOfWeek || others.length > 0) return unreadable;
  const fields = [minute, hour, dayOfMonth, month, dayOfWeek] as const;
  try {
    const cron = new Cron(fields.join(' '), { timezone: timeZone, paused: true });
    return {
      description: describeSchedule(fields),
      nextRun: cron.nextRun(after),
    };
  } catch {
    return unreadable;
  }
}
