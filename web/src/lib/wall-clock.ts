import { DateTime } from 'luxon';

/** How a clock is written: as the picker of dates does, or as a browser's own field for date and time. */
const shapes = { picker: 'yyyy-MM-dd HH:mm:ss', field: "yyyy-MM-dd'T'HH:mm" } as const;
type Shape = keyof typeof shapes;

/** What the clock of the zone shows: '2026-11-23 08:00:00', in a field '2026-11-23T08:00'. */
export function wallClockOf(instant: Date, timeZone: string, shape: Shape = 'picker'): string {
  return DateTime.fromJSDate(instant, { zone: timeZone }).toFormat(shapes[shape]);
}

/**
 * The instant at which the clock of the zone shows this; null for what no clock there ever shows. In autumn a clock shows an
 * hour twice: it is `stored`, where that is one of the two, else either of them.
 */
export function instantOf(
  wall: string | null,
  timeZone: string,
  { shape = 'picker', stored }: { readonly shape?: Shape; readonly stored?: Date | undefined } = {},
): Date | null {
  if (wall === null) return null;
  if (stored !== undefined && wallClockOf(stored, timeZone, shape) === wall) return stored;
  const time = DateTime.fromFormat(wall, shapes[shape], { zone: timeZone });
  // An hour that is left out in spring is moved on by the library: nobody meant the hour after it.
  return time.isValid && time.toFormat(shapes[shape]) === wall ? time.toJSDate() : null;
}

/** 'Africa/Johannesburg, UTC+02:00' as it is at the instant. */
export function describeZone(timeZone: string, instant: Date): string {
  return `${timeZone}, UTC${DateTime.fromJSDate(instant, { zone: timeZone }).toFormat('ZZ')}`;
}
