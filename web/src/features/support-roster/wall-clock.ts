import { DateTime } from 'luxon';

const wallFormat = "yyyy-MM-dd'T'HH:mm";

/** An ISO instant as the clock of the zone shows it: '2026-11-23T08:00', as a field for date and time holds it. */
export function wallClockOf(at: string, timeZone: string): string {
  return DateTime.fromISO(at, { zone: timeZone }).toFormat(wallFormat);
}

/**
 * The ISO instant at which the clock of the zone shows this; null for what no clock there ever shows. In autumn a clock
 * shows an hour twice: it is `stored`, where that is one of the two, else either of them.
 */
export function instantOfWall(wall: string, timeZone: string, stored?: string): string | null {
  if (stored !== undefined && wallClockOf(stored, timeZone) === wall) return stored;
  const there = DateTime.fromFormat(wall, wallFormat, { zone: timeZone });
  // An hour that is left out in spring is moved on by the library: nobody meant the hour after it.
  return there.isValid && there.toFormat(wallFormat) === wall ? there.toUTC().toISO() : null;
}
