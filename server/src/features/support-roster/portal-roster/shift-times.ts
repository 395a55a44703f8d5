import { DateTime } from 'luxon';

const years = { first: 2000, last: 2200 };

/** Parses an ISO time with a UTC offset; returns undefined for anything else. */
export function readInstant(text: string): Date | undefined {
  if (!/\d[Tt ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return undefined;
  return toPlausibleDate(DateTime.fromISO(text.replace(' ', 'T')));
}

/**
 * Parses "YYYY-MM-DD HH:MM" in the given time zone; returns undefined for anything else and for
 * times skipped by daylight saving.
 */
export function readWallTime(text: string, timeZone: string): Date | undefined {
  const written = text.replace('T', ' ');
  const time = DateTime.fromFormat(written, 'yyyy-MM-dd HH:mm', { zone: timeZone });
  return time.isValid && time.toFormat('yyyy-MM-dd HH:mm') === written ? toPlausibleDate(time) : undefined;
}

const spreadsheetTime = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})[ T]+(\d{1,2}):(\d{2})(?::00)?$/;

/**
 * Parses the time of a spreadsheet in the given time zone, such as "2026/11/23 8:00". Other orders
 * of day and month are ambiguous. Returns undefined for anything else.
 */
export function readSpreadsheetTime(text: string, timeZone: string): Date | undefined {
  const [, year = '', , month = '', day = '', hour = '', minute = ''] = spreadsheetTime.exec(text) ?? [];
  const twoDigits = (part: string) => part.padStart(2, '0');
  return readWallTime(`${year}-${twoDigits(month)}-${twoDigits(day)} ${twoDigits(hour)}:${minute}`, timeZone);
}

/**
 * Parses "YYYY-MM-DD" as the start of that day in the given time zone; returns undefined for
 * anything else.
 */
export function readDay(text: string, timeZone: string): Date | undefined {
  return toPlausibleDate(DateTime.fromFormat(text, 'yyyy-MM-dd', { zone: timeZone }));
}

/** Returns the day "YYYY-MM-DD" of an instant in the given time zone. */
export function formatDay(instant: Date, timeZone: string): string {
  return DateTime.fromJSDate(instant, { zone: timeZone }).toFormat('yyyy-MM-dd');
}

/** Returns the start of the year of an instant in the given time zone. */
export function getYearStart(instant: Date, timeZone: string): Date {
  return DateTime.fromJSDate(instant, { zone: timeZone }).startOf('year').toJSDate();
}

function toPlausibleDate(time: DateTime): Date | undefined {
  return time.isValid && time.year >= years.first && time.year <= years.last ? time.toJSDate() : undefined;
}
