/**
 * Calendar arithmetic without time zones: days are 'YYYY-MM-DD' and months 'YYYY-MM'. The caller
 * decides which day an instant falls on.
 */

const dayMs = 86_400_000;

function toUtcMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

export function shiftDay(day: string, days: number): string {
  return new Date(toUtcMs(day) + days * dayMs).toISOString().slice(0, 10);
}

export function shiftMonth(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** Returns 0 for Monday to 6 for Sunday. */
export function getWeekday(day: string): number {
  return (new Date(toUtcMs(day)).getUTCDay() + 6) % 7;
}

export function isWeekendDay(day: string): boolean {
  return getWeekday(day) > 4;
}

/**
 * Returns the six weeks from the Monday on or before the first of the month. The count is fixed, so
 * that the calendar keeps its height.
 */
export function getWeeks(month: string): string[][] {
  const first = `${month}-01`;
  const monday = shiftDay(first, -getWeekday(first));
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => shiftDay(monday, week * 7 + weekday)),
  );
}

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
