import dayjs from 'dayjs';
import timezone from 'dayjs/plugin/timezone';
import utc from 'dayjs/plugin/utc';

dayjs.extend(utc);
dayjs.extend(timezone);

/** Wall-clock formats of the date picker and of the browser's date-time field. */
const formats = { picker: 'YYYY-MM-DD HH:mm:ss', field: 'YYYY-MM-DD[T]HH:mm' } as const;
type WallClockFormat = keyof typeof formats;

/**
 * Returns the wall-clock time in a time zone: '2026-11-23 08:00:00', or '2026-11-23T08:00' for a
 * field.
 */
export function toWallClock(instant: Date, timeZone: string, format: WallClockFormat = 'picker'): string {
  const zoned = dayjs(instant).tz(timeZone);
  // Format as if it were UTC: the library reads the browser's own clock, which skips an hour in
  // spring.
  return dayjs.utc(instant).add(zoned.utcOffset(), 'minute').format(formats[format]);
}

/**
 * Returns the instant at which the zone's clock shows this time, or null if it never does. In
 * autumn one hour occurs twice: prefers `preferred` if it is one of the two, otherwise returns
 * either.
 */
export function parseWallClock(
  wall: string | null,
  timeZone: string,
  { format = 'picker', preferred }: { readonly format?: WallClockFormat; readonly preferred?: Date | undefined } = {},
): Date | null {
  if (wall === null) return null;
  if (preferred !== undefined && toWallClock(preferred, timeZone, format) === wall) return preferred;
  const time = dayjs.tz(wall, timeZone).toDate();
  // The library also parses other formats and shifts times that are skipped in spring. Neither is
  // what the user meant.
  return !Number.isNaN(time.getTime()) && toWallClock(time, timeZone, format) === wall ? time : null;
}

/** Describes a zone with its UTC offset at the instant: 'Africa/Johannesburg, UTC+02:00'. */
export function describeZone(timeZone: string, instant: Date): string {
  return `${timeZone}, UTC${dayjs(instant).tz(timeZone).format('Z')}`;
}
