/** Dates and times in Journey's format. Years have four digits. */

/** Returns '2024-02-22T14:00:53Z' for seconds since 1970. */
export function instantText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

const date = /^(\d{4})-(\d{2})-(\d{2})(?:T.*)?$/;

/** Returns the date part of an ISO date or date-time; undefined when it is invalid. */
export function dateText(text: string): string | undefined {
  const [, year, month, day] = date.exec(text) ?? [];
  const isDay = Number(year) >= 1 && Number(day) >= 1 && Number(day) <= getDaysInMonth(Number(year), Number(month));
  return isDay ? text.slice(0, 10) : undefined;
}

const daysByMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function getDaysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (daysByMonth[month - 1] ?? 0);
}

const instant = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Returns the instant of an ISO date-time in whole seconds; without a zone it is UTC. Undefined
 * when it is invalid.
 */
export function instantSeconds(text: string): number | undefined {
  const [, day, zone] = instant.exec(text) ?? [];
  if (day === undefined || dateText(day) === undefined) return undefined;
  const millis = Date.parse(zone === undefined ? `${text.replace(',', '.')}Z` : text.replace(',', '.'));
  if (Number.isNaN(millis)) return undefined;
  const year = new Date(millis).getUTCFullYear();
  return year < 1 || year > 9999 ? undefined : Math.floor(millis / 1000);
}
