import { Cron } from 'croner';
import cronstrue from 'cronstrue';

export interface ScheduleDescription {
  /** For example "At 02:15 AM"; null if the schedule is invalid. */
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
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5) return unreadable;
  try {
    const cron = new Cron(fields.join(' '), { timezone: timeZone, paused: true });
    return {
      description: cronstrue.toString(fields.join(' '), { use24HourTimeFormat: true }),
      nextRun: cron.nextRun(after),
    };
  } catch {
    return unreadable;
  }
}
