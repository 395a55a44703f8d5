import { DateTime } from 'luxon';

const years = { first: 2000, last: 2200 };

/** An ISO time that says how far it is from UTC; undefined for anything else. */
export function readInstant(text: string): Date | undefined {
  if (!/\d[Tt ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return undefined;
  return toPlausibleDate(DateTime.fromISO(text.replace(' ', 'T')));
}

/**
 * "YYYY-MM-DD HH:MM" by the clock of the zone; undefined for anything else, and for times that its
 * clocks leave out.
 */
export function readWallTime(text: string, timeZone: string): Date | undefined {
  const written = text.replace('T', ' ');
  const time = DateTime.fromFormat(written, 'yyyy-MM-dd HH:mm', { zone: timeZone });
  return time.isValid && time.toFormat('yyyy-MM-dd HH:mm') === written ? toPlausibleDate(time) : undefined;
}

/** The beginning of a day "YYYY-MM-DD" by the clock of the zone; undefined for anything else. */
export function readDay(text: string, timeZone: string): Date | undefined {
  return toPlausibleDate(DateTime.fromFormat(text, 'yyyy-MM-dd', { zone: timeZone }));
}

/** The day "YYYY-MM-DD" on which it is that moment by the clock of the zone. */
export function formatDay(instant: Date, timeZone: string): string {
  return DateTime.fromJSDate(instant, { zone: timeZone }).toFormat('yyyy-MM-dd');
}

/** The beginning of the year that it is at that moment by the clock of the zone. */
export function getYearStart(instant: Date, timeZone: string): Date {
  return DateTime.fromJSDate(instant, { zone: timeZone }).startOf('year').toJSDate();
}

function toPlausibleDate(time: DateTime): Date | undefined {
  return time.isValid && time.year >= years.first && time.year <= years.last ? time.toJSDate() : undefined;
}
