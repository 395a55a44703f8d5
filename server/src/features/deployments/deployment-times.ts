import { DateTime } from 'luxon';

/**
 * Parses an ISO text; without an offset it is in the given time zone. Returns an Invalid Date if it
 * is not valid or its year does not have four digits.
 */
export function readInstant(text: string, timeZone: string): Date {
  const read = DateTime.fromISO(text.trim(), { zone: timeZone });
  const { year } = read.toUTC();
  return read.isValid && year > 0 && year < 9999 ? read.toJSDate() : new Date(Number.NaN);
}

/** Returns for example "Mon 23 Nov 2026 18:00:00 UTC+02:00", in the given time zone. */
export function formatInstant(instant: string | Date, timeZone: string): string {
  return DateTime.fromJSDate(new Date(instant))
    .setZone(timeZone)
    .setLocale('en-GB')
    .toFormat("ccc d LLL yyyy HH:mm:ss 'UTC'ZZ");
}
