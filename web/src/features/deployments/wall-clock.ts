import { DateTime } from 'luxon';

const shape = 'yyyy-MM-dd HH:mm:ss';

/** The instant of a 'YYYY-MM-DD HH:mm:ss' on the clock of the zone; null where the text is none. */
export function instantOf(wallClock: string | null, timeZone: string): Date | null {
  if (wallClock === null) return null;
  const time = DateTime.fromFormat(wallClock, shape, { zone: timeZone });
  return time.isValid ? time.toJSDate() : null;
}

/** 'YYYY-MM-DD HH:mm:ss' by the clock of the zone: the inverse of `instantOf`. */
export function wallClockOf(instant: Date, timeZone: string): string {
  return DateTime.fromJSDate(instant, { zone: timeZone }).toFormat(shape);
}

/** 'Africa/Johannesburg, UTC+02:00' as it is at the instant. */
export function describeZone(timeZone: string, instant: Date): string {
  return `${timeZone}, UTC${DateTime.fromJSDate(instant, { zone: timeZone }).toFormat('ZZ')}`;
}
