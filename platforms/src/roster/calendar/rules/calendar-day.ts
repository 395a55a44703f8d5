/** Calculates with days of the Gregorian calendar by their number since 1970-01-01. */

export const dayMs = 86_400_000;

/** A day with what recurrence rules ask of it. Months, days of months and of years start at 1. */
export interface CalendarDay {
  readonly number: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly year: number;
  readonly month: number;
  readonly monthDay: number;
  readonly monthLength: number;
  readonly yearDay: number;
  readonly yearLength: number;
}

const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

export function getWeekday(number: number): number {
  return modulo(number + 4, 7);
}

function getYearLength(year: number): number {
  return isLeapYear(year) ? 366 : 365;
}

export function getMonthLength(year: number, month: number): number {
  return getDaysBefore(year, month + 1) - getDaysBefore(year, month);
}

/** Accepts any month and day, even those beyond their year: month 13 is the next January. */
export function toDayNumber(year: number, month: number, monthDay: number): number {
  const fullYear = year + Math.floor((month - 1) / 12);
  const before = fullYear - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  return before * 365 + leapDays - 719_162 + getDaysBefore(fullYear, modulo(month - 1, 12) + 1) + monthDay - 1;
}

export function toCalendarDay(number: number): CalendarDay {
  // The estimate is at most one year off.
  let year = 1970 + Math.floor(number / 365.2425);
  if (toDayNumber(year, 1, 1) > number) year -= 1;
  else if (toDayNumber(year + 1, 1, 1) <= number) year += 1;
  const yearDay = number - toDayNumber(year, 1, 1) + 1;
  let month = Math.min(12, Math.ceil(yearDay / 29));
  while (getDaysBefore(year, month) >= yearDay) month -= 1;
  return createDay(number, year, month, yearDay - getDaysBefore(year, month));
}

/** Lists the days of a month; month 13 is the next January. */
export function listMonthDays(year: number, month: number): CalendarDay[] {
  const fullYear = year + Math.floor((month - 1) / 12);
  const monthOfYear = modulo(month - 1, 12) + 1;
  const first = toDayNumber(fullYear, monthOfYear, 1);
  return Array.from({ length: getMonthLength(fullYear, monthOfYear) }, (_, index) =>
    createDay(first + index, fullYear, monthOfYear, index + 1),
  );
}

export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

function createDay(number: number, year: number, month: number, monthDay: number): CalendarDay {
  return {
    number,
    weekday: getWeekday(number),
    year,
    month,
    monthDay,
    monthLength: getMonthLength(year, month),
    yearDay: getDaysBefore(year, month) + monthDay,
    yearLength: getYearLength(year),
  };
}

function getDaysBefore(year: number, month: number): number {
  return (daysBeforeMonth[month - 1] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
