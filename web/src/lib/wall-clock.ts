import dayjs from 'dayjs';
import timezone from 'dayjs/plugin/timezone';
import utc from 'dayjs/plugin/utc';

dayjs.extend(utc);
dayjs.extend(timezone);

/**
 * How a clock is written: as the picker of dates does, or as a browser's own field for date and
 * time.
 */
const shapes = { picker: 'YYYY-MM-DD HH:mm:ss', field: 'YYYY-MM-DD[T]HH:mm' } as const;
type Shape = keyof typeof shapes;

/** What the clock of the zone shows: '2026-11-23 08:00:00', in a field '2026-11-23T08:00'. */
export function wallClockOf(instant: Date, timeZone: string, shape: Shape = 'picker'): string {
  const there = dayjs(instant).tz(timeZone);
  // Formatted as if it were UTC: the library reads the browser's own clock, which skips an hour of
  // its own in spring.
  return dayjs.utc(instant).add(there.utcOffset(), 'minute').format(shapes[shape]);
}

/**
 * The instant at which the clock of the zone shows this; null for what no clock there ever shows.
 * In autumn a clock shows an hour twice: it is `stored`, where that is one of the two, else either
 * of them.
 */
export function instantOf(
  wall: string | null,
  timeZone: string,
  { shape = 'picker', stored }: { readonly shape?: Shape; readonly stored?: Date | undefined } = {},
): Date | null {
  if (wall === null) return null;
  if (stored !== undefined && wallClockOf(stored, timeZone, shape) === wall) return stored;
  const time = dayjs.tz(wall, timeZone).toDate();
  // The library reads other shapes too, and moves on an hour that is left out in spring: nobody
  // meant the one after it.
  return !Number.isNaN(time.getTime()) && wallClockOf(time, timeZone, shape) === wall ? time : null;
}

/** 'Africa/Johannesburg, UTC+02:00' as it is at the instant. */
export function describeZone(timeZone: string, instant: Date): string {
  return `${timeZone}, UTC${dayjs(instant).tz(timeZone).format('Z')}`;
}
