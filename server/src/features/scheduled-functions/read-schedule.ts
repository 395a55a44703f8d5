import { Cron } from 'croner';
import cronstrue from 'cronstrue';

export interface ScheduleDescription {
  /** "At 02:15 AM"; null where the schedule cannot be read. */
  readonly description: string | null;
  /** The next time it is due; null where it cannot be read or never comes. */
  readonly nextRun: Date | null;
}

const unreadable: ScheduleDescription = { description: null, nextRun: null };

/**
 * Reads a schedule of five fields (minute, hour, day of month, month, day of week) as a clock in
 * that zone shows it.
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
